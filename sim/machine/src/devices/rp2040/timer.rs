//! TIMER (RP2040 datasheet 4.6): 64 bits of microseconds and four alarms. It counts from reset on, even if the watchdog's tick is not started.

use bus::{ClockId, Device, DeviceError, Effect, Irq};

use crate::devices::block::{Peripheral, Regs, Write, about, registers};
use crate::devices::{Around, Ticks};

about! { Timer, B,
    "RP2040 datasheet 4.6",
    "64 bits of microseconds and four alarms",
    "the watchdog's tick: it counts without it"
}

registers! { Timer;
    TIMEHW   = 0x00 .then(Timer::write_time);
    TIMELW   = 0x04 .then(|timer, write| timer.to_write = write.value);
    // Latched by reads of TIMELR.
    TIMEHR   = 0x08;
    TIMELR   = 0x0c .shows(|timer, _| timer.micros as u32).taken(|timer, _| timer.regs[TIMEHR] = timer.high());
    ALARM    = 0x10 .times(4, 4).write(!0).then(|timer, write| timer.regs[ARMED] |= 1 << write.n);
    ARMED    = 0x20 .clear(!0);
    TIMERAWH = 0x24 .shows(|timer, _| timer.high());
    TIMERAWL = 0x28 .shows(|timer, _| timer.micros as u32);
    DBGPAUSE = 0x2c .reset(7).write(7).then(|timer, _| timer.regs[DBGPAUSE] &= 6);
    PAUSE    = 0x30 .write(1);
    INTR     = 0x34 .clear(!0);
    INTE     = 0x38 .write(15);
    INTF     = 0x3c .write(15);
    INTS     = 0x40 .shows(|timer, _| timer.raised());
}

/// The timer.
#[derive(Clone, Default)]
pub(crate) struct Timer {
    regs: Regs<Self>,
    /// The first alarm's line; the others follow.
    irq: Option<Irq>,
    ticks: Ticks,
    micros: u64,
    to_write: u32,
}

impl Timer {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(Timer::new(around.irq))
    }

    fn new(irq: Option<Irq>) -> Timer {
        Timer {
            irq,
            ticks: Ticks::fixed(1_000_000),
            ..Timer::default()
        }
    }

    fn high(&self) -> u32 {
        (self.micros >> 32) as u32
    }

    fn raised(&self) -> u32 {
        self.regs[INTR] & self.regs[INTE] | self.regs[INTF]
    }

    fn write_time(&mut self, write: Write) {
        self.micros = u64::from(write.value) << 32 | u64::from(self.to_write);
        self.ticks.restart(write.now);
    }

    /// The alarms that are armed, each with the microseconds before the one in which it rings.
    fn armed(&self) -> impl Iterator<Item = (u32, u32)> {
        let armed = (0..4).filter(|alarm| self.regs[ARMED] >> alarm & 1 != 0);
        let until = |alarm| self.regs[ALARM + 4 * alarm].wrapping_sub(self.micros as u32);
        armed.map(move |alarm| (alarm, until(alarm).wrapping_sub(1)))
    }
}

impl Peripheral for Timer {
    fn advance(&mut self, now: u64) {
        let passed = self.ticks.take(now);
        if self.regs[PAUSE] != 0 || passed == 0 {
            return;
        }
        let rings = self.armed().filter(|&(_, until)| u64::from(until) < passed);
        let rings = rings.fold(0, |all, (alarm, _)| all | 1 << alarm);
        self.regs[ARMED] &= !rings;
        self.regs[INTR] |= rings;
        self.micros = self.micros.wrapping_add(passed);
    }

    fn due(&self) -> u64 {
        let next = self.armed().map(|(_, until)| until).min();
        let next = next.filter(|_| self.regs[PAUSE] == 0);
        next.map_or(u64::MAX, |until| self.ticks.cycle_of(u64::from(until) + 1))
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        if let Some(first) = self.irq {
            (0..4).for_each(|alarm| line(first.plus(alarm), self.raised() >> alarm & 1 != 0));
        }
    }

    fn out_of_reset(&mut self, now: u64) -> Result<(), DeviceError> {
        self.micros = 0;
        self.ticks.restart(now);
        Ok(())
    }

    fn heard(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(ClockId::CORE, _) = effect {
            self.advance(now);
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
    fn an_alarm_rings_once_in_its_microsecond() {
        let mut timer = Timer::new(Some(Irq::External(0)));
        timer.hear(Effect::Clock(ClockId::CORE, 125_000_000), 0).unwrap();
        timer.write(INTE, 4, 2, 0).unwrap();
        timer.write(ALARM + 4, 4, 100, 0).unwrap();
        assert_eq!((timer.next_event(), timer.read(ARMED, 4, 0)), (12_500, Ok(2)));
        let mut high = Vec::new();
        timer.poll(12_500, &mut |irq, level| {
            high.extend(level.then(|| irq.as_external().unwrap()));
        });
        assert_eq!((high, timer.read(ARMED, 4, 12_500)), (vec![1], Ok(0)));
        timer.write(INTR, 4, 2, 12_500).unwrap();
        assert_eq!(timer.read(INTS, 4, 12_500), Ok(0));
        assert_eq!(timer.read(TIMELR, 4, 125 * 200), Ok(200));
    }

    #[test]
    fn behind_its_last_microsecond_it_begins_again() {
        let mut timer = Timer::new(None);
        timer.hear(Effect::Clock(ClockId::CORE, 1_000_000), 0).unwrap();
        for register in [TIMELW, TIMEHW] {
            timer.write(register, 4, u32::MAX, 0).unwrap();
        }
        assert_eq!(
            [TIMELR, TIMEHR].map(|register| timer.read(register, 4, 3)),
            [Ok(2), Ok(0)]
        );
    }
}
