//! What a program for Arm says that it was built for: its build attributes (Arm's "Addenda to, and Errata in, the ABI for the Arm
//! Architecture", IHI 0045, 3).

use std::fmt;

use core_cortex_m::timing::CoreKind;
use object::LittleEndian;
use object::elf;
use object::read::elf::{AttributeReader, SectionHeader as _};

use super::elf::Elf;

const LE: LittleEndian = LittleEndian;

/// What a program was built for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Built {
    architecture: u64,
    /// Of the profile M, whose cores these are, if it says a profile.
    is_m: bool,
    /// It may use instructions for floating point.
    pub floating: bool,
}

/// Tags, and the values of the first by the profile M.
const CPU_ARCH: u64 = 6;
const PROFILE: u64 = 7;
const FP_ARCH: u64 = 10;
const V7: u64 = 10;
const V6_M: u64 = 11;
const V6S_M: u64 = 12;
const V7E_M: u64 = 13;
const V8_M: [u64; 3] = [16, 17, 21];

impl Built {
    /// By the attributes of a whole file; `None` if they do not say it.
    pub(super) fn read(elf: &Elf<'_>) -> Option<Built> {
        let header = elf.elf_section_table().iter();
        let header = header
            .into_iter()
            .find(|header| header.sh_type(LE) == elf::SHT_ARM_ATTRIBUTES)?;
        let attributes = header.attributes(LE, elf.data()).ok()?;
        let mut subsections = attributes.subsections().ok()?;
        while let Some(subsection) = subsections.next().ok()? {
            let mut parts = subsection.subsubsections();
            while let Some(part) = parts.next().ok()? {
                if subsection.vendor() == b"aeabi" && part.tag() == elf::Tag_File {
                    return Built::of_file(part.attributes());
                }
            }
        }
        None
    }

    fn of_file(mut reader: AttributeReader<'_>) -> Option<Built> {
        let (mut architecture, mut floating, mut is_m) = (None, false, true);
        while let Some(tag) = reader.read_tag().ok()? {
            // 3.2: names, and above 32 each odd one, are strings; 32 is both.
            let value = match tag {
                4 | 5 => None,
                32 => Some(reader.read_integer().ok()?),
                _ if tag > 32 && tag % 2 == 1 => None,
                _ => Some(reader.read_integer().ok()?),
            };
            if value.is_none() || tag == 32 {
                reader.read_string().ok()?;
            }
            match tag {
                CPU_ARCH => architecture = value,
                PROFILE => is_m = value.is_none_or(|profile| [0, u64::from(b'M')].contains(&profile)),
                FP_ARCH => floating = value != Some(0),
                _ => {}
            }
        }
        architecture.map(|architecture| Built {
            architecture,
            is_m,
            floating,
        })
    }

    /// For ARMv6-M, whose programs run on the others too.
    pub fn is_armv6m(self) -> bool {
        matches!(self.architecture, V6_M | V6S_M)
    }

    /// Whether it may use instructions that such a core has not.
    pub(crate) fn exceeds(self, core: CoreKind) -> bool {
        if !self.is_m {
            return true;
        }
        let beyond = match self.architecture {
            V6_M | V6S_M => false,
            V7 => core.is_armv6m(),
            V7E_M => !matches!(core, CoreKind::CortexM4 | CoreKind::CortexM4F),
            other => V8_M.contains(&other),
        };
        beyond || self.floating && !core.has_fp()
    }
}

impl fmt::Display for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.architecture {
            _ if !self.is_m => "another profile of Arm's than M",
            V6_M | V6S_M => "ARMv6-M",
            V7 => "ARMv7-M",
            V7E_M => "ARMv7E-M",
            other if V8_M.contains(&other) => "ARMv8-M",
            _ => "another architecture of Arm's",
        })?;
        f.write_str(if self.floating { " with floating point" } else { "" })
    }
}
