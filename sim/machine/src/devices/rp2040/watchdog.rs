//! WATCHDOG (RP2040 datasheet 4.7): counts down twice a microsecond (erratum E1) and resets the chip at 0. Scratch registers store their values.

use bus::{ClockId, Device, DeviceError, Effect, End, Irq, Outside, ResetCause};

use crate::devices::block::{At, Peripheral, Regs, Write, about, registers};
use crate::devices::{Around, Ticks};

about! { Watchdog, B,
    "RP2040 datasheet 4.7, RP2040-E1",
    "resets the chip at 0, to which it counts twice a microsecond; scratch registers",
    "what PSM and RESETS select (WDSEL)"
}

registers! { Watchdog;
    CTRL    = 0x00 .reset(7 << 24).write(ON | 7 << 24).shows(Watchdog::control).then(Watchdog::set);
    LOAD    = 0x04 .then(Watchdog::reload);
    REASON  = 0x08;
    SCRATCH = 0x0c .times(8, 4).write(!0);
    TICK    = 0x2c .reset(TICKS_ON).write(0x3ff).shows(|watchdog, _| watchdog.regs[TICK] | (watchdog.regs[TICK] & TICKS_ON) << 1);
}

const TIME: u32 = 0x00ff_ffff;
const ON: u32 = 1 << 30;
const TRIGGER: u32 = 1 << 31;
/// REASON.
const TIMED_OUT: u32 = 1 << 0;
const FORCED: u32 = 1 << 1;
/// TICK: on, running.
const TICKS_ON: u32 = 1 << 9;

/// The watchdog.
#[derive(Clone, Default)]
pub(crate) struct Watchdog {
    regs: Regs<Self>,
    ticks: Ticks,
    load: u32,
    bites: bool,
}

impl Watchdog {
    pub(crate) fn of(_: &Around<'_>) -> Box<dyn Device> {
        Box::new(Watchdog::new())
    }

    fn new() -> Watchdog {
        Watchdog {
            ticks: Ticks::fixed(2_000_000),
            load: TIME,
            ..Watchdog::default()
        }
    }

    fn is_on(&self) -> bool {
        self.regs[CTRL] & ON != 0
    }

    fn reset_due(&self) -> u64 {
        if self.is_on() {
            self.ticks.cycle_of(self.load.into())
        } else {
            u64::MAX
        }
    }

    /// The remaining count of the loaded time.
    fn left(&self, now: u64) -> u32 {
        let passed = if self.is_on() {
            self.ticks.at(now) as u32
        } else {
            0
        };
        self.load.saturating_sub(passed)
    }

    fn control(&self, at: At) -> u32 {
        self.regs[CTRL] | self.left(at.now)
    }

    fn set(&mut self, write: Write) {
        if write.value & !write.old & ON != 0 {
            self.ticks.restart(write.now);
        }
        if write.value & TRIGGER != 0 {
            (self.bites, self.regs[REASON]) = (true, FORCED);
        }
    }

    fn reload(&mut self, write: Write) {
        self.load = write.value & TIME;
        self.ticks.restart(write.now);
    }
}

impl Peripheral for Watchdog {
    fn due(&self) -> u64 {
        if self.bites { 0 } else { self.reset_due() }
    }

    fn lines(&mut self, now: u64, _line: &mut dyn FnMut(Irq, bool)) {
        if self.reset_due() <= now {
            (self.bites, self.regs[REASON]) = (true, TIMED_OUT);
        }
    }

    fn effect(&mut self) -> Option<Effect> {
        let bites = std::mem::take(&mut self.bites);
        if bites {
            self.regs[CTRL] &= !ON;
        }
        bites.then_some(Effect::End(End::Reset(ResetCause::Watchdog)))
    }

    /// A reset of the chip keeps REASON, of a watchdog's, and SCRATCH.
    fn kept(&mut self, kept: &mut Outside, cause: ResetCause) {
        if cause != ResetCause::Watchdog {
            self.regs[REASON] = 0;
        }
        let held = || (0..8).map(|n| SCRATCH + 4 * n).chain([REASON]);
        let mut values: Vec<u32> = held().map(|offset| self.regs[offset]).collect();
        kept.carry(&mut values);
        held()
            .zip(values)
            .for_each(|(offset, value)| self.regs[offset] = value);
    }

    fn heard(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(ClockId::CORE, _) = effect {
            self.load = self.left(now);
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
