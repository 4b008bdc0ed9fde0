//! The timer (`litex/soc/cores/timer.py`): counts down in the system's clock, and interrupts when it reaches 0.
//!
//! While it is off it shows its load value. From 0 it goes on with the reload value in the next cycle; with a reload value
//! of 0 it stays there. The event is the step to 0, also that by which it leaves reset.

use bus::{Device, DeviceError, Irq};

use super::register;
use crate::devices::not_modelled;
use crate::devices::output::Output;

const LOAD: u32 = 0;
const RELOAD: u32 = 1;
const EN: u32 = 2;
const UPDATE_VALUE: u32 = 3;
const VALUE: u32 = 4;
const EV_STATUS: u32 = 5;
const EV_PENDING: u32 = 6;
const EV_ENABLE: u32 = 7;

/// The timer.
#[derive(Clone)]
pub(crate) struct Countdown {
    load: u32,
    reload: u32,
    on: bool,
    /// The count in core cycle `base`.
    value: u32,
    base: u64,
    /// The count when it was asked for last.
    latched: u32,
    pending: bool,
    enabled: bool,
    output: Output,
}

impl Countdown {
    pub(crate) fn new(irq: Option<Irq>) -> Self {
        Countdown {
            load: 0,
            reload: 0,
            on: false,
            value: 0,
            base: 0,
            latched: 0,
            pending: true,
            enabled: false,
            output: Output::new(irq),
        }
    }

    /// The cycle after `base` in which the count steps to 0; `u64::MAX` for never.
    fn zero(&self) -> u64 {
        match (self.on, self.value, self.reload) {
            (false, ..) | (true, 0, 0) => u64::MAX,
            (true, 0, reload) => self.base.saturating_add(u64::from(reload) + 1),
            (true, value, _) => self.base.saturating_add(value.into()),
        }
    }

    fn catch_up(&mut self, now: u64) {
        // A poll can come in the cycle before that of the last access.
        let now = now.max(self.base);
        let zero = self.zero();
        if zero <= now {
            self.pending = true;
            self.value = 0;
            // Every further period is the same; only the last one counts.
            let period = u64::from(self.reload) + 1;
            self.base = now - (now - zero) % period;
        }
        let passed = now - self.base;
        if self.on && passed > 0 {
            // From 0 the first step is to the reload value.
            self.value = match self.value {
                0 if self.reload == 0 => 0,
                0 => self.reload - (passed - 1) as u32,
                value => value - passed as u32,
            };
        }
        self.base = now;
        self.drive(now);
    }

    fn drive(&mut self, now: u64) {
        self.output.set(self.pending && self.enabled, now);
    }

    /// Takes what LOAD and EN say.
    fn set(&mut self) {
        if !self.on {
            self.pending |= self.load == 0 && self.value != 0;
            self.value = self.load;
        }
    }
}

impl Device for Countdown {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        match register(offset, size)? {
            LOAD => Ok(self.load),
            RELOAD => Ok(self.reload),
            EN => Ok(self.on.into()),
            UPDATE_VALUE => Ok(0),
            VALUE => Ok(self.latched),
            EV_STATUS => Ok((self.value == 0).into()),
            EV_PENDING => Ok(self.pending.into()),
            EV_ENABLE => Ok(self.enabled.into()),
            _ => not_modelled(format!("a read of offset {offset:#x}")),
        }
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match register(offset, size)? {
            LOAD => self.load = value,
            RELOAD => self.reload = value,
            EN => self.on = value & 1 != 0,
            UPDATE_VALUE => self.latched = self.value,
            VALUE | EV_STATUS => {}
            EV_PENDING => self.pending &= value & 1 == 0,
            EV_ENABLE => self.enabled = value & 1 != 0,
            _ => return not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
        self.set();
        self.drive(now);
        Ok(())
    }

    fn next_event(&self) -> u64 {
        let waits = self.enabled && !self.pending;
        let zero = if waits { self.zero() } else { u64::MAX };
        zero.min(self.output.due())
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        self.output.tell(now, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn timer(load: u32, reload: u32) -> Countdown {
        let mut timer = Countdown::new(Some(Irq::External(1)));
        for (register, value) in [
            (LOAD, load),
            (RELOAD, reload),
            (EV_PENDING, 1),
            (EV_ENABLE, 1),
            (EN, 1),
        ] {
            timer.write(4 * register, 4, value, 0).unwrap();
        }
        timer
    }

    fn count(timer: &mut Countdown, now: u64) -> u32 {
        timer.write(4 * UPDATE_VALUE, 4, 1, now).unwrap();
        timer.read(4 * VALUE, 4, now).unwrap()
    }

    fn told(timer: &mut Countdown, now: u64) -> Vec<bool> {
        let mut told = Vec::new();
        timer.poll(now, &mut |_, level| told.push(level));
        told
    }

    #[test]
    fn one_shot_stays_at_zero() {
        let mut timer = timer(50, 0);
        assert_eq!(timer.next_event(), 50);
        assert_eq!(count(&mut timer, 20), 30);
        assert_eq!(told(&mut timer, 49), []);
        assert_eq!(told(&mut timer, 50), [true]);
        assert_eq!(count(&mut timer, 500), 0);
        timer.write(4 * EV_PENDING, 4, 1, 500).unwrap();
        assert_eq!(told(&mut timer, 500), [false]);
        assert_eq!(timer.next_event(), u64::MAX);
    }

    #[test]
    fn a_period_is_one_cycle_more_than_the_reload_value() {
        let mut timer = timer(0, 9);
        for period in 1..5 {
            let zero = 10 * period;
            assert_eq!(timer.next_event(), zero);
            assert_eq!(told(&mut timer, zero), [true]);
            timer.write(4 * EV_PENDING, 4, 1, zero + 1).unwrap();
            assert_eq!(told(&mut timer, zero + 1), [false]);
        }
    }

    #[test]
    fn the_event_of_reset_is_pending() {
        let mut timer = Countdown::new(Some(Irq::External(1)));
        assert_eq!(timer.read(4 * EV_PENDING, 4, 0), Ok(1));
        timer.write(4 * EV_ENABLE, 4, 1, 3).unwrap();
        assert_eq!(told(&mut timer, 3), [true]);
    }

    proptest! {
        /// The Verilog, one cycle at a time.
        #[test]
        fn counts_as_cycle_by_cycle(load in 0u32..8, reload in 0u32..8, steps in prop::collection::vec(1u64..12, 1..12)) {
            let mut timer = timer(load, reload);
            let (mut value, mut pending, mut now) = (load, false, 0);
            for step in steps {
                for _ in 0..step {
                    let before = value;
                    value = if value == 0 { reload } else { value - 1 };
                    pending |= value == 0 && before != 0;
                }
                now += step;
                prop_assert_eq!(count(&mut timer, now), value);
                prop_assert_eq!(timer.read(4 * EV_PENDING, 4, now), Ok(u32::from(pending)));
                if pending {
                    timer.write(4 * EV_PENDING, 4, 1, now).unwrap();
                    pending = false;
                }
            }
        }
    }
}
