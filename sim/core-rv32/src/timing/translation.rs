//! The results of address translation and protection for pipelines.

/// The translation of a fetch address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Located {
    /// The address on the bus, if it is known.
    pub physical: Option<u32>,
    /// Whether the fetch is permitted.
    pub rights: Rights,
}

/// Whether an instruction may be fetched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rights {
    /// Permitted.
    Granted,
    /// Its page refuses, which is known without the instruction.
    NotInPage,
    /// Physical memory protection refuses, which shows when the instruction arrives.
    NotInRegion,
}

impl Located {
    /// Without translation and protection.
    pub fn at(physical: u32) -> Located {
        Located {
            physical: Some(physical),
            rights: Rights::Granted,
        }
    }
}

/// An entry of a table of pages, as a walk reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableEntry {
    /// The address that is translated.
    pub address: u32,
    /// For a fetch; else for data.
    pub fetch: bool,
    /// 1 is the first table, 0 the last.
    pub level: u32,
    /// The address of the entry.
    pub place: u32,
}
