//! Translation of an instruction's address to the bus address: Sv32 (privileged ISA manual 4.3), and its access rights.
//!
//! A few entries cache the tables' contents, separately for fetches and data. SFENCE.VMA and a write of `satp` flush them.
//!
//! `VexRiscv`'s `MmuPlugin` differs from the manual: it has no accessed and dirty bits; it caches a failed walk until the next trap or
//! return; `mstatus.SUM` applies to fetches too; MPRV in machine mode translates, but requires neither user nor supervisor pages; and a
//! pointer in the last table makes it walk for ever, which stops the run.

mod known;
mod locate;

pub(crate) use known::{Guard, KnownPages};

use crate::config::{Protection, Translation};
use crate::core::{Core, NotModelled, Refusal};
use crate::trap::{Cause, Privilege, Trap};

/// The purpose of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    Fetch,
    Load,
    Store,
    /// Read, change and write.
    Modify,
    /// A pipeline's walk for data, before it is known what is done with them.
    Ahead,
}

impl Purpose {
    fn page_fault(self) -> Cause {
        match self {
            Purpose::Fetch => Cause::InstructionPage,
            Purpose::Load | Purpose::Ahead => Cause::LoadPage,
            Purpose::Store | Purpose::Modify => Cause::StorePage,
        }
    }

    fn access_fault(self) -> Cause {
        match self {
            Purpose::Fetch => Cause::InstructionAccess,
            Purpose::Load | Purpose::Ahead => Cause::LoadAccess,
            Purpose::Store | Purpose::Modify => Cause::StoreAccess,
        }
    }

    fn writes(self) -> bool {
        matches!(self, Purpose::Store | Purpose::Modify)
    }

    fn reads(self) -> bool {
        matches!(self, Purpose::Load | Purpose::Modify)
    }
}

/// Bits of an entry of a table.
const VALID: u32 = 1;
const READ: u32 = 1 << 1;
const WRITE: u32 = 1 << 2;
const EXECUTE: u32 = 1 << 3;
const USER: u32 = 1 << 4;
const ACCESSED: u32 = 1 << 6;
const DIRTY: u32 = 1 << 7;

/// The mode bit of `satp`.
const TRANSLATES: u32 = 1 << 31;

/// A translation that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TlbEntry {
    valid: bool,
    /// The walk ended in a fault (`VexRiscv` only).
    refused: bool,
    /// The address bits that it translates: those of a page, or of 4 MiB.
    mask: u32,
    from: u32,
    to: u32,
    /// Of the table's entry.
    flags: u32,
}

/// The meaning of a table entry.
enum EntryMeaning {
    /// The end of the walk.
    Entry(TlbEntry),
    /// The next table.
    Table(u64),
}

/// Entries of a buffer.
const ENTRIES: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Tlb {
    entries: [TlbEntry; ENTRIES],
    /// The one to be replaced next.
    next: usize,
}

/// The cached translations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mmu {
    fetch: Tlb,
    data: Tlb,
    /// A pipeline walks the tables, when it is time to, and says what is known.
    pub(crate) is_observed: bool,
}

impl Mmu {
    pub(crate) fn new() -> Mmu {
        let entry = TlbEntry {
            valid: false,
            refused: false,
            mask: 0,
            from: 0,
            to: 0,
            flags: 0,
        };
        let buffer = Tlb {
            entries: [entry; ENTRIES],
            next: 0,
        };
        Mmu {
            fetch: buffer,
            data: buffer,
            is_observed: false,
        }
    }

    fn buffer(&mut self, purpose: Purpose) -> &mut Tlb {
        match purpose {
            Purpose::Fetch => &mut self.fetch,
            _ => &mut self.data,
        }
    }

    fn entries(&mut self) -> impl Iterator<Item = &mut TlbEntry> {
        self.fetch.entries.iter_mut().chain(&mut self.data.entries)
    }

    /// Forgets everything.
    pub(crate) fn flush(&mut self) {
        self.entries().for_each(|entry| entry.valid = false);
    }

    /// Forgets the walks that ended in a fault.
    pub(crate) fn forget_refused(&mut self) {
        self.entries().for_each(|entry| entry.valid &= !entry.refused);
    }
}

impl TlbEntry {
    /// The bus address of an address in its page.
    fn physical(&self, address: u32) -> u32 {
        self.to & self.mask | address & !self.mask
    }
}

impl Tlb {
    fn find(&self, address: u32) -> Option<TlbEntry> {
        let matches = |entry: &&TlbEntry| entry.valid && (address ^ entry.from) & entry.mask == 0;
        self.entries.iter().find(matches).copied()
    }

