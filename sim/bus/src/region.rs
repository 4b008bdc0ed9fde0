//! The common data of every piece of the address map: name, range, and cost of an access.

use std::sync::Arc;

/// A slave port of the bus matrix. Two masters that address the same one in the same cycle contend.
///
/// Number 0 is a slave that serves instructions and data side by side, such as a flash whose buffer is wide enough.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Slave(pub u8);

impl Slave {
    /// The single-cycle I/O port of a Cortex-M0+, which is no part of its bus.
    pub const IO_PORT: Slave = Slave(254);

    /// Whether an access to one of them can hold up an access to the other.
    pub fn contends_with(self, other: Slave) -> bool {
        self == other && self.0 != 0
    }
}

/// Core cycles for which a device write may be under way over the unmodelled bridges of a chip: the write buffer, an AHB and an APB at the
/// core's clock. A slower bus takes longer.
pub const WRITE_ON_ITS_WAY: u64 = 8;

/// Cycles that an access takes beyond the one that it always takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct WaitStates {
    /// Instruction fetch.
    pub fetch: u8,
    /// Data read.
    pub read: u8,
    /// Data write.
    pub write: u8,
    /// Wait cycles of a Cortex-M's access if the memory had no other request in the previous cycle.
    pub grant: u8,
    /// Each further word of a burst that is read, as a cache of an RV32 core and an L2 ask for it.
    pub beat: u8,
    /// Each further word of a burst that is written, as an L2 does with a line.
    pub write_beat: u8,
}

/// How well the timing of a memory is known; a figure that relies on the memory relies on that.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Evidence {
    /// As well as the rules of the core: its chip was measured, or it is an ideal memory of no chip.
    #[default]
    Unstated,
    /// The maker's documents say so (rule `memory-documented`).
    Documented,
    /// Inferred timing (rule `memory-inferred`).
    Inferred,
}

/// Cost and destination of an access: two accesses of the same profile have the same timing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Profile {
    /// Wait states.
    pub wait: WaitStates,
    /// Its port on the bus matrix.
    pub slave: Slave,
    /// The part of the address space, in units of 256 MiB (all of the code space counts as 0), and in the upper four bits which
    /// of the memories there.
    pub area: u8,
    /// How well its timing is known.
    pub evidence: Evidence,
}

impl Profile {
    /// The core's private peripheral bus: no wait states, no contention.
    pub const PRIVATE: Profile = Profile {
        wait: WaitStates {
            fetch: 0,
            read: 0,
            write: 0,
            grant: 0,
            beat: 0,
            write_beat: 0,
        },
        slave: Slave(u8::MAX),
        area: 0xe,
        evidence: Evidence::Unstated,
    };
}

/// The part of the address space that an address lies in, as in [`Profile::area`].
pub fn area(address: u32) -> u8 {
    match (address >> 28) as u8 {
        0 | 1 => 0,
        area => area,
    }
}

/// Whether it matters there which memory it is: in the code space, and where RAM is.
#[inline]
pub(crate) fn has_memories(area: u8) -> bool {
    matches!(area, 0 | 2)
}

/// Index of a [`Profile`] on its bus.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct ProfileId(pub u8);

impl ProfileId {
    /// [`Profile::PRIVATE`].
    pub const PRIVATE: ProfileId = ProfileId(0);
    /// No profile.
    pub const NONE: ProfileId = ProfileId(u8::MAX);
}

/// A named part of the address space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// As the board calls it.
    pub name: Arc<str>,
    /// First address.
    pub base: u32,
    /// Length in bytes; a region ends at the latest with the address space.
    pub size: u32,
    /// Wait states of an access.
    pub wait: WaitStates,
    /// Its port on the bus matrix.
    pub slave: Slave,
    /// How well its timing is known.
    pub evidence: Evidence,
}

impl Region {
    /// A part of the address space without wait states, on the bus matrix's first slave.
    pub fn new(name: impl Into<Arc<str>>, base: u32, size: u32) -> Self {
        Region {
            name: name.into(),
            base,
            size,
            wait: WaitStates::default(),
            slave: Slave::default(),
            evidence: Evidence::Unstated,
        }
    }

    /// Whether `address` lies inside.
    pub fn contains(&self, address: u32) -> bool {
        address.wrapping_sub(self.base) < self.size
    }

    /// Whether any byte of `base .. base + size` lies inside.
    pub fn overlaps(&self, base: u32, size: u32) -> bool {
        let (first, last) = (u64::from(self.base), u64::from(self.base) + u64::from(self.size));
        first < u64::from(base) + u64::from(size) && u64::from(base) < last
    }

    /// The timing profile of an access.
    pub fn profile(&self) -> Profile {
        Profile {
            wait: self.wait,
            slave: self.slave,
            area: self.area(),
            evidence: self.evidence,
        }
    }

    /// See [`Profile::area`].
    #[inline]
    pub(crate) fn area(&self) -> u8 {
        let area = area(self.base);
        let memory = if has_memories(area) { self.slave.0 & 7 } else { 0 };
        area | memory << 4
    }

    pub(crate) fn device_error(&self, error: crate::DeviceError) -> BusError {
        match error {
            crate::DeviceError::Bus => BusError::Slave,
            crate::DeviceError::NotModelled(what) => BusError::NotModelled {
                region: Arc::clone(&self.name),
                what: what.into(),
                instead: SuggestedStub::ThereToo,
            },
        }
    }
}

/// Why an access failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BusError {
    /// The board describes nothing at this address: the run must stop, not guess.
    Unmapped,
    /// A write to read-only memory: a bus fault.
    ReadOnly,
    /// The slave answers with an error: a bus fault.
    Slave,
    /// The device exists but does not model the request: the run must stop.
    NotModelled {
        /// The device's name on the board.
        region: Arc<str>,
        /// The request, in words.
        what: Arc<str>,
        /// Where a stub could answer instead.
        instead: SuggestedStub,
    },
}

impl BusError {
    /// Drops the suggested stub, if no access caused the error: a stub in place of a device would not help.
    pub(crate) fn without_stub(mut self) -> BusError {
        if let BusError::NotModelled { instead, .. } = &mut self
            && *instead == SuggestedStub::ThereToo
        {
            *instead = SuggestedStub::Nowhere;
        }
        self
    }
}

/// Where a stub could answer, in place of a device that does not model a request, so that the run continues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SuggestedStub {
    /// At the address of the access.
    ThereToo,
    /// At the address where a master found nothing.
    At(u32),
    /// Nowhere: it was no access that the device refused.
    Nowhere,
}
