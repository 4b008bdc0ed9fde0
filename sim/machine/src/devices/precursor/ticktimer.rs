//! The timer of milliseconds (`gateware/ticktimer.py`): 64 bits that count up, and an alarm while they have reached a target.
//!
//! Not modelled: the few hundred nanoseconds in which a time or a target crosses to the clock that always runs.

use bus::{Device, DeviceError, Effect, Irq};
use serde::Deserialize;

use super::register;
use crate::devices::output::Output;
use crate::devices::{Around, Settings, Ticks, not_modelled};

const CONTROL: u32 = 0;
const TIME1: u32 = 1;
const TIME0: u32 = 2;
const TARGET1: u32 = 3;
const TARGET0: u32 = 4;
const EV_STATUS: u32 = 5;
const EV_PENDING: u32 = 6;
const EV_ENABLE: u32 = 7;

/// What a board file says of it.
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
#[derive(Clone)]
struct TickTimer {
    ticks: Ticks,
    /// The time at the beginning of `ticks`.
    time: u64,
    target: u64,
    enabled: bool,
    output: Output,
}

impl TickTimer {
    fn new(irq: Option<Irq>, hz: u32) -> Self {
        TickTimer {
            ticks: Ticks::fixed(hz),
            time: 0,
            target: 0,
            enabled: false,
            output: Output::new(irq),
        }
    }

    fn time(&self, now: u64) -> u64 {
        self.time.wrapping_add(self.ticks.at(now))
    }

    fn rings(&self, now: u64) -> bool {
        self.target <= self.time(now)
    }

    fn drive(&mut self, now: u64) {
        let level = self.enabled && self.rings(now);
        self.output.set(level, now);
    }
}

impl Device for TickTimer {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
        let halves = |value: u64, register| if register % 2 == 1 { value >> 32 } else { value } as u32;
        match register(offset, size)? {
            CONTROL => Ok(0),
            number @ (TIME1 | TIME0) => Ok(halves(self.time(now), number)),
            number @ (TARGET1 | TARGET0) => Ok(halves(self.target, number)),
            EV_STATUS | EV_PENDING => Ok(self.rings(now).into()),
            EV_ENABLE => Ok(self.enabled.into()),
            _ => not_modelled(format!("a read of offset {offset:#x}")),
        }
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        let (low, high) = (u64::from(value), u64::from(value) << 32);
        match register(offset, size)? {
            CONTROL if value & 1 != 0 => {
                self.time = 0;
                self.ticks.restart(now);
            }
            TARGET1 => self.target = self.target & 0xffff_ffff | high,
            TARGET0 => self.target = self.target & !0xffff_ffff | low,
            // The alarm is a level: it ends when the target does.
            CONTROL..=TIME0 | EV_STATUS | EV_PENDING => {}
            EV_ENABLE => self.enabled = value & 1 != 0,
            _ => return not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
        self.drive(now);
        Ok(())
    }

    fn next_event(&self) -> u64 {
        let left = self.target.checked_sub(self.time).filter(|_| self.enabled);
        let rings = left.map_or(u64::MAX, |left| self.ticks.cycle_of(left));
        rings.min(self.output.due())
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.drive(now);
        self.output.tell(now, line);
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if self.ticks.concerns(effect) {
            self.time = self.time.wrapping_add(self.ticks.take(now));
            self.ticks.hear(effect);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::ClockId;

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
        assert_eq!(timer.read(4 * TIME0, 4, 2_999), Ok(2));
        timer.write(4 * CONTROL, 4, 1, 2_999).unwrap();
        assert_eq!(timer.read(4 * TIME0, 4, 3_998), Ok(0));
        assert_eq!(timer.read(4 * TIME0, 4, 3_999), Ok(1));
    }

    #[test]
    fn rings_from_its_target_on_until_there_is_a_later_one() {
        let mut timer = timer();
        timer.write(4 * TARGET0, 4, 5, 0).unwrap();
        timer.write(4 * EV_ENABLE, 4, 1, 0).unwrap();
        assert_eq!(timer.next_event(), 5_000);
        assert_eq!(told(&mut timer, 4_999), []);
        assert_eq!(told(&mut timer, 5_000), [true]);
        timer.write(4 * EV_PENDING, 4, 1, 5_001).unwrap();
        assert_eq!(told(&mut timer, 5_001), [], "a level cannot be cleared");
        timer.write(4 * TARGET1, 4, 1, 5_002).unwrap();
        assert_eq!(told(&mut timer, 5_002), [false]);
        assert_eq!(timer.read(4 * TARGET1, 4, 5_002), Ok(1));
    }

    #[test]
    fn does_not_ring_unless_it_is_enabled() {
        let mut timer = timer();
        assert_eq!(told(&mut timer, 9_000), []);
        assert_eq!(timer.read(4 * EV_PENDING, 4, 9_000), Ok(1));
    }
}
