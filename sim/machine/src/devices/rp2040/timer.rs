//! TIMER (4.6): 64 bits of microseconds and four alarms. It counts from reset on, whether or not the watchdog's tick was started.

use bus::{ClockId, Device, DeviceError, Effect, Irq};

use crate::devices::{Around, Ticks, not_modelled};

const TIMEHW: u32 = 0x00;
const TIMELW: u32 = 0x04;
const TIMEHR: u32 = 0x08;
const TIMELR: u32 = 0x0c;
const ALARM0: u32 = 0x10;
const ARMED: u32 = 0x20;
const TIMERAWH: u32 = 0x24;
const TIMERAWL: u32 = 0x28;
const DBGPAUSE: u32 = 0x2c;
const PAUSE: u32 = 0x30;
const INTR: u32 = 0x34;
const INTE: u32 = 0x38;
const INTF: u32 = 0x3c;
const INTS: u32 = 0x40;

/// The timer.
#[derive(Clone)]
pub(crate) struct Timer {
    /// Of the first alarm; the others follow.
    irq: Option<Irq>,
    ticks: Ticks,
    micros: u64,
    latched: u32,
    to_write: u32,
    alarms: [u32; 4],
    armed: u32,
    raised: u32,
    enabled: u32,
    forced: u32,
    paused: bool,
    debug: u32,
}

impl Timer {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(Timer::new(around.irq))
    }

    fn new(irq: Option<Irq>) -> Timer {
        Timer {
            irq,
            ticks: Ticks::fixed(1_000_000),
            micros: 0,
            latched: 0,
            to_write: 0,
            alarms: [0; 4],
            armed: 0,
            raised: 0,
            enabled: 0,
            forced: 0,
            paused: false,
            debug: 7,
        }
    }

    fn catch_up(&mut self, now: u64) {
        let passed = self.ticks.take(now);
        if self.paused || passed == 0 {
            return;
        }
        for alarm in 0..4 {
            let until = self.alarms[alarm]
                .wrapping_sub(self.micros as u32)
                .wrapping_sub(1);
            if self.armed >> alarm & 1 != 0 && u64::from(until) < passed {
                self.armed &= !(1 << alarm);
                self.raised |= 1 << alarm;
            }
        }
        self.micros = self.micros.wrapping_add(passed);
    }
}

impl Device for Timer {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            TIMEHW | TIMELW => Ok(0),
            TIMEHR => Ok(self.latched),
            TIMELR => {
                self.latched = (self.micros >> 32) as u32;
                Ok(self.micros as u32)
            }
            register @ ALARM0..ARMED => Ok(self.alarms[((register - ALARM0) / 4) as usize]),
            ARMED => Ok(self.armed),
            TIMERAWH => Ok((self.micros >> 32) as u32),
            TIMERAWL => Ok(self.micros as u32),
            DBGPAUSE => Ok(self.debug),
            PAUSE => Ok(self.paused.into()),
            INTR => Ok(self.raised),
            INTE => Ok(self.enabled),
            INTF => Ok(self.forced),
            INTS => Ok(self.raised & self.enabled | self.forced),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match offset & !3 {
            TIMELW => self.to_write = value,
            TIMEHW => {
                self.micros = u64::from(value) << 32 | u64::from(self.to_write);
                self.ticks.restart(now);
            }
            register @ ALARM0..ARMED => {
                let alarm = (register - ALARM0) / 4;
                self.alarms[alarm as usize] = value;
                self.armed |= 1 << alarm;
            }
            ARMED => self.armed &= !value,
            DBGPAUSE => self.debug = value & 6,
            PAUSE => self.paused = value & 1 != 0,
            INTR => self.raised &= !value,
            INTE => self.enabled = value & 15,
            INTF => self.forced = value & 15,
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        if self.paused {
            return u64::MAX;
        }
        let armed = (0..4).filter(|alarm| self.armed >> alarm & 1 != 0);
        let until = armed.map(|alarm| {
            self.alarms[alarm]
                .wrapping_sub(self.micros as u32)
                .wrapping_sub(1)
        });
        until
            .min()
            .map_or(u64::MAX, |until| self.ticks.cycle_of(u64::from(until) + 1))
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        if let Some(first) = self.irq {
            let raised = self.raised & self.enabled | self.forced;
            for alarm in 0..4 {
                line(first.plus(alarm), raised >> alarm & 1 != 0);
            }
        }
    }

    fn leave_reset(&mut self, now: u64) -> Result<(), DeviceError> {
        self.micros = 0;
        self.ticks.restart(now);
        Ok(())
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(ClockId::CORE, _) = effect {
            self.catch_up(now);
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
        timer.write(ALARM0 + 4, 4, 100, 0).unwrap();
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
