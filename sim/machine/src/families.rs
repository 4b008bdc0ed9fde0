//! Chips and cores by name: the core of a chip, and the nearest modelled core.
//!
//! It only suggests a core; it never decides how a program is timed.

use core_cortex_m::CoreKind;

use crate::cores::Core;

/// A core of Arm's M profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ArmCore {
    /// Arm's spelling.
    pub(crate) name: &'static str,
    /// The rest of the name after "cortex-m", lower case, only letters and digits.
    suffix: &'static str,
    /// Whether `nearest` is this core.
    pub(crate) is_modelled: bool,
    /// The modelled core that executes its programs, or most of their instructions.
    pub(crate) nearest: CoreKind,
}

const fn other(name: &'static str, suffix: &'static str, nearest: CoreKind) -> ArmCore {
    ArmCore {
        name,
        suffix,
        is_modelled: false,
        nearest,
    }
}

/// Cores without a model.
static OTHERS: &[ArmCore] = &[
    other("Cortex-M1", "1", CoreKind::CORTEX_M0),
    other("Cortex-M7", "7", CoreKind::CORTEX_M4F),
    // ARMv8-M Baseline has division and exclusive accesses, which an ARMv6-M core lacks.
    other("Cortex-M23", "23", CoreKind::CORTEX_M3),
    other("Cortex-M33", "33", CoreKind::CORTEX_M4F),
    other("Cortex-M35P", "35p", CoreKind::CORTEX_M4F),
    other("Cortex-M52", "52", CoreKind::CORTEX_M4F),
    other("Cortex-M55", "55", CoreKind::CORTEX_M4F),
    other("Cortex-M85", "85", CoreKind::CORTEX_M4F),
];

impl ArmCore {
    /// All known cores, modelled ones first.
    fn all() -> impl Iterator<Item = ArmCore> {
        let modelled = CoreKind::ALL.into_iter().map(|core| ArmCore {
            name: core.arm_name,
            suffix: core.name.strip_prefix("cortex-m").unwrap_or(core.name),
            is_modelled: true,
            nearest: core,
        });
        modelled.chain(OTHERS.iter().copied())
    }

    /// The core with this name, in the spelling of compilers (`cortex-m7`, `Cortex-M4.fp.sp`) or SVD files (`CM0+`).
    pub(crate) fn named(name: &str) -> Option<ArmCore> {
        let plain = plain(&name.replace('+', "plus"));
        let plain = plain.strip_prefix("arm").unwrap_or(&plain);
        let suffix = plain
            .strip_prefix("cortexm")
            .or_else(|| plain.strip_prefix("cm"))?;
        let begins = ArmCore::all().filter(|core| suffix.starts_with(core.suffix));
        begins.max_by_key(|core| core.suffix.len())
    }
}

/// Chips with a common name prefix.
struct Family {
    /// The prefix, lower case, only letters and digits.
    prefix: &'static str,
    /// Its core's name, for [`ArmCore::named`] or [`Core::named`].
    core: &'static str,
    /// The chip of the board that has this prefix as its name.
    chip: Option<&'static str>,
}

const fn chips(prefix: &'static str, core: &'static str) -> Family {
    let chip = None;
    Family { prefix, core, chip }
}

const fn board_with(prefix: &'static str, core: &'static str, chip: &'static str) -> Family {
    let chip = Some(chip);
    Family { prefix, core, chip }
}

