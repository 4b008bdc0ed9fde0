//! What a kind of device models, and the documents that this is from. `docs/chips.md` is written from it.

use events::Mark;

use super::{Block, Reg};

/// What a kind of device models, for its users.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct About {
    /// The documents that its registers and its behaviour are from, each with its chapters.
    pub source: &'static str,
    /// The evidence for its time.
    pub mark: Mark,
    /// What it models.
    pub models: &'static str,
    /// What it does not model; empty if nothing is known of.
    pub omits: &'static str,
}

/// The settings of a kind of device, or the device of a kind without settings.
pub(crate) trait Documented {
    const ABOUT: About;
    /// The bits that may not be written, and the registers that may not be read, each with the reason.
    fn refused() -> Vec<String> {
        Vec::new()
    }
}

/// Documents a device, for the kind that has these settings: the mark of its time, its source, what it models, and what it does not.
macro_rules! about {
    ($device:ident by $settings:ident, $($rest:tt)*) => {
        $crate::devices::block::about::about! { @ $settings $device, $($rest)* }
    };
    (without table $settings:ident, $($rest:tt)*) => {
        $crate::devices::block::about::about! { @ $settings, $($rest)* }
    };
    ($device:ident, $($rest:tt)*) => {
        $crate::devices::block::about::about! { @ $device $device, $($rest)* }
    };
    (@ $settings:ident $($device:ident)?, $mark:ident, $source:literal, $models:literal, $omits:literal) => {
        impl $crate::devices::block::about::Documented for $settings {
            const ABOUT: $crate::devices::block::About = $crate::devices::block::About {
                source: $source,
                mark: events::Mark::$mark,
                models: $models,
                omits: $omits,
            };
            $(fn refused() -> Vec<String> {
                $crate::devices::block::about::refused::<$device>()
            })?
        }
    };
}

pub(crate) use about;

/// What the rows of a table refuse for a reason of their own.
pub(crate) fn refused<D: Block>() -> Vec<String> {
    let with_reason = D::REGISTERS.iter().filter(|reg| !reg.why.is_empty());
    with_reason
        .map(|reg| format!("`{}{}`{}", reg.name, bits(reg), reg.why))
        .collect()
}

/// The refused bits, if they are not all: `[15, 13:12]`.
fn bits<D>(reg: &Reg<D>) -> String {
    let (mut parts, mut left) = (Vec::new(), reg.bits.refuse);
    if left == u32::MAX || left == 0 {
        return String::new();
    }
    while left != 0 {
        let high = left.ilog2();
        let ones = (left << (31 - high)).leading_ones();
        let low = high + 1 - ones;
        parts.push(if ones == 1 {
            high.to_string()
        } else {
            format!("{high}:{low}")
        });
        left &= (1 << low) - 1;
    }
    format!("[{}]", parts.join(", "))
}
