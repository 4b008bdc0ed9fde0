//! NVMC (nRF52840 PS 4.3, nRF51 RM 6.1): lets the program write words of flash and UICR, and erase them. The core goes on meanwhile and sees READY
//! clear, where a real one waits at its next access to flash.

use std::collections::VecDeque;

use bus::{ClockId, Device, DeviceError, Effect};
use serde::Deserialize;

use crate::devices::block::{Peripheral, Regs, Write, about, registers};
use crate::devices::{Around, Settings, Ticks, not_modelled};

about! { Nvmc by NvmcSettings, D,
    "nRF52840 PS 4.3; nRF51 RM 6.1",
    "writes words of flash and UICR, erases pages; READY is clear for the time of the data sheet",
    "the core's wait at its next access to flash; partial erasing"
}

registers! { Nvmc;
    READY     = 0x400 .shows(|nvmc, at| (nvmc.ready <= at.now).into());
    READYNEXT = 0x408 .shows(|nvmc, at| (nvmc.ready <= at.now).into());
    CONFIG    = 0x504 .write(3).refuse(!3, "").tries(Nvmc::configure);
    // The page that is erased, by an address in it; the nRF51 calls the two ERASEPCR1 and ERASEPCR0.
    ERASEPAGE = 0x508 .then(Nvmc::erase_page);
    ERASEALL  = 0x50c .refuse(!1, "").then(|nvmc, write| nvmc.erase_if(0, u32::MAX, 2, write));
    ERASEPCR0 = 0x510 .then(Nvmc::erase_page);
    ERASEUICR = 0x514 .refuse(!1, "").then(|nvmc, write| nvmc.erase_if(UICR, nvmc.page, 1, write));
}

/// CONFIG: writing, erasing.
const WEN: u32 = 1;
const EEN: u32 = 2;

const UICR: u32 = 0x1000_1000;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NvmcSettings {
    /// Bytes of a page.
    page: u32,
    /// Microseconds that a word takes, a page or UICR, and all.
    write_us: u32,
    erase_page_us: u32,
    erase_all_us: u32,
}

impl Settings for NvmcSettings {
    fn device(&self, _around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        if !self.page.is_power_of_two() {
            return Err("`page` is a power of two".into());
        }
        let microseconds = [self.write_us, self.erase_page_us, self.erase_all_us];
        Ok(Box::new(Nvmc::new(self.page, microseconds)))
    }
}

/// The controller.
#[derive(Clone, Default)]
pub(crate) struct Nvmc {
    regs: Regs<Self>,
    ticks: Ticks,
    page: u32,
    /// Durations for a word, a page and everything.
    microseconds: [u32; 3],
    /// The core cycle in which it is ready again.
    ready: u64,
    effects: VecDeque<Effect>,
    note: Option<String>,
}

impl Nvmc {
    fn new(page: u32, microseconds: [u32; 3]) -> Nvmc {
        Nvmc {
            ticks: Ticks::fixed(1_000_000),
            page,
            microseconds,
            ..Nvmc::default()
        }
    }

    fn takes(&mut self, which: usize, now: u64) {
        self.ticks.restart(self.ready.max(now));
        self.ready = self.ticks.cycle_of(self.microseconds[which].into());
    }

    fn configure(&mut self, write: Write) -> Result<(), DeviceError> {
        if write.value > EEN {
            return not_modelled(format!("CONFIG, a write of {:#x}", write.value));
        }
        let writes = write.value == WEN;
        self.effects.push_back(Effect::Programming(writes));
        Ok(())
    }

    fn erase(&mut self, address: u32, size: u32, which: usize, now: u64) {
        if self.regs[CONFIG] != EEN {
            self.note = Some("NVMC: an erase while CONFIG does not enable it: nothing comes of it".into());
            return;
        }
        self.effects.push_back(Effect::Erase { address, size });
        self.takes(which, now);
    }

    fn erase_page(&mut self, write: Write) {
        self.erase(write.value & !(self.page - 1), self.page, 1, write.now);
    }

    fn erase_if(&mut self, address: u32, size: u32, which: usize, write: Write) {
        if write.value == 1 {
            self.erase(address, size, which, write.now);
        }
    }
}

impl Peripheral for Nvmc {
    fn effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn heard(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        match effect {
            Effect::Clock(ClockId::CORE, _) => self.ticks.hear(effect),
            Effect::Programmed => self.takes(0, now),
            _ => {}
        }
        Ok(())
    }

    fn remark(&mut self) -> Option<String> {
        self.note.take()
    }
}
