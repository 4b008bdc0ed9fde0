//! The interface between the buffers of `VexRiscv`'s `MmuPlugin` and a pipeline that fills them.

use isa_rv32::Insn;

use super::{EntryMeaning, Purpose, refused};
use crate::config::Translation;
use crate::core::Core;
use crate::timing::{Located, Rights, TableEntry};

impl Core {
    /// The bus address of a fetch of `pc`, by the cached translations.
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
            return Located {
                physical: Some(pc),
                rights: self.rights_in_region(pc),
            };
        }
        let Some(entry) = self.mmu.fetch.find(pc) else {
            return Located {
                physical: None,
                rights: Rights::Granted,
            };
        };
        let physical = entry.physical(pc);
        let rights = if entry.refused || !self.may_access(entry.flags, Purpose::Fetch) {
            Rights::NotInPage
        } else {
            self.rights_in_region(physical)
        };
        Located {
            physical: Some(physical),
            rights,
        }
    }

    fn rights_in_region(&self, physical: u32) -> Rights {
        let word = physical & !3;
        if self.csrs.pmp.allows(word, 4, Purpose::Fetch, self.privilege) {
            Rights::Granted
        } else {
            Rights::NotInRegion
        }
    }

    /// The bus address of the second half of an instruction at `pc` that may reach into another page.
    #[inline]
    pub(crate) fn other_page(&mut self, pc: u32) -> Option<u32> {
        let crosses = self.guarded && pc & 0xfff == 0xffe && self.translates(Purpose::Fetch);
        crosses
            .then(|| self.physical(pc.wrapping_add(2), 2, Purpose::Fetch).ok())
            .flatten()
    }

    /// Whether an access to `address` asks for a translation that is not known.
    #[inline]
    pub(crate) fn lacks_translation(&self, address: u32) -> bool {
        self.guarded && self.translates(Purpose::Load) && self.mmu.data.find(address).is_none()
    }

    /// The bus address of an instruction's access, if permitted.
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

    /// The bus address of a refused access to `address`, if known.
    pub(crate) fn placed(&self, address: u32) -> u32 {
        let known = if self.guarded && self.translates(Purpose::Load) {
            self.mmu.data.find(address)
        } else {
            None
        };
        known.map_or(address, |entry| entry.physical(address))
    }

    /// The address of the first table entry for `address`.
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
            Purpose::Ahead
        };
        match self.read_entry(address, level, place.into(), purpose) {
            Ok(EntryMeaning::Table(_)) if level == 0 && self.config.translation == Translation::Sv32 => {
                self.mmu.buffer(purpose).keep(refused(address, level));
                None
            }
            Ok(EntryMeaning::Table(table)) => Some((table + super::index(address, 0)) as u32),
            Ok(EntryMeaning::Entry(entry)) => {
                self.mmu.buffer(purpose).keep(entry);
                None
            }
            // By the manual a walk just ends; here the pipeline is to notice it when it asks again.
            Err(_) => {
                self.mmu.buffer(purpose).keep(refused(address, level));
                None
            }
        }
    }
}