    /// Keeps an entry in place of an older one; one that translates the same page, first.
    fn keep(&mut self, entry: TlbEntry) {
        let same = |known: &TlbEntry| known.valid && known.from == entry.from && known.mask == entry.mask;
        let place = self.entries.iter().position(same).unwrap_or_else(|| {
            let place = self.next;
            self.next = (place + 1) % ENTRIES;
            place
        });
        self.entries[place] = entry;
    }
}

impl Core {
    /// The address on the bus of an access of `size` bytes, which do not reach over the end of a page.
    #[inline]
    pub(crate) fn physical(&mut self, address: u32, size: u32, purpose: Purpose) -> Result<u32, Refusal> {
        if self.guarded {
            self.guarded(address, size, purpose)
        } else {
            Ok(address)
        }
    }

    fn guarded(&mut self, address: u32, size: u32, purpose: Purpose) -> Result<u32, Refusal> {
        let physical = if self.translates(purpose) {
            self.translated(address, purpose)?
        } else {
            address
        };
        let privilege = self.effective(purpose);
        // VexRiscv's data cache does not heed it where it does not cache.
        let heeded = self.config.protection != Protection::VexRiscv
            || purpose == Purpose::Fetch
            || !self.config.leaves_alone(physical);
        if !heeded || self.csrs.pmp.allows(physical, size, purpose, privilege) {
            Ok(physical)
        } else {
            Err(Trap::new(purpose.access_fault(), address).into())
        }
    }

    /// Whether every address goes to the bus as it is, as long as neither control registers nor the privilege change.
    pub(crate) fn is_direct(&self) -> bool {
        let direct = |purpose| !self.translates(purpose) && self.csrs.pmp.ignores(self.effective(purpose));
        !self.guarded || [Purpose::Fetch, Purpose::Load].into_iter().all(direct)
    }

    /// The privilege that counts: MPRV puts another in its place for data (manual 3.1.6.3).
    fn effective(&self, purpose: Purpose) -> Privilege {
        let status = &self.csrs.status;
        if status.mprv && purpose != Purpose::Fetch && self.config.quirks().modifies_privilege() {
            Privilege::from_bits(status.mpp.into())
        } else {
            self.privilege
        }
    }

    fn translates(&self, purpose: Purpose) -> bool {
        if self.csrs.satp & TRANSLATES == 0 {
            return false;
        }
        let status = &self.csrs.status;
        match self.config.translation {
            Translation::None => false,
            Translation::Sv32 => self.effective(purpose) < Privilege::Machine,
            Translation::VexRiscv => {
                let borrowed = purpose != Purpose::Fetch && status.mprv && status.mpp != 3;
                self.privilege < Privilege::Machine || borrowed
            }
        }
    }

    fn translated(&mut self, address: u32, purpose: Purpose) -> Result<u32, Refusal> {
        let known = self.mmu.buffer(purpose).find(address);
        let entry = match known {
            Some(entry) if !self.lacks_mark(&entry, purpose) && !self.is_vague(&entry) => entry,
            _ => {
                let entry = self.walk(address, purpose)?;
                if !self.mmu.is_observed || known.is_some() {
                    self.mmu.buffer(purpose).keep(entry);
                }
                entry
            }
        };
        if entry.refused || !self.may_access(entry.flags, purpose) {
            return Err(Trap::new(purpose.page_fault(), address).into());
        }
        Ok(entry.physical(address))
    }

    /// Whether the table's entry is to be marked as accessed, or dirty, before this access.
    fn lacks_mark(&self, entry: &TlbEntry, purpose: Purpose) -> bool {
        let marks = marks(purpose);
        self.config.translation == Translation::Sv32
            && entry.flags & marks != marks
            && !entry.refused
            && self.may_access(entry.flags, purpose)
    }

    /// In the manual's version the tables decide which fault a walk ends in, and no entry keeps that.
    fn is_vague(&self, entry: &TlbEntry) -> bool {
        self.config.translation == Translation::Sv32 && entry.refused
    }

    fn may_access(&self, flags: u32, purpose: Purpose) -> bool {
        let status = &self.csrs.status;
        let user_page = flags & USER != 0;
        let manual = self.config.translation == Translation::Sv32;
        let privilege = self.effective(purpose);
        let of_mode = match privilege {
            Privilege::User => user_page,
            Privilege::Supervisor => !user_page || status.sum && !(manual && purpose == Purpose::Fetch),
            Privilege::Machine => true,
        };
        let readable = flags & READ != 0 || status.mxr && flags & EXECUTE != 0;
        of_mode
            && (purpose != Purpose::Fetch || flags & EXECUTE != 0)
            && (!purpose.reads() || readable)
            && (!purpose.writes() || flags & WRITE != 0)
    }

