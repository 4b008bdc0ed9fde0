//! What is known of addresses as long as no table is walked and no register changes.

use super::{ENTRIES, Entry, Purpose};
use crate::config::Protection;
use crate::core::Core;
use crate::pmp::Pmp;

/// Everything that decides where fetches go and whether they may, apart from the privilege.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Guard {
    /// The translations that are known, if there is any.
    entries: Option<[Entry; ENTRIES]>,
    sum: bool,
    pmp: Pmp,
}

impl Core {
    /// What decides about fetches at present.
    pub(crate) fn guard(&self) -> Guard {
        let translates = self.translates(Purpose::Fetch);
        Guard {
            entries: translates.then_some(self.mmu.fetch.entries),
            sum: self.csrs.status.sum,
            pmp: self.csrs.pmp.clone(),
        }
    }

    /// Where a load or store goes that may, with nothing to be done or found out before.
    #[inline]
    pub(crate) fn place_at_once(&self, address: u32, size: u32, purpose: Purpose) -> Option<u32> {
        if self.indirect {
            self.place_known(address, size, purpose)
        } else {
            Some(address)
        }
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
