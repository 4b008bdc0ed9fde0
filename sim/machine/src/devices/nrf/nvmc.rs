//! NVMC (nRF52840 PS 4.3, nRF51 RM 6.1): lets the program write words of flash and UICR, and erase them. The core goes on meanwhile and sees READY
//! clear, where a real one waits at its next access to flash.

use std::collections::VecDeque;

use bus::{ClockId, Device, DeviceError, Effect};
use serde::Deserialize;

use crate::devices::{Around, Settings, Ticks, not_modelled};

const READY: u32 = 0x400;
const READYNEXT: u32 = 0x408;
const CONFIG: u32 = 0x504;
/// The page that is erased, by an address in it; the nRF51 calls the two ERASEPCR1 and ERASEPCR0.
const ERASEPAGE: u32 = 0x508;
const ERASEPCR0: u32 = 0x510;
const ERASEALL: u32 = 0x50c;
const ERASEUICR: u32 = 0x514;

/// CONFIG: writing, erasing.
const WEN: u32 = 1;
const EEN: u32 = 2;

const UICR: u32 = 0x1000_1000;

/// What a board file says of it.
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
#[derive(Clone)]
pub(crate) struct Nvmc {
    ticks: Ticks,
    page: u32,
    /// Of a word, a page, all.
    microseconds: [u32; 3],
    config: u32,
    /// The core cycle in which it is ready again.
    ready: u64,
    effects: VecDeque<Effect>,
    note: Option<String>,
    /// The cycle of the access under way.
    now: u64,
}

impl Nvmc {
    fn new(page: u32, microseconds: [u32; 3]) -> Nvmc {
        Nvmc {
            ticks: Ticks::fixed(1_000_000),
            page,
            microseconds,
            config: 0,
            ready: 0,
            effects: VecDeque::new(),
            note: None,
            now: 0,
        }
    }

    fn takes(&mut self, which: usize, now: u64) {
        self.ticks.restart(self.ready.max(now));
        self.ready = self.ticks.cycle_of(self.microseconds[which].into());
    }

    fn erase(&mut self, address: u32, size: u32, which: usize) {
        if self.config != EEN {
            self.note = Some("NVMC: an erase while CONFIG does not enable it: nothing comes of it".into());
            return;
        }
        self.effects.push_back(Effect::Erase { address, size });
        self.takes(which, self.now);
    }
}

impl Device for Nvmc {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        match offset & !3 {
            READY | READYNEXT => Ok((self.ready <= now).into()),
            CONFIG => Ok(self.config),
            ERASEPAGE | ERASEPCR0 | ERASEALL | ERASEUICR => Ok(0),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.now = now;
        match offset & !3 {
            CONFIG if value <= EEN => {
                self.config = value;
                self.effects.push_back(Effect::Programming(value == WEN));
            }
            ERASEPAGE | ERASEPCR0 => self.erase(value & !(self.page - 1), self.page, 1),
            ERASEALL if value == 1 => self.erase(0, u32::MAX, 2),
            ERASEUICR if value == 1 => self.erase(UICR, self.page, 1),
            ERASEALL | ERASEUICR if value == 0 => {}
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        match effect {
            Effect::Clock(ClockId::CORE, _) => self.ticks.hear(effect),
            Effect::Programmed => self.takes(0, now),
            _ => {}
        }
        Ok(())
    }

    fn note(&mut self) -> Option<String> {
        self.note.take()
    }
}
