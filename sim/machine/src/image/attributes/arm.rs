//! Arm's build attributes ("Addenda to, and Errata in, the ABI for the Arm Architecture", IHI 0045, 3).

use std::fmt;

use core_cortex_m::CoreKind;
use object::elf;
use object::read::elf::AttributeReader;

use super::super::elf::Elf;
use super::of_file;
use crate::families::ArmCore;

/// The build target of an Arm program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuiltForArm {
    architecture: u64,
    /// The profile (`A`, `R`, `M`), or `S` for either A or R; 0 if none is given.
    profile: u8,
    /// The core named.
    named: Option<ArmCore>,
    float: Float,
}

/// The floating-point instructions that the program may use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Float {
    None,
    /// FPv4-SP or less.
    V4,
    /// `FPv5`, single precision.
    V5,
    /// `FPv5`, also double precision.
    V5Double,
}

/// Tags, and values of `CPU_ARCH` with profile M.
const CPU_NAME: u64 = 5;
const CPU_ARCH: u64 = 6;
const PROFILE: u64 = 7;
const FP_ARCH: u64 = 10;
const HARD_FP_USE: u64 = 27;
const V7: u64 = 10;
const V6_M: u64 = 11;
const V6S_M: u64 = 12;
const V7E_M: u64 = 13;
const V8_M_BASE: u64 = 16;
const V8_M: [u64; 3] = [V8_M_BASE, 17, 21];

/// Architectures without profile M, by value.
const OTHERS: &[(u64, &str)] = &[
    (0, "an architecture before ARMv4"),
    (1, "ARMv4"),
    (2, "ARMv4T"),
    (3, "ARMv5T"),
    (4, "ARMv5TE"),
    (5, "ARMv5TEJ"),
    (6, "ARMv6"),
    (7, "ARMv6KZ"),
    (8, "ARMv6T2"),
    (9, "ARMv6K"),
    (14, "ARMv8-A"),
    (15, "ARMv8-R"),
    (18, "ARMv8.1-A"),
    (19, "ARMv8.2-A"),
    (20, "ARMv8.3-A"),
    (22, "ARMv9-A"),
];

/// The lowest value of `FP_ARCH` for `FPv5`, and the value of `HARD_FP_USE` for single precision only.
const FPV5: u64 = 7;
const SINGLE: u64 = 1;

impl BuiltForArm {
    pub(super) fn read(elf: &Elf<'_>) -> Option<BuiltForArm> {
        of_file(elf, elf::SHT_ARM_ATTRIBUTES, b"aeabi", BuiltForArm::of_file)
    }

    fn of_file(mut reader: AttributeReader<'_>) -> Option<BuiltForArm> {
        let (mut architecture, mut profile, mut named) = (None, 0, None);
        let (mut fp, mut use_of_fp) = (0, 0);
        while let Some(tag) = reader.read_tag().ok()? {
            // 3.2: tags of names, and odd tags above 32, have strings; 32 has both.
            let value = match tag {
                4 | CPU_NAME => None,
                32 => Some(reader.read_integer().ok()?),
                _ if tag > 32 && tag % 2 == 1 => None,
                _ => Some(reader.read_integer().ok()?),
            };
            if value.is_none() || tag == 32 {
                let text = reader.read_string().ok()?;
                if tag == CPU_NAME {
                    named = ArmCore::named(&String::from_utf8_lossy(text));
                }
            }
            match tag {
                CPU_ARCH => architecture = value,
                PROFILE => profile = value.and_then(|letter| u8::try_from(letter).ok()).unwrap_or(0),
                FP_ARCH => fp = value.unwrap_or(0),
                HARD_FP_USE => use_of_fp = value.unwrap_or(0),
                _ => {}
            }
        }
        let float = match fp {
            0 => Float::None,
            FPV5.. if use_of_fp == SINGLE => Float::V5,
            FPV5.. => Float::V5Double,
            _ => Float::V4,
        };
        architecture.map(|architecture| BuiltForArm {
            architecture,
            profile,
            named,
            float,
        })
    }

    /// Whether it is for a core of profile M, which all cores here have.
    fn is_m(self) -> bool {
        [0, b'M'].contains(&self.profile) && self.other().is_none()
    }

    /// The name of an architecture without profile M.
    fn other(self) -> Option<&'static str> {
        let known = OTHERS.iter().find(|(value, _)| *value == self.architecture);
        known.map(|(_, name)| *name)
    }

    /// Whether it is for ARMv6-M; such programs run on the other cores too.
    pub fn is_armv6m(self) -> bool {
        matches!(self.architecture, V6_M | V6S_M)
    }

    /// Whether it may use floating-point instructions.
    pub fn is_floating(self) -> bool {
        self.float != Float::None
    }

    /// The modelled core for which it was built. If none has all of its instructions, the error is the nearest core, if any.
    pub(crate) fn core(self) -> Result<CoreKind, Option<CoreKind>> {
        if !self.is_m() {
            return Err(None);
        }
        let by_architecture = match self.architecture {
            V6_M | V6S_M => CoreKind::CORTEX_M0PLUS,
            V7E_M => CoreKind::CORTEX_M4,
            V8_M_BASE => CoreKind::CORTEX_M3,
            other if V8_M.contains(&other) => CoreKind::CORTEX_M4F,
            _ => CoreKind::CORTEX_M3,
        };
        let core = self.named.map_or(by_architecture, |named| named.nearest);
        let core = if self.is_floating() {
            CoreKind::CORTEX_M4F
        } else {
            core
        };
        let is_there = self.named.is_none_or(|named| named.is_modelled);
        match self.beyond(core) {
            None if is_there => Ok(core),
            _ => Err(Some(core)),
        }
    }

    /// A second modelled core with all of its instructions, differing at most in floating point: the attributes do not tell the two apart.
    pub(crate) fn other_core(self) -> Option<CoreKind> {
        match self.core().ok()? {
            core if core == CoreKind::CORTEX_M0PLUS && self.named.is_none() => Some(CoreKind::CORTEX_M0),
            core if !core.isa.has_float() => core.with_float(),
            _ => None,
        }
    }

    pub(super) fn beyond(self, core: CoreKind) -> Option<String> {
        let is_beyond = match self.architecture {
            _ if !self.is_m() => true,
            V6_M | V6S_M => false,
            V7 => !core.isa.is_v7(),
            V7E_M => !core.isa.has_dsp(),
            other => V8_M.contains(&other),
        };
        let most = if core.isa.has_float() {
            Float::V4
        } else {
            Float::None
        };
        (is_beyond || self.float > most).then(|| self.to_string())
    }
}

impl fmt::Display for BuiltForArm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.other(), self.architecture) {
            (Some(name), _) => name,
            (None, V7) if self.is_m() => "ARMv7-M",
            (None, V7) if self.profile == b'R' => "ARMv7-R",
            (None, V7) => "ARMv7-A",
            _ if !self.is_m() => "another profile of Arm's than M",
            (None, V6_M | V6S_M) => "ARMv6-M",
            (None, V7E_M) => "ARMv7E-M",
            (None, other) if V8_M.contains(&other) => "ARMv8-M",
            _ => "another architecture of Arm's",
        })?;
        f.write_str(match self.float {
            Float::None => "",
            Float::V4 => " with floating point",
            Float::V5 => " with floating point by FPv5",
            Float::V5Double => " with floating point by FPv5 in double precision",
        })?;
        match self.named {
            Some(core) => write!(f, " ({})", core.name),
            None => Ok(()),
        }
    }
}
