//! The core-local interrupter (`SiFive` FE310-G002 manual, chapter 9) of one core: software interrupt, time, and timer interrupt.
//!
//! MTIME counts from 0 at reset. MTIMECMP, which real ones leave as it comes, begins at its greatest value.

use bus::{Device, DeviceError, Effect, Irq};
use serde::Deserialize;

use crate::devices::not_modelled;
use crate::devices::output::Output;
use crate::devices::ticks::Ticks;
use crate::devices::{Around, Pace, Settings};
use crate::image::Architecture;

const MSIP: u32 = 0x0000;
const MTIMECMP: u32 = 0x4000;
const MTIMECMP_HIGH: u32 = 0x4004;
const MTIME: u32 = 0xbff8;
const MTIME_HIGH: u32 = 0xbffc;

/// The board file's entry: the clock that it counts.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct ClintSettings(Pace);

impl Settings for ClintSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        Ok(Box::new(Clint::new(self.0.ticks(around.clocks)?)))
    }

    fn architecture(&self) -> Option<Architecture> {
        Some(Architecture::RiscV)
    }
}

/// The interrupter.
#[derive(Clone)]
pub(crate) struct Clint {
    ticks: Ticks,
    /// MTIME where `ticks` are counted from.
    time: u64,
    compare: u64,
    software: Output,
    timer: Output,
    software_pending: bool,
}

impl Clint {
    /// MTIME counts these ticks.
    pub(crate) fn new(ticks: Ticks) -> Self {
        Clint {
            ticks,
            time: 0,
            compare: u64::MAX,
            software: Output::new(Some(Irq::MACHINE_SOFTWARE)),
            timer: Output::new(Some(Irq::MACHINE_TIMER)),
            software_pending: false,
        }
    }

    fn catch_up(&mut self, now: u64) {
        self.time = self.time.wrapping_add(self.ticks.take(now));
    }

    /// The core cycle in which MTIME reaches MTIMECMP; `u64::MAX` if it is past it.
    fn match_cycle(&self) -> u64 {
        match self.compare.checked_sub(self.time) {
            Some(ticks @ 1..) => self.ticks.cycle_of(ticks),
            _ => u64::MAX,
        }
    }

    fn drive(&mut self, now: u64) {
        self.software.set(self.software_pending, now);
        self.timer.set(self.time >= self.compare, now);
    }
}

impl Device for Clint {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        match offset {
            _ if size != 4 => not_modelled(format!("a read of {size} bytes at offset {offset:#x}")),
            MSIP => Ok(self.software_pending.into()),
            MTIMECMP => Ok(self.compare as u32),
            MTIMECMP_HIGH => Ok((self.compare >> 32) as u32),
            MTIME => Ok(self.time as u32),
            MTIME_HIGH => Ok((self.time >> 32) as u32),
            _ => not_modelled(format!("a read of offset {offset:#x}")),
        }
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match offset {
            _ if size != 4 => return not_modelled(format!("a write of {size} bytes to offset {offset:#x}")),
            MSIP => self.software_pending = value & 1 != 0,
            MTIMECMP => self.compare = with_low(self.compare, value),
            MTIMECMP_HIGH => self.compare = with_high(self.compare, value),
            MTIME => self.time = with_low(self.time, value),
            MTIME_HIGH => self.time = with_high(self.time, value),
            _ => return not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
        self.drive(now);
        Ok(())
    }

    fn next_event(&self) -> u64 {
        self.match_cycle().min(self.software.due()).min(self.timer.due())
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        self.drive(now);
        self.software.tell(now, line);
        self.timer.tell(now, line);
    }

    fn leave_reset(&mut self, now: u64) -> Result<(), DeviceError> {
        self.ticks.restart(now);
        self.time = 0;
        Ok(())
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if self.ticks.concerns(effect) {
            self.catch_up(now);
            self.ticks.hear(effect);
        }
        Ok(())
    }
}

