//! WATCHDOG (4.7): resets the chip at 0, to which it counts twice a microsecond (erratum E1). Scratch registers are held.

use bus::{ClockId, Device, DeviceError, Effect, End, Irq, Outside, ResetCause};

use crate::devices::{Around, Ticks, not_modelled};

const CTRL: u32 = 0x00;
const LOAD: u32 = 0x04;
const REASON: u32 = 0x08;
const SCRATCH: std::ops::Range<u32> = 0x0c..0x2c;
const TICK: u32 = 0x2c;

const TIME: u32 = 0x00ff_ffff;
const ON: u32 = 1 << 30;
const TRIGGER: u32 = 1 << 31;
/// REASON.
const TIMED_OUT: u32 = 1 << 0;
const FORCED: u32 = 1 << 1;
/// TICK: on, running.
const TICKS_ON: u32 = 1 << 9;

/// The watchdog.
#[derive(Clone)]
pub(crate) struct Watchdog {
    ticks: Ticks,
    control: u32,
    load: u32,
    tick: u32,
    held: Held,
    bites: bool,
}

/// What a reset of the chip keeps.
#[derive(Clone, Default)]
struct Held {
    scratch: [u32; 8],
    /// REASON: the watchdog's time was up, or TRIGGER was written.
    reason: u32,
}

impl Watchdog {
    pub(crate) fn of(_: &Around<'_>) -> Box<dyn Device> {
        Box::new(Watchdog::new())
    }

    fn new() -> Watchdog {
        Watchdog {
            ticks: Ticks::fixed(2_000_000),
            control: 7 << 24,
            load: TIME,
            tick: TICKS_ON,
            held: Held::default(),
            bites: false,
        }
    }

    fn due(&self) -> u64 {
        if self.control & ON == 0 {
            return u64::MAX;
        }
        self.ticks.cycle_of(self.load.into())
    }
}

impl Device for Watchdog {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        match offset & !3 {
            CTRL if self.control & ON == 0 => Ok(self.control | self.load),
            CTRL => Ok(self.control | self.load.saturating_sub(self.ticks.at(now) as u32)),
            LOAD => Ok(0),
            REASON => Ok(self.held.reason),
            TICK => Ok(self.tick | (self.tick & TICKS_ON) << 1),
            register if SCRATCH.contains(&register) => {
                Ok(self.held.scratch[((register - SCRATCH.start) / 4) as usize])
            }
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        match offset & !3 {
            CTRL => {
                if value & !self.control & ON != 0 {
                    self.ticks.restart(now);
                }
                self.control = value & (ON | 7 << 24);
                if value & TRIGGER != 0 {
                    (self.bites, self.held.reason) = (true, FORCED);
                }
            }
            LOAD => {
                self.load = value & TIME;
                self.ticks.restart(now);
            }
            TICK => self.tick = value & 0x3ff,
            register if SCRATCH.contains(&register) => {
                self.held.scratch[((register - SCRATCH.start) / 4) as usize] = value;
            }
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        if self.bites { 0 } else { self.due() }
    }

    fn poll(&mut self, now: u64, _line: &mut dyn FnMut(Irq, bool)) {
        if self.due() <= now {
            (self.bites, self.held.reason) = (true, TIMED_OUT);
        }
    }

    fn take_effect(&mut self) -> Option<Effect> {
        let bites = std::mem::take(&mut self.bites);
        if bites {
            self.control &= !ON;
        }
        bites.then_some(Effect::End(End::Reset(ResetCause::Watchdog)))
    }

    fn keep(&mut self, kept: &mut Outside, cause: ResetCause) {
        if cause != ResetCause::Watchdog {
            self.held.reason = 0;
        }
        kept.carry(&mut self.held);
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(ClockId::CORE, _) = effect {
            let passed = self.ticks.at(now) as u32;
            self.load = self
                .load
                .saturating_sub(if self.control & ON == 0 { 0 } else { passed });
            self.ticks.hear(effect);
            self.ticks.restart(now);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_bites_unless_it_is_fed() {
        let mut watchdog = Watchdog::new();
        watchdog
            .hear(Effect::Clock(ClockId::CORE, 125_000_000), 0)
            .unwrap();
        watchdog.write(LOAD, 4, 2000, 0).unwrap();
        watchdog.write(CTRL, 4, ON, 0).unwrap();
        assert_eq!(watchdog.next_event(), 125_000);
        watchdog.write(LOAD, 4, 2000, 100_000).unwrap();
        assert_eq!(watchdog.next_event(), 225_000);
        watchdog.poll(225_000, &mut |_, _| {});
        assert_eq!(
            watchdog.take_effect(),
            Some(Effect::End(End::Reset(ResetCause::Watchdog)))
        );
    }
}
