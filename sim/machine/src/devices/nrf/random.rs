//! RNG (nRF52840 PS 6.19): a byte every 30 microseconds, or 120 with bias correction (typical). The bytes are the same in every run.

use bus::{ClockId, Device, DeviceError, Effect, Irq};

use super::{Frame, Written};
use crate::devices::words::Xorshift;
use crate::devices::{Around, Ticks, not_modelled};

const CONFIG: u32 = 0x504;
const VALUE: u32 = 0x508;
const START: u32 = 0;
const STOP: u32 = 1;
const VALRDY: u32 = 0;
/// SHORTS: VALRDY stops it.
const VALRDY_STOP: u32 = 1;

/// The generator.
#[derive(Clone)]
pub(crate) struct Random {
    frame: Frame,
    ticks: Ticks,
    due: Option<u64>,
    corrected: u32,
    value: u32,
    numbers: Xorshift,
}

impl Random {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(Random {
            frame: Frame::new(around.base, around.irq),
            ticks: Ticks::fixed(1_000_000),
            due: None,
            corrected: 0,
            value: 0,
            numbers: Xorshift::default(),
        })
    }

    fn begin(&mut self, now: u64) {
        self.ticks.restart(now);
        let after = if self.corrected == 0 { 30 } else { 120 };
        self.due = Some(self.ticks.cycle_of(after));
    }

    fn catch_up(&mut self, now: u64) {
        while let Some(due) = self.due
            && due <= now
        {
            self.value = self.numbers.next() & 0xff;
            self.frame.raise(VALRDY);
            if self.frame.shorts & VALRDY_STOP == 0 {
                self.begin(due);
            } else {
                self.due = None;
            }
        }
    }

    fn task(&mut self, task: u32, now: u64) -> Result<(), DeviceError> {
        match task {
            START => self.begin(now),
            STOP => self.due = None,
            _ => return not_modelled(format!("task {task}")),
        }
        Ok(())
    }
}

impl Device for Random {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        if let Some(word) = self.frame.read(offset) {
            return Ok(word);
        }
        match offset & !3 {
            CONFIG => Ok(self.corrected),
            VALUE => Ok(self.value),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match (self.frame.write(offset, value), offset) {
            (Written::Done, _) => Ok(()),
            (Written::Task(task), _) => self.task(task, now),
            (Written::Other, CONFIG) => {
                self.corrected = value & 1;
                Ok(())
            }
            _ => not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
    }

    fn next_event(&self) -> u64 {
        self.due.unwrap_or(u64::MAX)
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        self.frame.tell(line);
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.frame.take_effect()
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(ClockId::CORE, _) = effect {
            self.ticks.hear(effect);
        }
        match self.frame.hears(effect) {
            Some(task) => self.task(task, now),
            None => Ok(()),
        }
    }
}
