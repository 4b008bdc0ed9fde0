//! Arm's dual timer (SP804, and that of the Cortex-M System Design Kit: DDI 0479, 4.3): two counters of 16 or 32 bits that count down at the
//! core's clock, divided by 1, 16 or 256. The integration test registers are not modelled.

use bus::Irq;

use super::block::{Peripheral, Regs, Write, about, registers, tell};
use super::words::cmsdk_id;

about! { DualTimer, B,
    "SP804; DDI 0479, 4.3",
    "both counters: free-running, periodic, one-shot, divided; their interrupt",
    "the integration test"
}

// Two of each, one for each counter.
registers! { DualTimer;
    LOAD    = 0x00 .times(2, 0x20).shows(|timer, at| timer.counters[at.n].reload).then(|timer, write| timer.counters[write.n].load(write));
    VALUE   = 0x04 .times(2, 0x20).shows(|timer, at| timer.counters[at.n].count()).drops();
    CONTROL = 0x08 .times(2, 0x20).shows(|timer, at| timer.counters[at.n].control).then(|timer, write| timer.counters[write.n].set(write));
    INTCLR  = 0x0c .times(2, 0x20).then(|timer, write| timer.counters[write.n].raised = false);
    RIS     = 0x10 .times(2, 0x20).shows(|timer, at| timer.counters[at.n].raised.into()).drops();
    MIS     = 0x14 .times(2, 0x20).shows(|timer, at| timer.counters[at.n].pending().into()).drops();
    BGLOAD  = 0x18 .times(2, 0x20).shows(|timer, at| timer.counters[at.n].reload).then(|timer, write| timer.counters[write.n].reload = write.value);
    ID      = 0xfd0 .times(12, 4).shows(|_, at| cmsdk_id(0x23, at.n));
}

const ONE_SHOT: u32 = 1 << 0;
const WIDE: u32 = 1 << 1;
const INTERRUPTS: u32 = 1 << 5;
const PERIODIC: u32 = 1 << 6;
const ON: u32 = 1 << 7;

#[derive(Clone)]
struct Counter {
    control: u32,
    reload: u32,
    value: u32,
    /// The core cycle in which it had this value.
    at: u64,
    raised: bool,
}

impl Counter {
    fn divider(&self) -> u64 {
        [1, 16, 256, 256][(self.control >> 2 & 3) as usize]
    }

    fn mask(&self) -> u32 {
        if self.control & WIDE == 0 {
            0xffff
        } else {
            u32::MAX
        }
    }

    /// Steps of a round behind 0.
    fn round(&self) -> u64 {
        let top = if self.control & PERIODIC == 0 {
            self.mask()
        } else {
            self.reload & self.mask()
        };
        u64::from(top) + 1
    }

    fn runs(&self) -> bool {
        self.control & ON != 0 && !(self.control & ONE_SHOT != 0 && self.count() == 0)
    }

    /// Steps until it is 0 the next time.
    fn to_zero(&self) -> u64 {
        match u64::from(self.count()) {
            0 => self.round(),
            value => value,
        }
    }

    fn catch_up(&mut self, now: u64) {
        let steps = now.saturating_sub(self.at) / self.divider();
        if !self.runs() {
            self.at = self.at.max(now);
            return;
        }
        self.at += steps * self.divider();
        let first = self.to_zero();
        let Some(behind) = steps.checked_sub(first) else {
            let place = if self.count() == 0 && steps > 0 {
                first
            } else {
                u64::from(self.count())
            };
            self.value = (place - steps) as u32;
            return;
        };
        self.raised = true;
        let place = behind % self.round();
        self.value = match place {
            _ if self.control & ONE_SHOT != 0 => 0,
            0 => 0,
            place => (self.round() - place) as u32,
        };
    }

    fn due(&self) -> u64 {
        let waits = self.runs() && self.control & INTERRUPTS != 0 && !self.raised;
        if waits {
            self.at + self.to_zero() * self.divider()
        } else {
            u64::MAX
        }
    }

    fn pending(&self) -> bool {
        self.raised && self.control & INTERRUPTS != 0
    }

    fn count(&self) -> u32 {
        self.value & self.mask()
    }

    fn load(&mut self, write: Write) {
        (self.reload, self.value, self.at) = (write.value, write.value, write.now);
    }

    fn set(&mut self, write: Write) {
        if write.value & !self.control & ON != 0 {
            self.at = write.now;
        }
        self.control = write.value & 0xef;
    }
}

impl Default for Counter {
    fn default() -> Counter {
        Counter {
            control: INTERRUPTS,
            reload: 0,
            value: u32::MAX,
            at: 0,
            raised: false,
        }
    }
}

/// Both counters.
#[derive(Clone, Default)]
pub(crate) struct DualTimer {
    regs: Regs<Self>,
    irq: Option<Irq>,
    counters: [Counter; 2],
}

impl DualTimer {
    pub(crate) fn new(irq: Option<Irq>) -> DualTimer {
        DualTimer {
            irq,
            ..DualTimer::default()
        }
    }
}

impl Peripheral for DualTimer {
    fn advance(&mut self, now: u64) {
        self.counters.iter_mut().for_each(|counter| counter.catch_up(now));
    }

    fn due(&self) -> u64 {
        if self.irq.is_none() {
            return u64::MAX;
        }
        self.counters[0].due().min(self.counters[1].due())
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.counters.iter().any(Counter::pending), line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Device;

    /// From one counter to the other.
    const SECOND: u32 = 0x20;

    #[test]
    fn it_counts_as_step_by_step() {
        for control in [ON | INTERRUPTS | PERIODIC | WIDE, ON | PERIODIC | WIDE | 1 << 2] {
            let start = || {
                let mut timer = DualTimer::new(Some(Irq::External(10)));
                timer.write(SECOND + LOAD, 4, 3, 0).unwrap();
                timer.write(SECOND + CONTROL, 4, control, 0).unwrap();
                timer
            };
            let mut often = start();
            for now in 0..300 {
                let value = often.read(SECOND + VALUE, 4, now);
                let mut once = start();
                assert_eq!(once.read(SECOND + VALUE, 4, now), value, "{now}");
                assert_eq!(once.read(SECOND + RIS, 4, now), often.read(SECOND + RIS, 4, now));
            }
        }
    }

    #[test]
    fn either_counter_interrupts_and_one_shot_stays_at_zero() {
        let mut timer = DualTimer::new(Some(Irq::External(10)));
        timer.write(LOAD, 4, 50, 0).unwrap();
        timer
            .write(CONTROL, 4, ON | INTERRUPTS | ONE_SHOT | WIDE, 0)
            .unwrap();
        assert_eq!(timer.next_event(), 50);
        let mut high = false;
        timer.poll(50, &mut |_, level| high = level);
        assert!(high);
        timer.write(INTCLR, 4, 1, 60).unwrap();
        assert_eq!((timer.read(VALUE, 4, 500), timer.next_event()), (Ok(0), u64::MAX));
    }
}
