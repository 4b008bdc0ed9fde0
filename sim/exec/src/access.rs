//! Loads and stores that a sink may have asked for.

use events::{Access, Event, Ranges, RuleSet};

/// All addresses from which an access of up to four bytes may touch certain ranges: one comparison excludes most accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddressRange {
    first: u32,
    /// From the first to the last.
    length: u32,
}

impl AddressRange {
    /// The range of no addresses. It still contains the last byte of the address space, so that an access there takes the full check.
    pub const NONE: AddressRange = AddressRange {
        first: u32::MAX,
        length: 0,
    };

    /// From the first address of these to their last one.
    pub fn of(ranges: &Ranges) -> AddressRange {
        ranges.hull().map_or(AddressRange::NONE, |(first, last)| {
            let first = first.saturating_sub(3);
            AddressRange {
                first,
                length: last - first,
            }
        })
    }

    /// Whether an access at this address may touch one of the ranges.
    #[inline(always)]
    pub fn contains(self, address: u32) -> bool {
        address.wrapping_sub(self.first) <= self.length
    }

    /// Whether it is that of no ranges.
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self == AddressRange::NONE
    }
}

/// A load or store that an instruction made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accessed {
    /// Whether it is a store.
    pub writes: bool,
    /// The address of its first byte.
    pub address: u32,
    /// Its bytes: 1, 2, 4 or 8.
    pub size: u8,
    /// The loaded or stored value.
    pub value: u32,
}

impl Accessed {
    /// Whether it touches ranges of its kind, of loads or of stores.
    pub fn touches(&self, [reads, writes]: [&Ranges; 2]) -> bool {
        let ranges = if self.writes { writes } else { reads };
        ranges.touches(self.address, self.size.into())
    }

    /// The event for a sink: in cycle `cycle`, by the instruction at `pc`, with the stack pointer before that instruction and the rules
    /// since the last event.
    pub fn event(&self, cycle: u64, pc: u32, sp: u32, since: RuleSet) -> Event {
        let access = Access {
            cycle,
            pc,
            address: self.address,
            size: self.size,
            value: self.value,
            sp,
            since,
        };
        access.event(self.writes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_all_from_which_four_bytes_reach_into_it() {
        let range = AddressRange::of(&Ranges::of([(0x100, 0x103), (0x200, 0x200)]));
        for (address, inside) in [
            (0xfc, false),
            (0xfd, true),
            (0x180, true),
            (0x200, true),
            (0x201, false),
        ] {
            assert_eq!(range.contains(address), inside, "{address:#x}");
        }
        let all = AddressRange::of(&Ranges::all());
        assert!(all.contains(0) && all.contains(u32::MAX) && !all.is_none());
        let none = AddressRange::of(&Ranges::NONE);
        assert!(none.is_none() && !none.contains(0) && !none.contains(0x8000_0000));
    }
}
