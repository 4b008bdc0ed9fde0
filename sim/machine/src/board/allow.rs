//! Ranges that a program may access although the board does not describe them.

use std::str::FromStr;

use serde::Deserialize;

use super::file::size;
use crate::policy::{Policy, number};

/// A range of addresses and its substitute for the hardware.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allow {
    /// First address.
    pub base: u32,
    /// Length in bytes.
    #[serde(deserialize_with = "size")]
    pub size: u32,
    /// How accesses are answered.
    #[serde(default)]
    pub policy: Policy,
}

impl Allow {
    pub(crate) fn name(&self) -> &'static str {
        match self.policy {
            Policy::Zero | Policy::Held | Policy::Toggles | Policy::Value(_) => "allowed range",
            Policy::Fault => "range that faults",
        }
    }
}

impl FromStr for Allow {
    type Err = String;

    /// Parses `0x40021000..0x40021400` (exclusive end), optionally with a policy: `=fault`, `=held`, `=toggles`, `=0x12`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (range, policy) = match text.split_once('=') {
            None => (text, Policy::Zero),
            Some((range, policy)) => (range, policy.parse()?),
        };
        let form = || format!("`{text}` is not a range like 0x40021000..0x40021400");
        let (base, end) = range.split_once("..").ok_or_else(form)?;
        let number = |word: &str| number(word).ok_or_else(form);
        let (base, end) = (number(base)?, number(end)?);
        let size = end
            .checked_sub(base)
            .filter(|&size| size > 0)
            .ok_or("a range ends behind its beginning")?;
        let outside = |_| format!("`{text}` goes beyond the address space");
        let (base, size) = (
            u32::try_from(base).map_err(outside)?,
            u32::try_from(size).map_err(outside)?,
        );
        if u64::from(base) + u64::from(size) > 1 << 32 {
            return Err(format!("`{text}` goes beyond the address space"));
        }
        Ok(Allow { base, size, policy })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_ranges_as_the_message_writes_them() {
        let allow = |text: &str| text.parse::<Allow>();
        let rcc = Allow {
            base: 0x4002_1000,
            size: 0x400,
            policy: Policy::Zero,
        };
        assert_eq!(allow("0x40021000..0x40021400"), Ok(rcc));
        assert_eq!(allow("0x4002_1000..0x4002_1400=zero"), Ok(rcc));
        assert_eq!(
            allow("0x40021000..0x40021400=fault"),
            Ok(Allow {
                policy: Policy::Fault,
                ..rcc
            })
        );
        assert_eq!(allow("0xffffff00..0x100000000").unwrap().size, 0x100);
        let policy = |name: &str| allow(&format!("0x0..0x4={name}")).unwrap().policy;
        let all = ["held", "toggles", "0x12"].map(policy);
        assert_eq!(all, [Policy::Held, Policy::Toggles, Policy::Value(0x12)]);
    }

    #[test]
    fn refuses_what_is_no_range() {
        let message = |text: &str| text.parse::<Allow>().unwrap_err();
        assert!(message("RCC").contains("is not a range like"));
        assert!(message("0x20..0x10").contains("ends behind"));
        assert!(message("0x10..0x20=one").contains("`one` is neither `zero`"));
        assert!(message("0..0x200000000").contains("beyond the address space"));
    }
}