/// The longest matching prefix wins.
static FAMILIES: &[Family] = &[
    chips("stm32c0", "Cortex-M0+"),
    chips("stm32f0", "Cortex-M0"),
    chips("stm32f1", "Cortex-M3"),
    chips("stm32f2", "Cortex-M3"),
    chips("stm32f3", "Cortex-M4F"),
    chips("stm32f4", "Cortex-M4F"),
    chips("stm32f7", "Cortex-M7"),
    chips("stm32g0", "Cortex-M0+"),
    chips("stm32g4", "Cortex-M4F"),
    chips("stm32h5", "Cortex-M33"),
    chips("stm32h7", "Cortex-M7"),
    chips("stm32l0", "Cortex-M0+"),
    chips("stm32l1", "Cortex-M3"),
    chips("stm32l4", "Cortex-M4F"),
    chips("stm32l5", "Cortex-M33"),
    chips("stm32u0", "Cortex-M0+"),
    chips("stm32u5", "Cortex-M33"),
    chips("stm32wb", "Cortex-M4F"),
    chips("stm32wba", "Cortex-M33"),
    chips("stm32wl", "Cortex-M4"),
    board_with("bluepill", "Cortex-M3", "stm32f103"),
    board_with("blackpill", "Cortex-M4F", "stm32f411"),
    board_with("stm32vldiscovery", "Cortex-M3", "stm32f100"),
    chips("nrf51", "Cortex-M0"),
    chips("nrf52", "Cortex-M4F"),
    chips("nrf53", "Cortex-M33"),
    chips("nrf54", "Cortex-M33"),
    chips("nrf91", "Cortex-M33"),
    board_with("microbit", "Cortex-M0", "nrf51822"),
    board_with("microbitv2", "Cortex-M4F", "nrf52833"),
    chips("rp2040", "Cortex-M0+"),
    chips("rp2350", "Cortex-M33"),
    board_with("pico", "Cortex-M0+", "rp2040"),
    board_with("pico2", "Cortex-M33", "rp2350"),
    board_with("rpipico", "Cortex-M0+", "rp2040"),
    board_with("raspberrypipico", "Cortex-M0+", "rp2040"),
    chips("samd2", "Cortex-M0+"),
    chips("samc2", "Cortex-M0+"),
    chips("saml2", "Cortex-M0+"),
    chips("samd5", "Cortex-M4F"),
    chips("same5", "Cortex-M4F"),
    chips("sam3", "Cortex-M3"),
    chips("sam4", "Cortex-M4"),
    chips("same7", "Cortex-M7"),
    chips("atsamd2", "Cortex-M0+"),
    chips("atsamd5", "Cortex-M4F"),
    chips("lm3s", "Cortex-M3"),
    chips("lm4f", "Cortex-M4F"),
    chips("tm4c", "Cortex-M4F"),
    chips("cc2650", "Cortex-M3"),
    chips("cc26", "Cortex-M4F"),
    chips("cc13", "Cortex-M4F"),
    chips("cc2538", "Cortex-M3"),
    chips("lpc11", "Cortex-M0"),
    chips("lpc8", "Cortex-M0+"),
    chips("lpc17", "Cortex-M3"),
    chips("lpc40", "Cortex-M4F"),
    chips("lpc55", "Cortex-M33"),
    chips("mimxrt", "Cortex-M7"),
    chips("imxrt", "Cortex-M7"),
    board_with("teensy4", "Cortex-M7", "mimxrt1062"),
    chips("mkl", "Cortex-M0+"),
    chips("mk6", "Cortex-M4F"),
    chips("efm32gg", "Cortex-M3"),
    chips("efr32mg2", "Cortex-M33"),
    chips("gd32f1", "Cortex-M3"),
    chips("gd32f3", "Cortex-M4F"),
    chips("gd32vf103", "sifive-e31"),
    chips("ch32v", "sifive-e31"),
    chips("esp32c", "sifive-e31"),
    chips("esp32h", "sifive-e31"),
    chips("fe310", "sifive-e31"),
    board_with("hifive", "sifive-e31", "fe310"),
    board_with("sifive", "sifive-e31", "fe310"),
];

/// A chip or core that the user named instead of a board: `stm32h743`, `cortex-m33`.
#[derive(Debug)]
pub(crate) struct RequestedChip {
    /// The chip or core, in lower case.
    pub(crate) chip: String,
    /// Its core, in its maker's spelling.
    pub(crate) core: &'static str,
    /// Whether that core is modelled.
    pub(crate) is_modelled: bool,
    /// The same core if modelled, otherwise the nearest one.
    pub(crate) nearest: &'static str,
}

