//! How long a transfer to a memory takes: its wait states, or what the flash interface or the L2 before it makes of them. Cores that
//! ask for one transfer after the other ask here. A Cortex-M asks its flash interface itself ([`Bus::flash_mut`]), word by word
//! and ahead of what it needs.

use crate::{Access, Bus, Flash, Jitter, L2, Latency, Transfer, WaitStates};

impl Bus {
    /// Sets the wait states of a transfer to an address where nothing answers; by default it answers at once.
    pub fn set_wait_elsewhere(&mut self, wait: WaitStates) {
        self.elsewhere = wait;
    }

    /// Makes transfers longer at some times.
    pub fn set_jitter(&mut self, jitter: Option<Jitter>) {
        self.jitter = jitter;
    }

    /// Whether the duration of a transfer depends on earlier ones or on its cycle: with a cache, or a flash with wait states.
    #[inline]
    pub fn has_caches(&self) -> bool {
        !self.caches.is_empty() || self.jitter.is_some() || self.flash.as_ref().is_some_and(Flash::is_timed)
    }

    /// How long a transfer takes that begins now. It is to be asked once for each, in the order of their first cycles.
    pub fn transfer(&mut self, transfer: Transfer) -> Latency {
        let latency = self.undisturbed(transfer);
        match self.jitter {
            None => latency,
            Some(jitter) => latency.longer(|word| jitter.delay(transfer.port, transfer.start, word)),
        }
    }

    fn undisturbed(&mut self, transfer: Transfer) -> Latency {
        let Some(index) = self.memory_index(transfer.address, 1) else {
            let mapped = self.find_device(transfer.address);
            let wait = mapped.map(|index| self.devices[index].region.wait);
            return wait.unwrap_or(self.elsewhere).latency(transfer.access);
        };
        let memory = &self.memories[index];
        let wait = memory.region().wait;
        if let Some(cache) = memory.cache() {
            return self.caches[cache].transfer(&transfer, wait);
        }
        let flash = self.flash.as_mut().filter(|_| transfer.access != Access::Write);
        let served = flash.and_then(|flash| flash.transfer(&transfer));
        served.unwrap_or_else(|| wait.latency(transfer.access))
    }

    /// Whether these transfers, in the order of their first cycles, take just as long. If so they are made; else none of them is.
    pub fn transfers_take(&mut self, transfers: impl IntoIterator<Item = (Transfer, Latency)>) -> bool {
        self.caches.iter_mut().for_each(L2::begin_trial);
        self.tried = self.flash.as_ref().filter(|flash| flash.is_timed()).cloned();
        let takes = |(transfer, latency)| self.transfer(transfer) == latency;
        let made = transfers.into_iter().all(takes);
        self.caches.iter_mut().for_each(L2::end_trial);
        if !made {
            self.take_back_transfers();
        }
        made
    }

    /// The transfers that [`Bus::transfers_take`] made last were not. Behind them there must have been no others.
    pub fn take_back_transfers(&mut self) {
        self.caches.iter_mut().for_each(L2::take_back);
        if let (Some(flash), Some(tried)) = (&mut self.flash, self.tried.take()) {
            flash.restore(&tried);
        }
    }
}
