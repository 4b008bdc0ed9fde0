//! RTC (RP2040 datasheet 4.8): a calendar that counts seconds, and an interrupt when chosen fields match.

use bus::{Device, Irq};
use serde::Deserialize;

use crate::devices::block::{Peripheral, Regs, Write, about, registers, tell};
use crate::devices::{Around, Settings, Ticks};

about! { Rtc by RtcSettings, B,
    "RP2040 datasheet 4.8",
    "a calendar that counts seconds, and an interrupt when chosen fields match",
    ""
}

registers! { Rtc;
    // Ticks of a second, less one.
    CLKDIV_M1   = 0x00 .write(0xffff);
    SETUP_0     = 0x04 .write(0x00ff_ff1f);
    SETUP_1     = 0x08 .write(0x071f_3f3f);
    CTRL        = 0x0c .write(ON | NOT_LEAP).strobe(LOAD | ON << 1).shows(|rtc, _| rtc.regs[CTRL] | (rtc.regs[CTRL] & ON) << 1).then(Rtc::control);
    IRQ_SETUP_0 = 0x10 .write(0x17ff_ff1f).shows(|rtc, _| rtc.regs[IRQ_SETUP_0] | (rtc.regs[IRQ_SETUP_0] & MATCH) << 1);
    IRQ_SETUP_1 = 0x14 .write(0xf71f_3f3f);
    // The date as it was when the time was read.
    RTC_1       = 0x18 .drops();
    RTC_0       = 0x1c .shows(|rtc, _| rtc.time).taken(|rtc, _| rtc.regs[RTC_1] = rtc.date).drops();
    INTR        = 0x20 .shows(|rtc, _| rtc.matches().into()).drops();
    INTE        = 0x24 .write(1);
    INTF        = 0x28 .write(1);
    INTS        = 0x2c .shows(|rtc, _| rtc.status()).drops();
}

/// CTRL: on, active, take the set-up, no leap year.
const ON: u32 = 1 << 0;
const LOAD: u32 = 1 << 4;
const NOT_LEAP: u32 = 1 << 8;
/// `IRQ_SETUP_0`: matching, which shows in the bit above.
const MATCH: u32 = 1 << 28;
/// The fields of `SETUP_0` and `IRQ_SETUP_0` with the bit that enables each: year, month, day; then those of 1: day of the week, hour, minute,
/// second.
const DATE: [(u32, u32); 3] = [(0xfff << 12, 26), (0xf << 8, 25), (0x1f, 24)];
const TIME: [(u32, u32); 4] = [(7 << 24, 31), (0x1f << 16, 30), (0x3f << 8, 29), (0x3f, 28)];

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RtcSettings {
    /// The clock that it divides to seconds.
    clock: Option<String>,
}

impl Settings for RtcSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let clock = around.clocks.wanted(self.clock.as_deref())?;
        Ok(Box::new(Rtc::new(around.irq, Ticks::of(clock))))
    }
}

/// The clock.
#[derive(Clone, Default)]
pub(crate) struct Rtc {
    regs: Regs<Self>,
    irq: Option<Irq>,
    ticks: Ticks,
    phase: u64,
    /// As `SETUP_0` and `SETUP_1` have them.
    date: u32,
    time: u32,
}

impl Rtc {
    fn new(irq: Option<Irq>, ticks: Ticks) -> Rtc {
        Rtc {
            irq,
            ticks,
            ..Rtc::default()
        }
    }

    fn second(&mut self) {
        let [hour, minute, second] = [self.time >> 16 & 31, self.time >> 8 & 63, self.time & 63];
        let all = 3600 * hour + 60 * minute + second + 1;
        let weekday = self.time >> 24 & 7;
        let clock = |all: u32| (all / 3600) << 16 | (all / 60 % 60) << 8 | (all % 60);
        if all < 86_400 {
            self.time = weekday << 24 | clock(all);
        } else {
            self.time = ((weekday + 1) % 7) << 24;
            self.next_day();
        }
    }

    fn next_day(&mut self) {
        let [year, month, day] = [self.date >> 12 & 0xfff, self.date >> 8 & 15, self.date & 31];
        // Every fourth year, unless the program says otherwise (4.8.4).
        let leap = year.is_multiple_of(4) && self.regs[CTRL] & NOT_LEAP == 0;
        let last = match month {
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => 31,
        };
        let (year, month, day) = match (month, day) {
            (_, day) if day < last => (year, month, day + 1),
            (12.., _) => (year + 1, 1, 1),
            _ => (year, month + 1, 1),
        };
        self.date = (year & 0xfff) << 12 | month << 8 | day;
    }

