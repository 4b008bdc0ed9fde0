//! A memory of a board.

use bus::{Evidence, Region, Slave, WaitStates};
use events::Mark;

use super::MemoryKind;

/// A memory of a board.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Its name on the board.
    pub name: String,
    /// First address.
    pub base: u32,
    /// Size in bytes.
    pub size: u32,
    /// Whether a program can write to it.
    pub kind: MemoryKind,
    pub(super) wait: WaitStates,
    pub(super) slave: u8,
    /// The evidence for its timing.
    pub(super) evidence: Evidence,
    /// The base of the memory that it aliases.
    pub(super) alias_of: Option<u32>,
    /// Its contents before a program is loaded.
    pub(super) contents: &'static [u8],
    /// Whether a flash controller can program it.
    pub(super) programmable: bool,
}

impl Memory {
    /// The best possible mark of a figure that relies on it, if its evidence is weaker than its core's.
    pub fn evidence(&self) -> Option<Mark> {
        match self.evidence {
            Evidence::Unstated => None,
            Evidence::Documented => Some(Mark::B),
            Evidence::Inferred => Some(Mark::D),
        }
    }

    /// The base of the memory that it aliases, if any.
    pub fn alias_of(&self) -> Option<u32> {
        self.alias_of
    }

    /// The wait states of its accesses.
    pub fn wait(&self) -> WaitStates {
        self.wait
    }

    pub(super) fn region(&self) -> Region {
        Region {
            name: self.name.as_str().into(),
            base: self.base,
            size: self.size,
            wait: self.wait,
            slave: Slave(self.slave),
            evidence: self.evidence,
        }
    }
}
