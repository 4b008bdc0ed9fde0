//! WDT (nRF52840 PS 6.36): resets the chip unless every reload register that is on was written in time.

use bus::{ClockId, Device, DeviceError, Effect, End, Irq, Outside, ResetCause};

use super::{Frame, Written, element};
use crate::devices::{Around, Ticks, not_modelled};

const RUNSTATUS: u32 = 0x400;
const REQSTATUS: u32 = 0x404;
const CRV: u32 = 0x504;
const RREN: u32 = 0x508;
const CONFIG: u32 = 0x50c;
const RR: u32 = 0x600;
const RELOAD: u32 = 0x6e52_4635;
const TIMEOUT: u32 = 0;
/// Ticks between the event and the reset.
const GRACE: u64 = 2;

/// The watchdog.
#[derive(Clone)]
pub(crate) struct Watchdog {
    frame: Frame,
    ticks: Ticks,
    runs: bool,
    patience: u32,
    enabled: u32,
    /// The registers that are still to be written.
    wanted: u32,
    configuration: u32,
    due: u64,
    bites: bool,
}

impl Watchdog {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(Watchdog::new(Frame::new(around.base, around.irq)))
    }

    fn new(frame: Frame) -> Watchdog {
        Watchdog {
            frame,
            ticks: Ticks::fixed(32_768),
            runs: false,
            patience: u32::MAX,
            enabled: 1,
            wanted: 1,
            configuration: 1,
            due: u64::MAX,
            bites: false,
        }
    }

    fn reload(&mut self, now: u64) {
        self.ticks.restart(now);
        self.due = self.ticks.cycle_of(u64::from(self.patience) + 1);
        self.wanted = self.enabled;
    }

    fn feed(&mut self, index: usize, now: u64) {
        self.wanted &= !(1 << index);
        if self.wanted == 0 && self.runs {
            self.reload(now);
        }
    }

    fn catch_up(&mut self, now: u64) {
        if self.due <= now && !self.frame.is_set(TIMEOUT) {
            self.frame.raise(TIMEOUT);
            self.ticks.restart(self.due);
            self.due = self.ticks.cycle_of(GRACE);
        }
        if self.due <= now {
            (self.bites, self.due) = (true, u64::MAX);
        }
    }
}

impl Device for Watchdog {
    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        if let Some(word) = self.frame.read(offset) {
            return Ok(word);
        }
        match offset & !3 {
            RUNSTATUS => Ok(self.runs.into()),
            REQSTATUS => Ok(self.wanted),
            CRV => Ok(self.patience),
            RREN => Ok(self.enabled),
            CONFIG => Ok(self.configuration),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        match self.frame.write(offset, value) {
            Written::Done => return Ok(()),
            Written::Task(0) => {
                if !self.runs {
                    self.runs = true;
                    self.reload(now);
                }
                return Ok(());
            }
            Written::Task(task) => return not_modelled(format!("task {task}")),
            Written::Other => {}
        }
        match offset & !3 {
            // Its settings are locked while it runs.
            CRV | RREN | CONFIG if self.runs => {}
            CRV => self.patience = value.max(15),
            RREN => (self.enabled, self.wanted) = (value & 0xff, value & 0xff),
            CONFIG => self.configuration = value,
            register => match element(register, RR, 8) {
                Some(index) if value == RELOAD => self.feed(index, now),
                Some(_) => {}
                None => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
            },
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        if self.bites { 0 } else { self.due }
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        self.frame.tell(line);
    }

    fn take_effect(&mut self) -> Option<Effect> {
        if std::mem::take(&mut self.bites) {
            return Some(Effect::End(End::Reset(ResetCause::Watchdog)));
        }
        self.frame.take_effect()
    }

    /// It runs on behind a reset by the program (PS 5.3.6).
    fn keep(&mut self, kept: &mut Outside, cause: ResetCause) {
        if cause == ResetCause::Software {
            kept.copy(self);
        }
    }

    fn hear(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(ClockId::CORE, _) = effect {
            self.ticks.hear(effect);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_bites_unless_all_that_are_on_were_written() {
        let mut watchdog = Watchdog::new(Frame::new(0x4001_0000, None));
        watchdog
            .hear(Effect::Clock(ClockId::CORE, 32_768_000), 0)
            .unwrap();
        for (offset, value) in [(CRV, 99), (RREN, 3), (0, 1), (RR, RELOAD)] {
            watchdog.write(offset, 4, value, 0).unwrap();
        }
        assert_eq!(watchdog.next_event(), 100_000);
        watchdog.write(RR + 4, 4, RELOAD, 50_000).unwrap();
        assert_eq!(watchdog.next_event(), 150_000);
        watchdog.poll(150_000, &mut |_, _| {});
        assert_eq!(watchdog.take_effect(), Some(Effect::Pulse(0x4001_0100)));
        watchdog.poll(152_000, &mut |_, _| {});
        assert_eq!(
            watchdog.take_effect(),
            Some(Effect::End(End::Reset(ResetCause::Watchdog)))
        );
    }
}