fn with_low(whole: u64, low: u32) -> u64 {
    whole & !u64::from(u32::MAX) | u64::from(low)
}

fn with_high(whole: u64, high: u32) -> u64 {
    whole & u64::from(u32::MAX) | u64::from(high) << 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::ClockId;

    /// MTIME counts every tenth cycle.
    fn clint() -> Clint {
        let mut clint = Clint::new(Ticks::fixed(10_000_000));
        clint.hear(Effect::Clock(ClockId::CORE, 100_000_000), 0).unwrap();
        clint
    }

    fn told(clint: &mut Clint, now: u64) -> Vec<(Irq, bool)> {
        let mut told = Vec::new();
        clint.poll(now, &mut |irq, level| told.push((irq, level)));
        told
    }

    fn set_compare(clint: &mut Clint, compare: u64, now: u64) {
        clint.write(MTIMECMP_HIGH, 4, u32::MAX, now).unwrap();
        clint.write(MTIMECMP, 4, compare as u32, now).unwrap();
        clint
            .write(MTIMECMP_HIGH, 4, (compare >> 32) as u32, now)
            .unwrap();
    }

    #[test]
    fn time_counts_in_its_own_clock() {
        let mut clint = clint();
        assert_eq!(clint.read(MTIME, 4, 99), Ok(9));
        assert_eq!(clint.read(MTIME, 4, 100), Ok(10));
        clint.write(MTIME, 4, u32::MAX, 100).unwrap();
        assert_eq!(clint.read(MTIME, 4, 110), Ok(0));
        assert_eq!(clint.read(MTIME_HIGH, 4, 110), Ok(1));
    }

    #[test]
    fn another_core_clock_leaves_the_rate_of_time_alone() {
        let mut clint = clint();
        clint
            .hear(Effect::Clock(ClockId::CORE, 20_000_000), 1_000)
            .unwrap();
        assert_eq!(clint.read(MTIME, 4, 1_000), Ok(100));
        assert_eq!(clint.read(MTIME, 4, 1_020), Ok(110));
    }

    #[test]
    fn the_timer_line_rises_when_time_reaches_the_comparator_and_falls_when_that_is_moved() {
        let mut clint = clint();
        assert_eq!(clint.next_event(), u64::MAX);
        set_compare(&mut clint, 20, 55);
        assert_eq!(clint.next_event(), 200);
        assert_eq!(told(&mut clint, 199), []);
        assert_eq!(told(&mut clint, 200), [(Irq::MACHINE_TIMER, true)]);
        assert_eq!(clint.next_event(), u64::MAX);
        set_compare(&mut clint, 40, 300);
        assert_eq!(told(&mut clint, 300), [(Irq::MACHINE_TIMER, false)]);
        assert_eq!(clint.next_event(), 400);
    }

    #[test]
    fn a_comparator_in_the_past_interrupts_at_once() {
        let mut clint = clint();
        set_compare(&mut clint, 3, 500);
        assert_eq!(clint.next_event(), 500);
        assert_eq!(told(&mut clint, 500), [(Irq::MACHINE_TIMER, true)]);
    }

    #[test]
    fn msip_is_the_software_interrupt() {
        let mut clint = clint();
        clint.write(MSIP, 4, 0xffff_ffff, 7).unwrap();
        assert_eq!(clint.read(MSIP, 4, 7), Ok(1));
        assert_eq!(told(&mut clint, 7), [(Irq::MACHINE_SOFTWARE, true)]);
        clint.write(MSIP, 4, 0, 8).unwrap();
        assert_eq!(told(&mut clint, 8), [(Irq::MACHINE_SOFTWARE, false)]);
    }

    #[test]
    fn a_second_core_has_no_registers() {
        assert!(matches!(
            clint().write(MSIP + 4, 4, 1, 0),
            Err(DeviceError::NotModelled(what)) if what.contains("0x4")
        ));
    }
}
