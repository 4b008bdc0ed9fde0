//! The timer of milliseconds (`gateware/ticktimer.py`): 64 bits that count up, and an alarm while they have reached a target.
//!
//! Not modelled: the few hundred nanoseconds in which a time or a target crosses to the clock that always runs.

use bus::{Device, Irq};
use serde::Deserialize;

use crate::devices::block::{Access, Peripheral, Regs, about, registers};
use crate::devices::output::Output;
use crate::devices::{Around, Settings, Ticks};

about! { TickTimer by TicksSettings, D,
    "Precursor `gateware/ticktimer.py`",
    "counts milliseconds, rings from a target on",
    "the time that a value takes to cross to its clock"
}

registers! { TickTimer;
    CONTROL = 0x00 .then(|timer, write| if write.value & 1 != 0 { timer.restart(write.now) });
    TIME1   = 0x04 .shows(|timer, at| (timer.time(at.now) >> 32) as u32).drops();
    TIME0   = 0x08 .shows(|timer, at| timer.time(at.now) as u32).drops();
    TARGET1 = 0x0c .write(!0);
    TARGET0 = 0x10 .write(!0);
    // The alarm is a level: it ends when the target does.
    EV_STATUS  = 0x14 .shows(|timer, at| timer.rings(at.now).into()).drops();
    EV_PENDING = 0x18 .shows(|timer, at| timer.rings(at.now).into()).drops();
    EV_ENABLE  = 0x1c .write(1);
}

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TicksSettings {
    /// Ticks per second.
    hz: Option<u32>,
}

impl Settings for TicksSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let hz = self.hz.filter(|&hz| hz > 0).ok_or("it needs a frequency `hz`")?;
        Ok(Box::new(TickTimer::new(around.irq, hz)))
    }
}

/// The timer.
#[derive(Clone, Default)]
struct TickTimer {
    regs: Regs<Self>,
    ticks: Ticks,
    /// The time at the beginning of `ticks`.
    time: u64,
    output: Output,
}

impl TickTimer {
    fn new(irq: Option<Irq>, hz: u32) -> Self {
        TickTimer {
            ticks: Ticks::fixed(hz),
            output: Output::new(irq),
            ..TickTimer::default()
        }
    }

    fn time(&self, now: u64) -> u64 {
        self.time.wrapping_add(self.ticks.at(now))
    }

    fn target(&self) -> u64 {
        u64::from(self.regs[TARGET1]) << 32 | u64::from(self.regs[TARGET0])
    }

    fn rings(&self, now: u64) -> bool {
        self.target() <= self.time(now)
    }

    fn restart(&mut self, now: u64) {
        self.time = 0;
        self.ticks.restart(now);
    }
}

impl Peripheral for TickTimer {
    const ACCESS: Access = Access::Words;

    fn advance(&mut self, now: u64) {
        self.time = self.time.wrapping_add(self.ticks.take(now));
    }

    fn settle(&mut self, now: u64) {
        let level = self.regs[EV_ENABLE] != 0 && self.rings(now);
        self.output.set(level, now);
    }

    fn due(&self) -> u64 {
        let left = self.target().checked_sub(self.time);
        let left = left.filter(|_| self.regs[EV_ENABLE] != 0);
        let rings = left.map_or(u64::MAX, |left| self.ticks.cycle_of(left));
        rings.min(self.output.due())
    }

    fn lines(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.settle(now);
        self.output.tell(now, line);
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::{ClockId, Effect};

    /// A tick takes 1000 cycles.
    fn timer() -> TickTimer {
        let mut timer = TickTimer::new(Some(Irq::External(8)), 1000);
        timer.hear(Effect::Clock(ClockId::CORE, 1_000_000), 0).unwrap();
        timer
    }

    fn told(timer: &mut TickTimer, now: u64) -> Vec<bool> {
        let mut told = Vec::new();
        timer.poll(now, &mut |_, level| told.push(level));
        told
    }

    #[test]
    fn counts_from_its_reset_on() {
        let mut timer = timer();
        assert_eq!(timer.read(TIME0, 4, 2_999), Ok(2));
        timer.write(CONTROL, 4, 1, 2_999).unwrap();
        assert_eq!(timer.read(TIME0, 4, 3_998), Ok(0));
        assert_eq!(timer.read(TIME0, 4, 3_999), Ok(1));
    }

    #[test]
    fn rings_from_its_target_on_until_there_is_a_later_one() {
        let mut timer = timer();
        timer.write(TARGET0, 4, 5, 0).unwrap();
        timer.write(EV_ENABLE, 4, 1, 0).unwrap();
        assert_eq!(timer.next_event(), 5_000);
        assert_eq!(told(&mut timer, 4_999), []);
        assert_eq!(told(&mut timer, 5_000), [true]);
        timer.write(EV_PENDING, 4, 1, 5_001).unwrap();
        assert_eq!(told(&mut timer, 5_001), [], "a level cannot be cleared");
        timer.write(TARGET1, 4, 1, 5_002).unwrap();
        assert_eq!(told(&mut timer, 5_002), [false]);
        assert_eq!(timer.read(TARGET1, 4, 5_002), Ok(1));
    }

    #[test]
    fn does_not_ring_unless_it_is_enabled() {
        let mut timer = timer();
        assert_eq!(told(&mut timer, 9_000), []);
        assert_eq!(timer.read(EV_PENDING, 4, 9_000), Ok(1));
    }
}
