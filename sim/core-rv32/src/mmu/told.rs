//! The buffers of `VexRiscv`'s `MmuPlugin` under a pipeline that fills them: what it asks of them, and what it tells.

use isa_rv32::Insn;

use super::{Found, Purpose};
use crate::core::Core;
use crate::timing::{Located, Rights, TableEntry};

impl Core {
    /// Where a fetch of `pc` goes with what is known.
    #[inline]
    pub(crate) fn locate_fetch(&self, pc: u32) -> Located {
        if self.guarded {
            self.locate_guarded(pc)
        } else {
            Located::at(pc)
        }
    }

    fn locate_guarded(&self, pc: u32) -> Located {
        if !self.translates(Purpose::Fetch) {
            let allowed = self.csrs.pmp.allows(pc, 4, Purpose::Fetch, self.privilege);
            let rights = if allowed {
                Rights::Granted
            } else {
                Rights::NotInRegion
            };
            return Located {
                physical: Some(pc),
                rights,
            };
        }
        let entry = self.mmu.fetch.find(pc);
        let may = entry.is_none_or(|entry| !entry.refused && self.may_access(entry.flags, Purpose::Fetch));
        Located {
            physical: entry.map(|entry| entry.physical(pc)),
            rights: if may { Rights::Granted } else { Rights::NotInPage },
        }
    }

    /// Whether an access to `address` asks for a translation that is not known.
    #[inline]
    pub(crate) fn lacks_translation(&self, address: u32) -> bool {
        self.guarded && self.translates(Purpose::Load) && self.mmu.data.find(address).is_none()
    }

    /// Where the access of an instruction goes, if it may.
    #[inline]
    pub(crate) fn locate_access(&mut self, insn: &Insn, address: u32) -> Option<u32> {
        if !self.guarded || insn.access_size() == 0 {
            return Some(address);
        }
        let purpose = match (insn.is_load(), insn.is_store()) {
            (true, true) => Purpose::Modify,
            (_, true) => Purpose::Store,
            _ => Purpose::Load,
        };
        self.physical(address, insn.access_size(), purpose).ok()
    }

    /// Where the walk for `address` begins.
    pub(crate) fn first_entry(&self, address: u32) -> u32 {
        self.first_place(address) as u32
    }

    /// Takes an entry of a table: the translation is known from now on, or the next entry is at the place that it gives.
    pub(crate) fn walked(&mut self, entry: TableEntry) -> Option<u32> {
        let TableEntry {
            address,
            level,
            place,
            ..
        } = entry;
        let purpose = if entry.fetch {
            Purpose::Fetch
        } else {
            Purpose::Load
        };
        match self.read_entry(address, level, place.into(), purpose) {
            Ok(Found::Table(table)) => Some((table + super::index(address, 0)) as u32),
            Ok(Found::Entry(entry)) => {
                self.mmu.buffer(purpose).keep(entry);
                None
            }
            // Only cores whose tables are walked as the manual says refuse here.
            Err(_) => None,
        }
    }
}
