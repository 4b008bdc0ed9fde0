//! The core-local interrupter (`SiFive` FE310-G002 manual, chapter 9) of one core: software interrupt, time, and timer interrupt.
//!
//! MTIME counts from 0 at reset. MTIMECMP, which real ones leave as it comes, begins at its greatest value.

use bus::{Device, DeviceError, Irq};
use serde::Deserialize;

use crate::devices::block::{Access, Peripheral, Regs, about, registers};
use crate::devices::output::Output;
use crate::devices::ticks::Ticks;
use crate::devices::{Around, Pace, Settings};
use crate::image::Architecture;

about! { Clint by ClintSettings, B,
    "FE310-G002 manual, 9",
    "MSIP, MTIME and MTIMECMP of one core; MTIME counts in its own clock",
    "more cores"
}

registers! { Clint;
    MSIP          = 0x0000 .write(1);
    MTIMECMP      = 0x4000 .shows(|clint, _| clint.compare as u32).then(|clint, write| clint.compare = with_low(clint.compare, write.value));
    MTIMECMP_HIGH = 0x4004 .shows(|clint, _| (clint.compare >> 32) as u32).then(|clint, write| clint.compare = with_high(clint.compare, write.value));
    MTIME         = 0xbff8 .shows(|clint, _| clint.time as u32).then(|clint, write| clint.time = with_low(clint.time, write.value));
    MTIME_HIGH    = 0xbffc .shows(|clint, _| (clint.time >> 32) as u32).then(|clint, write| clint.time = with_high(clint.time, write.value));
}

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
    regs: Regs<Self>,
    ticks: Ticks,
    /// MTIME where `ticks` are counted from.
    time: u64,
    compare: u64,
    software: Output,
    timer: Output,
}

impl Clint {
    /// MTIME counts these ticks.
    pub(crate) fn new(ticks: Ticks) -> Self {
        Clint {
            regs: Regs::default(),
            ticks,
            time: 0,
            compare: u64::MAX,
            software: Output::new(Some(Irq::MACHINE_SOFTWARE)),
            timer: Output::new(Some(Irq::MACHINE_TIMER)),
        }
    }

    /// The core cycle in which MTIME reaches MTIMECMP; `u64::MAX` if it is past it.
    fn match_cycle(&self) -> u64 {
        match self.compare.checked_sub(self.time) {
            Some(ticks @ 1..) => self.ticks.cycle_of(ticks),
            _ => u64::MAX,
        }
    }
}

impl Peripheral for Clint {
    const ACCESS: Access = Access::Words;

    fn advance(&mut self, now: u64) {
        self.time = self.time.wrapping_add(self.ticks.take(now));
    }

    fn settle(&mut self, now: u64) {
        self.software.set(self.regs[MSIP] != 0, now);
        self.timer.set(self.time >= self.compare, now);
    }

    fn due(&self) -> u64 {
        self.match_cycle().min(self.software.due()).min(self.timer.due())
    }

    fn lines(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.settle(now);
        self.software.tell(now, line);
        self.timer.tell(now, line);
    }

    fn out_of_reset(&mut self, now: u64) -> Result<(), DeviceError> {
        self.ticks.restart(now);
        self.time = 0;
        Ok(())
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
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
    use bus::{ClockId, Effect};

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