    fn matches(&self) -> bool {
        let (date, time) = (self.regs[IRQ_SETUP_0], self.regs[IRQ_SETUP_1]);
        let differs = |set: u32, is: u32, fields: &[(u32, u32)], enables: u32| {
            let chosen = fields.iter().filter(|(_, enable)| enables >> enable & 1 != 0);
            chosen.clone().any(|(field, _)| (set ^ is) & field != 0)
        };
        let any = DATE.iter().any(|(_, enable)| date >> enable & 1 != 0)
            || TIME.iter().any(|(_, enable)| time >> enable & 1 != 0);
        date & MATCH != 0
            && any
            && !differs(date, self.date, &DATE, date)
            && !differs(time, self.time, &TIME, time)
    }

    fn status(&self) -> u32 {
        u32::from(self.matches()) & self.regs[INTE] | self.regs[INTF]
    }

    fn control(&mut self, write: Write) {
        if write.value & LOAD != 0 {
            (self.date, self.time) = (self.regs[SETUP_0], self.regs[SETUP_1]);
            self.phase = 0;
        }
    }
}

impl Peripheral for Rtc {
    const RESTARTS: bool = true;

    fn advance(&mut self, now: u64) {
        let ticks = self.ticks.take(now);
        if self.regs[CTRL] & ON == 0 {
            return;
        }
        let second = u64::from(self.regs[CLKDIV_M1]) + 1;
        self.phase += ticks;
        while self.phase >= second {
            self.phase -= second;
            self.second();
        }
    }

    fn due(&self) -> u64 {
        if self.regs[CTRL] & ON == 0 || self.regs[INTE] == 0 {
            return u64::MAX;
        }
        let left = (u64::from(self.regs[CLKDIV_M1]) + 1).saturating_sub(self.phase);
        self.ticks.cycle_of(left)
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.status() != 0, line);
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::{ClockId, Effect};

    const SECOND: u64 = 1_000_000;

    fn at(date: [u32; 3], time: [u32; 4]) -> Rtc {
        let mut rtc = Rtc::new(Some(Irq::External(25)), Ticks::of(ClockId(1)));
        rtc.hear(Effect::Clock(ClockId::CORE, 1_000_000), 0).unwrap();
        rtc.hear(Effect::Clock(ClockId(1), 46_875), 0).unwrap();
        let [year, month, day] = date;
        let [weekday, hour, minute, second] = time;
        for (offset, value) in [
            (CLKDIV_M1, 46_874),
            (SETUP_0, year << 12 | month << 8 | day),
            (SETUP_1, weekday << 24 | hour << 16 | minute << 8 | second),
            (CTRL, LOAD),
            (CTRL, ON),
        ] {
            rtc.write(offset, 4, value, 0).unwrap();
        }
        rtc
    }

    #[test]
    fn a_second_carries_as_far_as_the_year() {
        let mut rtc = at([2023, 12, 31], [0, 23, 59, 59]);
        assert_eq!(rtc.read(RTC_0, 4, SECOND - 1), Ok(0x17_3b3b));
        assert_eq!(rtc.read(RTC_0, 4, SECOND), Ok(1 << 24));
        assert_eq!(rtc.read(RTC_1, 4, SECOND), Ok(2024 << 12 | 1 << 8 | 1));
        let mut leap = at([2024, 2, 28], [3, 23, 59, 59]);
        leap.read(RTC_0, 4, SECOND).unwrap();
        assert_eq!(leap.read(RTC_1, 4, SECOND), Ok(2024 << 12 | 0x21d));
    }

    #[test]
    fn fields_that_match_interrupt() {
        let mut rtc = at([2024, 5, 6], [1, 7, 8, 9]);
        rtc.write(IRQ_SETUP_1, 4, 1 << 28 | 0xb, 0).unwrap();
        rtc.write(IRQ_SETUP_0, 4, MATCH, 0).unwrap();
        rtc.write(INTE, 4, 1, 0).unwrap();
        assert_eq!(rtc.next_event(), SECOND);
        let high = |rtc: &mut Rtc, now: u64| {
            let mut high = false;
            rtc.poll(now, &mut |_, level| high = level);
            high
        };
        assert_eq!(
            [1, 2, 3].map(|second| high(&mut rtc, second * SECOND)),
            [false, true, false]
        );
    }
}