    /// Walks the tables.
    #[cold]
    fn walk(&mut self, address: u32, purpose: Purpose) -> Result<TlbEntry, Refusal> {
        let mut place = self.first_place(address);
        for level in [1, 0] {
            match self.read_entry(address, level, place, purpose)? {
                EntryMeaning::Entry(entry) => return Ok(entry),
                EntryMeaning::Table(table) => place = table + index(address, 0),
            }
        }
        match self.config.translation {
            Translation::VexRiscv => Err(Refusal::NotModelled(NotModelled::EndlessWalk { address })),
            _ => Err(Trap::new(purpose.page_fault(), address).into()),
        }
    }

    /// The address of the first table entry for an address.
    fn first_place(&self, address: u32) -> u64 {
        (u64::from(self.csrs.satp & 0x003f_ffff) << 12) + index(address, 1)
    }

    /// Reads and interprets the entry at `place` of a table of this level.
    fn read_entry(
        &mut self,
        address: u32,
        level: u32,
        place: u64,
        purpose: Purpose,
    ) -> Result<EntryMeaning, Refusal> {
        let Some(found) = self.table_entry(place) else {
            return match self.config.translation {
                Translation::VexRiscv => Ok(EntryMeaning::Entry(refused(address, level))),
                _ => Err(Trap::new(purpose.access_fault(), address).into()),
            };
        };
        if found & VALID == 0 || found & (READ | WRITE) == WRITE {
            let fault = Trap::new(purpose.page_fault(), address);
            return self.ends_badly(address, level, fault).map(EntryMeaning::Entry);
        }
        if found & (READ | EXECUTE) != 0 {
            return self
                .leaf(address, level, place, found, purpose)
                .map(EntryMeaning::Entry);
        }
        Ok(EntryMeaning::Table(u64::from(found >> 10) << 12))
    }

    /// An entry of a table, if it can be read.
    fn table_entry(&self, place: u64) -> Option<u32> {
        let vexriscv = self.config.translation == Translation::VexRiscv;
        let place = if vexriscv {
            place as u32
        } else {
            u32::try_from(place).ok()?
        };
        let pmp = &self.csrs.pmp;
        let allowed = pmp.allows(place, 4, Purpose::Load, Privilege::Supervisor);
        allowed.then(|| self.bus.peek_word(place)).flatten()
    }

    fn ends_badly(&self, address: u32, level: u32, fault: Trap) -> Result<TlbEntry, Refusal> {
        match self.config.translation {
            Translation::VexRiscv => Ok(refused(address, level)),
            _ => Err(fault.into()),
        }
    }

    fn leaf(
        &mut self,
        address: u32,
        level: u32,
        place: u64,
        found: u32,
        purpose: Purpose,
    ) -> Result<TlbEntry, Refusal> {
        let fault = Trap::new(purpose.page_fault(), address);
        if level == 1 && found >> 10 & 0x3ff != 0 {
            return self.ends_badly(address, level, fault);
        }
        let mut entry = TlbEntry {
            valid: true,
            refused: false,
            mask: mask(level),
            from: address & mask(level),
            to: (found >> 10) << 12,
            flags: found & 0xff,
        };
        if self.config.translation == Translation::Sv32 && purpose != Purpose::Ahead {
            if !self.may_access(found, purpose) {
                return Err(fault.into());
            }
            let beyond = found >> 30 != 0;
            let marks = marks(purpose);
            if beyond || !self.mark(place as u32, found, marks) {
                return Err(Trap::new(purpose.access_fault(), address).into());
            }
            entry.flags |= marks;
        }
        Ok(entry)
    }

    /// Sets bits of an entry of a table, as supervisor mode would.
    fn mark(&mut self, place: u32, found: u32, marks: u32) -> bool {
        let marked = found | marks;
        let pmp = &self.csrs.pmp;
        marked == found
            || pmp.allows(place, 4, Purpose::Store, Privilege::Supervisor)
                && self.bus.is_memory(place)
                && self.bus.write(place, 4, marked, 0).is_ok()
    }
}

/// The bits that an access sets in its page's entry.
fn marks(purpose: Purpose) -> u32 {
    ACCESSED | if purpose.writes() { DIRTY } else { 0 }
}

/// The offset of the entry for an address in a table of this level.
fn index(address: u32, level: u32) -> u64 {
    u64::from(address >> (12 + 10 * level) & 0x3ff) * 4
}

/// The bits that a table of this level translates.
fn mask(level: u32) -> u32 {
    u32::MAX << (12 + 10 * level)
}

fn refused(address: u32, level: u32) -> TlbEntry {
    TlbEntry {
        valid: true,
        refused: true,
        mask: mask(level),
        from: address & mask(level),
        to: 0,
        flags: 0,
    }
}
