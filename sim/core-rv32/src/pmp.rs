//! Physical memory protection (privileged ISA manual 3.7), and `VexRiscv`'s variant.
//!
//! An entry is a byte of a `pmpcfg` register and a `pmpaddr`. In the manual, the lowest-numbered entry that matches any byte of an access
//! decides; without a match, only machine mode has access. Machine mode itself obeys locked entries.
//!
//! `VexRiscv`'s `PmpPlugin` matches only naturally aligned powers of two, in steps of 256 bytes. Any matching entry can grant access,
//! whatever its number. Its Verilog makes regions a quarter of the size that the manual reads from the same `pmpaddr`.

use crate::config::Protection;
use crate::mmu::Purpose;
use crate::trap::Privilege;

const ENTRIES: usize = 16;

/// Bits of an entry's configuration.
const READ: u8 = 1;
const WRITE: u8 = 1 << 1;
const EXECUTE: u8 = 1 << 2;
const LOCKED: u8 = 1 << 7;
const LEGAL: u8 = 0x9f;

/// The addresses of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PmpRegion {
    Nothing,
    /// From the first to the last.
    Range(u32, u32),
    /// Addresses with this value under this mask.
    Bits(u32, u32),
}

/// The entries and their decoded regions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pmp {
    protection: Protection,
    configs: [u8; ENTRIES],
    addresses: [u32; ENTRIES],
    regions: [PmpRegion; ENTRIES],
    /// Any is locked, so that machine mode has to look at them.
    locked: bool,
}

impl Pmp {
    /// As after reset: all off.
    pub(crate) fn new(protection: Protection) -> Pmp {
        Pmp {
            protection,
            configs: [0; ENTRIES],
            addresses: [0; ENTRIES],
            // The Verilog does not reset its registers; they are 0 in its simulation.
            regions: [match protection {
                Protection::VexRiscv => PmpRegion::Bits(0, 0),
                Protection::None | Protection::Manual(_) => PmpRegion::Nothing,
            }; ENTRIES],
            locked: false,
        }
    }

    /// `pmpcfg` number `csr` & 3, or `pmpaddr` number `csr` & 15.
    pub(crate) fn read(&self, csr: u16) -> u32 {
        if csr & 16 != 0 {
            return self.addresses[usize::from(csr & 15)];
        }
        let first = usize::from(csr & 3) * 4;
        u32::from_le_bytes(std::array::from_fn(|place| self.configs[first + place]))
    }

    /// Writes one of them: not what is locked.
    pub(crate) fn write(&mut self, csr: u16, value: u32) {
        if csr & 16 != 0 {
            self.set_address(usize::from(csr & 15), value);
        } else {
            let first = usize::from(csr & 3) * 4;
            for (place, config) in (first..).zip(value.to_le_bytes()) {
                self.set_config(place, config);
            }
        }
        self.locked = self.configs.iter().any(|config| config & LOCKED != 0);
    }

    fn set_address(&mut self, place: usize, value: u32) {
        let below_locked = |next: u8| next & LOCKED != 0 && next >> 3 & 3 == 1;
        let follows = self.configs.get(place + 1).copied().is_some_and(below_locked);
        let manual = matches!(self.protection, Protection::Manual(_));
        if self.configs[place] & LOCKED != 0 || manual && follows {
            return;
        }
        self.addresses[place] = value;
        self.decode(place);
        // Its address may be where the next one begins.
        if place + 1 < ENTRIES && manual {
            self.decode(place + 1);
        }
    }

    fn set_config(&mut self, place: usize, value: u8) {
        if self.configs[place] & LOCKED != 0 {
            return;
        }
        match self.protection {
            Protection::None => {}
            Protection::VexRiscv => {
                self.configs[place] = value;
                // The Verilog looks at addresses anew when the entry is written, unless that has locked it.
                if value & LOCKED == 0 {
                    self.decode(place);
                }
            }
            Protection::Manual(entries) => {
                if place < usize::from(entries) {
                    // Writable but not readable is reserved.
                    let reserved = value & (READ | WRITE) == WRITE;
                    self.configs[place] = value & LEGAL & if reserved { !WRITE } else { u8::MAX };
                    self.decode(place);
                }
            }
        }
    }

    fn decode(&mut self, place: usize) {
        let address = self.addresses[place];
        self.regions[place] = match self.protection {
            Protection::None => PmpRegion::Nothing,
            Protection::VexRiscv => {
                let ones = address & !address.wrapping_add(1);
                let base = ((address ^ ones) >> 5 & 0x1ff_ffff) << 7;
                PmpRegion::Bits((!(ones >> 6) & 0x1ff_ffff) << 7, base)
            }
            Protection::Manual(_) => {
                let before = place.checked_sub(1).map_or(0, |before| self.addresses[before]);
                region(self.configs[place] >> 3 & 3, before, address)
            }
        };
    }

    /// Whether everything is allowed at this privilege.
    #[inline]
    pub(crate) fn ignores(&self, privilege: Privilege) -> bool {
        let machine = privilege == Privilege::Machine;
        self.protection == Protection::None || machine && !self.locked
    }

    /// Whether an access is allowed at this privilege.
    #[inline]
    pub(crate) fn allows(&self, address: u32, size: u32, purpose: Purpose, privilege: Privilege) -> bool {
        let machine = privilege == Privilege::Machine;
        match self.protection {
            _ if self.ignores(privilege) => true,
            Protection::None => true,
            Protection::VexRiscv => self.any_allows(address, purpose, machine),
            Protection::Manual(_) => self.first_allows(address, size, purpose, machine),
        }
    }

