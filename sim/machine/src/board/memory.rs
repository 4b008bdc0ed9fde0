//! A memory of a board.

use bus::{Evidence, Region, Slave, WaitStates};
use events::Mark;

use super::MemoryKind;

/// One memory of a board.
#[derive(Clone, Debug)]
pub struct Memory {
    /// As the board calls it.
    pub name: String,
    /// First address.
    pub base: u32,
    /// Bytes.
    pub size: u32,
    /// Whether a program can write to it.
    pub kind: MemoryKind,
    pub(super) wait: WaitStates,
    pub(super) slave: u8,
    /// How well its timing is known.
    pub(super) evidence: Evidence,
    /// Base of the memory whose bytes it shows.
    pub(super) alias_of: Option<u32>,
    /// What it holds before a program is loaded.
    pub(super) contents: &'static [u8],
    /// A controller of flash lets a program change it.
    pub(super) programmable: bool,
}

impl Memory {
    /// The best mark of a figure that relies on it, if its timing is known less well than its core's.
    pub fn evidence(&self) -> Option<Mark> {
        match self.evidence {
            Evidence::Unstated => None,
            Evidence::Documented => Some(Mark::B),
            Evidence::Inferred => Some(Mark::D),
        }
    }

    /// Base of the memory whose bytes it shows, if it has none of its own.
    pub fn alias_of(&self) -> Option<u32> {
        self.alias_of
    }

    /// What accesses to it cost.
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