impl RequestedChip {
    /// Finds a core or chip by its name, whole or without the family's prefix: `cortex-m33`, `STM32H743ZI`, `h743`, `nucleo-f401re`.
    pub(crate) fn by_name(name: &str) -> Option<RequestedChip> {
        if let Some(core) = ArmCore::named(name) {
            return Some(RequestedChip::of(core.name.to_lowercase(), core.name));
        }
        let lower = name.to_lowercase();
        let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric());
        let words = std::iter::once(plain(name)).chain(words.map(str::to_owned));
        words.filter(|word| word.len() >= 3).find_map(|word| {
            let st = format!("stm32{word}");
            let (word, family) = family(&word)
                .map(|family| (word, family))
                .or_else(|| family(&st).map(|family| (st, family)))?;
            Some(RequestedChip::of(
                family.chip.map_or(word, str::to_owned),
                family.core,
            ))
        })
    }

    /// `stm32h743 has a Cortex-M7, which is not modelled (cortex-m4f comes nearest)`; `None` for a modelled core.
    pub(crate) fn core_in_words(&self) -> Option<String> {
        let RequestedChip {
            chip, core, nearest, ..
        } = self;
        let model = if self.is_modelled {
            String::new()
        } else {
            format!(" not modelled ({nearest} comes nearest)")
        };
        match (chip.eq_ignore_ascii_case(core), self.is_modelled) {
            (true, true) => None,
            (true, false) => Some(format!("a {core} is{model}")),
            (false, true) => Some(format!("{chip} has a {core}")),
            (false, false) => Some(format!("{chip} has a {core}, which is{model}")),
        }
    }

    fn of(chip: String, core: &'static str) -> RequestedChip {
        let arm = ArmCore::named(core);
        RequestedChip {
            chip,
            core,
            is_modelled: arm.is_none_or(|arm| arm.is_modelled),
            nearest: arm.map_or(core, |arm| arm.nearest.name),
        }
    }
}

fn family(word: &str) -> Option<&'static Family> {
    let begins = FAMILIES.iter().filter(|family| word.starts_with(family.prefix));
    begins.max_by_key(|family| family.prefix.len())
}

/// The letters and digits of a name, in lower case.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Common first letters by which two chips count as the same maker and line.
const SAME_LINE: usize = 3;

/// Up to three boards nearest to the requested chip: those with its core and a similar name. If no name is similar, the board that is a
/// bare core.
pub(crate) fn nearest_boards<'a>(meant: &RequestedChip, boards: &[(&'a str, Core)]) -> Vec<&'a str> {
    let with_core = boards.iter().filter(|(_, core)| core.name() == meant.nearest);
    let names: Vec<&str> = with_core.map(|(name, _)| *name).collect();
    let common = |name: &str| {
        let chip = family(&plain(name))
            .and_then(|family| family.chip)
            .unwrap_or(name);
        let both = meant.chip.chars().zip(chip.chars());
        both.take_while(|(a, b)| a == b).count()
    };
    let most = names.iter().map(|name| common(name)).max().unwrap_or(0);
    let mut near = names.clone();
    near.retain(|name| {
        if most < SAME_LINE {
            *name == meant.nearest || !names.contains(&meant.nearest)
        } else {
            common(name) == most
        }
    });
    // With another core, similar names mean nothing: plain names go first.
    let distance = |name: &str| {
        if meant.is_modelled {
            strsim::damerau_levenshtein(&meant.chip, name)
        } else {
            name.len()
        }
    };
    near.sort_by_key(|name| (distance(name), *name));
    near.truncate(3);
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_is_known_by_each_of_its_names() {
        let name = |text: &str| ArmCore::named(text).map(|core| core.name);
        for (text, core) in [
            ("cortex-m0plus", "Cortex-M0+"),
            ("CM0+", "Cortex-M0+"),
            ("CM0PLUS", "Cortex-M0+"),
            ("Cortex-M4.fp.sp", "Cortex-M4F"),
            ("ARM Cortex-M33", "Cortex-M33"),
            ("CM7", "Cortex-M7"),
        ] {
            assert_eq!(name(text), Some(core), "{text}");
        }
        for text in ["7E-M", "cortex-a9", "", "m3", "cm"] {
            assert_eq!(name(text), None, "{text}");
        }
    }

    #[test]
    fn each_entry_names_a_core_that_is_known() {
        for family in FAMILIES {
            let known = ArmCore::named(family.core).is_some() || Core::named(family.core).is_some();
            assert!(known, "{}: {}", family.prefix, family.core);
            assert_eq!(plain(family.prefix), family.prefix);
        }
        for core in ArmCore::all() {
            assert_eq!(ArmCore::named(core.name), Some(core));
        }
        for kind in CoreKind::ALL {
            let core = ArmCore::named(kind.name).unwrap();
            assert!(core.is_modelled && core.nearest == kind, "{}", kind.name);
        }
    }
}
