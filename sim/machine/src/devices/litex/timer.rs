//! The timer (`litex/soc/cores/timer.py`): counts down in the system's clock, and interrupts when it reaches 0.
//!
//! While it is off it shows its load value. From 0 it goes on with the reload value in the next cycle; with a reload value
//! of 0 it stays there. The event is the step to 0, also that by which it leaves reset.

use bus::Irq;

use crate::devices::block::{Access, Peripheral, Regs, about, registers};
use crate::devices::output::Output;

about! { Countdown, B,
    "LiteX `soc/cores/timer.py`",
    "counts down, reloads, interrupts",
    "uptime"
}

registers! { Countdown;
    LOAD       = 0x00 .write(!0);
    RELOAD     = 0x04 .write(!0);
    EN         = 0x08 .write(1);
    // Shows the count in VALUE.
    UPDATE_VALUE = 0x0c .then(|timer, _| timer.regs[VALUE] = timer.value);
    VALUE      = 0x10 .drops();
    EV_STATUS  = 0x14 .shows(|timer, _| (timer.value == 0).into()).drops();
    EV_PENDING = 0x18 .reset(1).clear(1);
    EV_ENABLE  = 0x1c .write(1);
}

/// The timer.
#[derive(Clone, Default)]
pub(crate) struct Countdown {
    regs: Regs<Self>,
    /// The count in core cycle `base`.
    value: u32,
    base: u64,
    output: Output,
}

impl Countdown {
    pub(crate) fn new(irq: Option<Irq>) -> Self {
        Countdown {
            output: Output::new(irq),
            ..Countdown::default()
        }
    }

    fn is_on(&self) -> bool {
        self.regs[EN] != 0
    }

    /// The cycle after `base` in which the count steps to 0; `u64::MAX` for never.
    fn zero(&self) -> u64 {
        match (self.is_on(), self.value, self.regs[RELOAD]) {
            (false, ..) | (true, 0, 0) => u64::MAX,
            (true, 0, reload) => self.base.saturating_add(u64::from(reload) + 1),
            (true, value, _) => self.base.saturating_add(value.into()),
        }
    }

    fn drive(&mut self, now: u64) {
        let level = self.regs[EV_PENDING] & self.regs[EV_ENABLE] != 0;
        self.output.set(level, now);
    }
}

impl Peripheral for Countdown {
    const ACCESS: Access = Access::Words;

    fn advance(&mut self, now: u64) {
        // A poll can come in the cycle before that of the last access.
        let now = now.max(self.base);
        let zero = self.zero();
        if zero <= now {
            self.regs[EV_PENDING] = 1;
            self.value = 0;
            // Every further period is the same; only the last one counts.
            let period = u64::from(self.regs[RELOAD]) + 1;
            self.base = now - (now - zero) % period;
        }
        let passed = now - self.base;
        if self.is_on() && passed > 0 {
            // From 0 the first step is to the reload value.
            self.value = match self.value {
                0 if self.regs[RELOAD] == 0 => 0,
                0 => self.regs[RELOAD] - (passed - 1) as u32,
                value => value - passed as u32,
            };
        }
        self.base = now;
        self.drive(now);
    }

    /// Takes what LOAD and EN say.
    fn settle(&mut self, now: u64) {
        if !self.is_on() {
            let zero = self.regs[LOAD] == 0 && self.value != 0;
            self.regs[EV_PENDING] |= u32::from(zero);
            self.value = self.regs[LOAD];
        }
        self.drive(now);
    }

    fn due(&self) -> u64 {
        let waits = self.regs[EV_ENABLE] & !self.regs[EV_PENDING] != 0;
        let zero = if waits { self.zero() } else { u64::MAX };
        zero.min(self.output.due())
    }

    fn lines(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.output.tell(now, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Device;
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
            timer.write(register, 4, value, 0).unwrap();
        }
        timer
    }

    fn count(timer: &mut Countdown, now: u64) -> u32 {
        timer.write(UPDATE_VALUE, 4, 1, now).unwrap();
        timer.read(VALUE, 4, now).unwrap()
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
        timer.write(EV_PENDING, 4, 1, 500).unwrap();
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
            timer.write(EV_PENDING, 4, 1, zero + 1).unwrap();
            assert_eq!(told(&mut timer, zero + 1), [false]);
        }
    }

    #[test]
    fn the_event_of_reset_is_pending() {
        let mut timer = Countdown::new(Some(Irq::External(1)));
        assert_eq!(timer.read(EV_PENDING, 4, 0), Ok(1));
        timer.write(EV_ENABLE, 4, 1, 3).unwrap();
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
                prop_assert_eq!(timer.read(EV_PENDING, 4, now), Ok(u32::from(pending)));
                if pending {
                    timer.write(EV_PENDING, 4, 1, now).unwrap();
                    pending = false;
                }
            }
        }
    }
}
