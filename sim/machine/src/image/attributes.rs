//! The build target that an ELF file records.

mod arm;
mod riscv;

use std::fmt;

use object::LittleEndian;
use object::elf;
use object::read::elf::{AttributeReader, FileHeader as _, SectionHeader as _};

use super::elf::Elf;
use crate::cores::Core;

pub use arm::BuiltForArm;
pub use riscv::BuiltForRiscV;

const LE: LittleEndian = LittleEndian;

/// The build target of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Built {
    /// An Arm core.
    Arm(BuiltForArm),
    /// A RISC-V core.
    RiscV(BuiltForRiscV),
}

impl Built {
    /// Reads the file-scope attributes; `None` if they do not name the target.
    pub(super) fn read(elf: &Elf<'_>) -> Option<Built> {
        if elf.elf_header().e_machine(LE) == elf::EM_RISCV {
            return BuiltForRiscV::read(elf).map(Built::RiscV);
        }
        BuiltForArm::read(elf).map(Built::Arm)
    }

    /// The target of an Arm program.
    pub fn arm(&self) -> Option<BuiltForArm> {
        match self {
            Built::Arm(built) => Some(*built),
            Built::RiscV(_) => None,
        }
    }

    /// The instructions that the program may use but the core lacks, as text; `None` if there are none.
    pub fn beyond(&self, core: Core) -> Option<String> {
        match (self, core) {
            (Built::Arm(built), Core::CortexM(kind)) => built.beyond(kind),
            (Built::RiscV(built), Core::Rv32(config)) => built.beyond(config.isa),
            _ => None,
        }
    }
}

impl fmt::Display for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Built::Arm(built) => built.fmt(f),
            Built::RiscV(built) => built.fmt(f),
        }
    }
}

/// A vendor's file-scope attributes.
fn of_file<T>(
    elf: &Elf<'_>,
    kind: elf::SectionType,
    vendor: &[u8],
    read: impl Fn(AttributeReader<'_>) -> Option<T>,
) -> Option<T> {
    let mut headers = elf.elf_section_table().iter();
    let header = headers.find(|header| header.sh_type(LE) == kind)?;
    let attributes = header.attributes(LE, elf.data()).ok()?;
    let mut subsections = attributes.subsections().ok()?;
    while let Some(subsection) = subsections.next().ok()? {
        let mut parts = subsection.subsubsections();
        while let Some(part) = parts.next().ok()? {
            if subsection.vendor() == vendor && part.tag() == elf::Tag_File {
                return read(part.attributes());
            }
        }
    }
    None
}
