//! RNG (nRF52840 PS 6.19): a byte every 30 microseconds, or every 120 with bias correction (typical times). The bytes are the same in every run.

use bus::{Device, DeviceError};

use super::{Frame, framed};
use crate::devices::block::{Peripheral, Regs, about};
use crate::devices::words::Xorshift;
use crate::devices::{Around, Ticks, not_modelled};

about! { Random, B,
    "nRF52840 PS 6.19",
    "a byte every 30 µs, or 120 µs with bias correction (typical); the same in every run",
    ""
}

framed! { Random frame;
    CONFIG = 0x504 .write(1);
    VALUE  = 0x508;
}

const START: u32 = 0;
const STOP: u32 = 1;
const VALRDY: u32 = 0;
/// SHORTS: VALRDY stops it.
const VALRDY_STOP: u32 = 1;

/// The generator.
#[derive(Clone, Default)]
pub(crate) struct Random {
    regs: Regs<Self>,
    frame: Frame,
    ticks: Ticks,
    next: Option<u64>,
    numbers: Xorshift,
}

impl Random {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(Random {
            frame: Frame::new(around.base, around.irq),
            ticks: Ticks::fixed(1_000_000),
            ..Random::default()
        })
    }

    fn begin(&mut self, now: u64) {
        self.ticks.restart(now);
        let after = if self.regs[CONFIG] == 0 { 30 } else { 120 };
        self.next = Some(self.ticks.cycle_of(after));
    }

    fn task(&mut self, task: u32, now: u64) -> Result<(), DeviceError> {
        match task {
            START => self.begin(now),
            STOP => self.next = None,
            _ => return not_modelled(format!("task {task}")),
        }
        Ok(())
    }
}

impl Peripheral for Random {
    fn advance(&mut self, now: u64) {
        while let Some(due) = self.next
            && due <= now
        {
            self.regs[VALUE] = self.numbers.next() & 0xff;
            self.frame.raise(VALRDY);
            if self.frame.shorts & VALRDY_STOP == 0 {
                self.begin(due);
            } else {
                self.next = None;
            }
        }
    }

    fn due(&self) -> u64 {
        self.next.unwrap_or(u64::MAX)
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }
}
