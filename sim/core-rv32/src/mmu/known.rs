//! Translations that hold as long as no table is walked and no register changes.

use super::{ENTRIES, Purpose, TlbEntry};
use crate::config::Protection;
use crate::core::Core;
use crate::pmp::Pmp;

/// Everything that decides where fetches go and whether they may, apart from the privilege.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Guard {
    /// The translations that are known, if there is any.
    entries: Option<[TlbEntry; ENTRIES]>,
    sum: bool,
    pmp: Pmp,
}

/// Pages, by number modulo [`PLACES`], of which it was found out where they are, all of them, and that they may be loaded from
/// or stored to.
#[derive(Clone, Debug)]
pub(crate) struct KnownPages([[KnownPage; PLACES]; 2]);

const PLACES: usize = 16;

/// The number of a page, `NO_PAGE` for none, and its address on the bus.
type KnownPage = (u32, u32);

const NO_PAGE: u32 = u32::MAX;

impl KnownPages {
    pub(crate) fn new() -> KnownPages {
        KnownPages([[(NO_PAGE, 0); PLACES]; 2])
    }

    #[inline]
    fn of(&mut self, address: u32, purpose: Purpose) -> &mut KnownPage {
        &mut self.0[usize::from(purpose.writes())][(address >> PAGE_BITS) as usize % PLACES]
    }
}

const PAGE_BITS: u32 = 12;

impl Core {
    /// Forgets the places of pages.
    pub(crate) fn forget_places(&mut self) {
        self.places = KnownPages::new();
    }

    /// The current conditions of fetches.
    pub(crate) fn guard(&self) -> Guard {
        let translates = self.translates(Purpose::Fetch);
        Guard {
            entries: translates.then_some(self.mmu.fetch.entries),
            sum: self.csrs.status.sum,
            pmp: self.csrs.pmp.clone(),
        }
    }

    /// The bus address of a permitted load or store of `size` bytes in one page, if it needs no walk or other action first.
    #[inline]
    pub(crate) fn place_at_once(&mut self, address: u32, size: u32, purpose: Purpose) -> Option<u32> {
        if !self.indirect {
            return Some(address);
        }
        let (page, to) = *self.places.of(address, purpose);
        if page == address >> PAGE_BITS {
            return Some(to | address & ((1 << PAGE_BITS) - 1));
        }
        self.find_place(address, size, purpose)
    }

    fn find_place(&mut self, address: u32, size: u32, purpose: Purpose) -> Option<u32> {
        let physical = self.place_known(address, size, purpose)?;
        let page = physical >> PAGE_BITS << PAGE_BITS;
        let ignored = self.csrs.pmp.ignores(self.effective(purpose));
        if ignored || self.csrs.pmp.is_uniform(page, page | ((1 << PAGE_BITS) - 1)) {
            *self.places.of(address, purpose) = (address >> PAGE_BITS, page);
        }
        Some(physical)
    }

    fn place_known(&self, address: u32, size: u32, purpose: Purpose) -> Option<u32> {
        let physical = if self.translates(purpose) {
            let entry = self.mmu.data.find(address)?;
            let known =
                !entry.refused && !self.lacks_mark(&entry, purpose) && self.may_access(entry.flags, purpose);
            known.then(|| entry.physical(address))?
        } else {
            address
        };
        let heeded = self.config.protection != Protection::VexRiscv || !self.config.leaves_alone(physical);
        let privilege = self.effective(purpose);
        let allowed = !heeded || self.csrs.pmp.allows(physical, size, purpose, privilege);
        allowed.then_some(physical)
    }
}