    /// Whether each region has all addresses of a page or none.
    pub(crate) fn is_uniform(&self, first: u32, last: u32) -> bool {
        self.regions.iter().all(|region| match *region {
            PmpRegion::Nothing => true,
            PmpRegion::Range(from, to) => last < from || first > to || from <= first && last <= to,
            PmpRegion::Bits(mask, _) => mask & (first ^ last) == 0,
        })
    }

    fn first_allows(&self, address: u32, size: u32, purpose: Purpose, machine: bool) -> bool {
        let last = address.wrapping_add(size - 1);
        for (region, config) in self.regions.iter().zip(self.configs) {
            let PmpRegion::Range(from, to) = *region else {
                continue;
            };
            if last < from || address > to {
                continue;
            }
            let within = address >= from && last <= to;
            return within
                && (machine && config & LOCKED == 0 || config & needed(purpose) == needed(purpose));
        }
        machine
    }

    fn any_allows(&self, address: u32, purpose: Purpose, machine: bool) -> bool {
        let (mut matches, mut granted) = (false, 0);
        for (region, config) in self.regions.iter().zip(self.configs) {
            let PmpRegion::Bits(mask, base) = *region else {
                continue;
            };
            let heeded = config & LOCKED != 0 || !machine;
            if heeded && config >> 3 & 3 == 3 && address & mask == base {
                matches = true;
                granted |= config;
            }
        }
        if matches {
            granted & needed(purpose) == needed(purpose)
        } else {
            machine
        }
    }
}

fn needed(purpose: Purpose) -> u8 {
    match purpose {
        Purpose::Fetch => EXECUTE,
        Purpose::Load | Purpose::Ahead => READ,
        Purpose::Store => WRITE,
        Purpose::Modify => READ | WRITE,
    }
}

/// The region of an entry with this mode, as far as 32 bits reach.
fn region(mode: u8, before: u32, address: u32) -> PmpRegion {
    let (from, to) = match mode {
        0 => return PmpRegion::Nothing,
        1 => (u64::from(before) << 2, u64::from(address) << 2),
        2 => (u64::from(address) << 2, (u64::from(address) << 2) + 4),
        _ => {
            let size = 8u64 << address.trailing_ones();
            let from = (u64::from(address) << 2) & !(size - 1);
            (from, from + size)
        }
    };
    match (u32::try_from(from), to.min(1 << 32).checked_sub(1)) {
        (Ok(from), Some(last)) if u64::from(from) <= last => PmpRegion::Range(from, last as u32),
        _ => PmpRegion::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(pmp: &Pmp, address: u32, purpose: Purpose) -> bool {
        pmp.allows(address, 4, purpose, Privilege::User)
    }

    #[test]
    fn regions_are_what_the_manual_s_table_says() {
        assert_eq!(region(0, 0, 0x400), PmpRegion::Nothing);
        assert_eq!(region(1, 0x400, 0x800), PmpRegion::Range(0x1000, 0x1fff));
        assert_eq!(region(1, 0x800, 0x800), PmpRegion::Nothing);
        assert_eq!(region(2, 0, 0x400), PmpRegion::Range(0x1000, 0x1003));
        assert_eq!(region(3, 0, 0x400), PmpRegion::Range(0x1000, 0x1007));
        assert_eq!(region(3, 0, 0x5ff), PmpRegion::Range(0x1000, 0x1fff));
        assert_eq!(region(3, 0, u32::MAX), PmpRegion::Range(0, u32::MAX));
    }

    #[test]
    fn the_first_entry_decides() {
        let mut pmp = Pmp::new(Protection::Manual(16));
        pmp.write(0x3b0, 0x1000 >> 2);
        pmp.write(0x3b1, 0x1fff_ffff);
        // The word at 0x1000: read; all: read, write, execute.
        pmp.write(0x3a0, 0x1f11);
        assert!(user(&pmp, 0x1000, Purpose::Load));
        assert!(!user(&pmp, 0x1000, Purpose::Store));
        assert!(user(&pmp, 0x1004, Purpose::Store));
        // Partly in the one and partly in the other.
        assert!(!pmp.allows(0x1002, 4, Purpose::Load, Privilege::User));
        assert!(pmp.allows(0x1000, 4, Purpose::Store, Privilege::Machine));
    }

    #[test]
    fn a_locked_entry_binds_machine_mode_and_stays() {
        let mut pmp = Pmp::new(Protection::Manual(8));
        pmp.write(0x3b1, 0x2000 >> 2);
        pmp.write(0x3a0, 0x8900);
        pmp.write(0x3a0, 0);
        pmp.write(0x3b0, 0x1000 >> 2);
        assert_eq!((pmp.read(0x3a0), pmp.read(0x3b0)), (0x8900, 0));
        let machine = |address, purpose| pmp.allows(address, 4, purpose, Privilege::Machine);
        assert!(machine(0x1000, Purpose::Load) && !machine(0x1000, Purpose::Store));
        assert!(machine(0x2000, Purpose::Store));
    }

    #[test]
    fn what_is_not_there_reads_as_nothing() {
        let mut pmp = Pmp::new(Protection::Manual(8));
        pmp.write(0x3a2, u32::MAX);
        assert_eq!(pmp.read(0x3a2), 0);
        // Writable but not readable.
        pmp.write(0x3a0, 0x62);
        assert_eq!(pmp.read(0x3a0), 0);
    }
}
