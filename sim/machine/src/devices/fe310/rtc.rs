//! The real-time clock of the always-on domain (manual, chapter 16): a counter of 48 bits at 32,768 Hz, and a comparator on 32
//! bits of it.
//!
//! The comparator, which real ones leave as it comes, begins at its greatest value.

use bus::{Device, Irq};
use serde::Deserialize;

use crate::devices::block::{Access, Peripheral, Regs, about, flag, registers};
use crate::devices::output::Output;
use crate::devices::{Around, Pace, Settings, Ticks};

about! { Rtc by RtcSettings, B,
    "FE310-G002 manual, 16",
    "counter, scale, comparator with interrupt",
    ""
}

// Offsets from RTCCFG, which is at 0x40 of the always-on domain.
registers! { Rtc;
    // SCALE in bits 0 to 3, ALWAYS.
    CONFIG     = 0x00 .write(ALWAYS | 0xf).strobe(PENDING).shows(|rtc, _| rtc.regs[CONFIG] | flag(rtc.pending(), PENDING));
    COUNT_LOW  = 0x08 .shows(|rtc, _| rtc.count as u32).then(|rtc, write| rtc.count = rtc.count >> 32 << 32 | u64::from(write.value));
    COUNT_HIGH = 0x0c .shows(|rtc, _| (rtc.count >> 32) as u32).then(|rtc, write| {
        rtc.count = (rtc.count & u64::from(u32::MAX) | u64::from(write.value) << 32) & COUNTER;
    });
    SCALED     = 0x10 .shows(|rtc, _| rtc.scaled()).drops();
    COMPARE    = 0x20 .reset(!0).write(!0);
}

/// CONFIG: count; the comparator is reached.
const ALWAYS: u32 = 1 << 12;
const PENDING: u32 = 1 << 28;
const COUNTER: u64 = (1 << 48) - 1;

/// The board file's entry: the clock that it counts.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct RtcSettings(Pace);

impl Settings for RtcSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        Ok(Box::new(Rtc::new(self.0.ticks(around.clocks)?, around.irq)))
    }
}

/// The clock.
#[derive(Clone, Default)]
pub(crate) struct Rtc {
    regs: Regs<Self>,
    ticks: Ticks,
    /// The counter where `ticks` are counted from.
    count: u64,
    output: Output,
}

impl Rtc {
    pub(crate) fn new(ticks: Ticks, irq: Option<Irq>) -> Self {
        Rtc {
            ticks,
            output: Output::new(irq),
            ..Rtc::default()
        }
    }

    fn counts(&self) -> bool {
        self.regs[CONFIG] & ALWAYS != 0
    }

    fn scale(&self) -> u32 {
        self.regs[CONFIG] & 0xf
    }

    fn scaled(&self) -> u32 {
        (self.count >> self.scale()) as u32
    }

    fn pending(&self) -> bool {
        self.scaled() >= self.regs[COMPARE]
    }
}

impl Peripheral for Rtc {
    const ACCESS: Access = Access::Words;

    fn advance(&mut self, now: u64) {
        let ticks = self.ticks.take(now);
        if self.counts() {
            self.count = self.count.wrapping_add(ticks) & COUNTER;
        }
        self.output.set(self.pending(), now);
    }

    fn settle(&mut self, now: u64) {
        self.output.set(self.pending(), now);
    }

    fn due(&self) -> u64 {
        let reached = u64::from(self.regs[COMPARE]) << self.scale();
        let waits = self.counts() && !self.pending();
        let ticks = reached.checked_sub(self.count).filter(|_| waits);
        let reached = ticks.map_or(u64::MAX, |ticks| self.ticks.cycle_of(ticks));
        reached.min(self.output.due())
    }

    fn lines(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
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

    /// A tick is ten cycles.
    fn rtc() -> Rtc {
        let mut rtc = Rtc::new(Ticks::fixed(32_768), Some(Irq::Source(2)));
        rtc.hear(Effect::Clock(ClockId::CORE, 327_680), 0).unwrap();
        rtc
    }

    fn told(rtc: &mut Rtc, now: u64) -> Vec<bool> {
        let mut told = Vec::new();
        rtc.poll(now, &mut |_, level| told.push(level));
        told
    }

    #[test]
    fn counts_only_while_it_is_on() {
        let mut rtc = rtc();
        assert_eq!(rtc.read(COUNT_LOW, 4, 1_000), Ok(0));
        rtc.write(CONFIG, 4, ALWAYS, 1_000).unwrap();
        assert_eq!(rtc.read(COUNT_LOW, 4, 1_990), Ok(99));
        rtc.write(CONFIG, 4, 0, 2_000).unwrap();
        assert_eq!(rtc.read(COUNT_LOW, 4, 9_000), Ok(100));
    }

    #[test]
    fn the_comparator_sees_the_scaled_count() {
        let mut rtc = rtc();
        rtc.write(CONFIG, 4, ALWAYS | 3, 0).unwrap();
        rtc.write(COMPARE, 4, 5, 0).unwrap();
        assert_eq!(rtc.next_event(), 5 * 8 * 10);
        assert_eq!(told(&mut rtc, 399), []);
        assert_eq!(told(&mut rtc, 400), [true]);
        assert_eq!(rtc.read(SCALED, 4, 400), Ok(5));
        assert_eq!(rtc.read(CONFIG, 4, 400), Ok(PENDING | ALWAYS | 3));
        rtc.write(COMPARE, 4, 6, 410).unwrap();
        assert_eq!(told(&mut rtc, 410), [false]);
    }

    #[test]
    fn the_count_has_48_bits() {
        let mut rtc = rtc();
        rtc.write(COUNT_LOW, 4, u32::MAX, 0).unwrap();
        rtc.write(COUNT_HIGH, 4, u32::MAX, 0).unwrap();
        assert_eq!(rtc.read(COUNT_HIGH, 4, 0), Ok(0xffff));
        rtc.write(CONFIG, 4, ALWAYS, 0).unwrap();
        assert_eq!(rtc.read(COUNT_HIGH, 4, 10), Ok(0));
    }
}
