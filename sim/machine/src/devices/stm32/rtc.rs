//! ST's real-time clock: the older layout (RM0090 chapter 26, RM0394 38) and the later one (RM0440 35).
//!
//! Modelled: the calendar with its prescalers, both alarms, the wake-up timer, and the backup registers. Time stamps, tampering,
//! calibration and shifting are not. Its interrupts go through lines of the EXTI.

mod calendar;

use bus::{Device, Effect, Outside, ResetCause};
use serde::Deserialize;

use crate::devices::block::{Peripheral, Regs, Write, about, registers};
use crate::devices::requester::Requester;
use crate::devices::{Around, Settings, Ticks};
use calendar::Calendar;

about! { Rtc by RtcSettings, B,
    "RM0090 26; RM0394 38; RM0440 35",
    "calendar, alarms (by seconds), wake-up timer, backup registers",
    "time stamps, tampering, calibration, alarms with sub-seconds"
}

// Offsets of the older layout.
registers! { Rtc;
    TR     = 0x00 .shows(|rtc, _| rtc.calendar.time).then(|rtc, write| rtc.calendar.time = write.value & 0x007f_7f7f);
    DR     = 0x04 .shows(|rtc, _| rtc.calendar.date).then(|rtc, write| rtc.calendar.date = write.value & 0x00ff_ff3f);
    CR     = 0x08 .write(!(AN_HOUR | REFUSED)).strobe(AN_HOUR).refuse(REFUSED, ": time stamps").then(Rtc::control);
    ISR    = 0x0c .reset(WRITABLE).shows(|rtc, _| rtc.status()).then(Rtc::write_status);
    PRER   = 0x10 .reset(0x007f_00ff).write(0x007f_7fff);
    WUTR   = 0x14 .reset(0xffff).write(0xffff);
    CALIBR = 0x18 .refuse(!0, ": calibration").drops();
    ALRMR  = 0x1c .times(2, 4).write(!0);
    WPR    = 0x24 .then(|rtc, write| rtc.unlock(write.value));
    SSR    = 0x28 .shows(|rtc, _| rtc.sub_seconds());
    SHIFTR = 0x2c .times(6, 4).refuse(!0, ": calibration, shifting, tampering, or time stamps").drops();
    ALRMSSR = 0x44 .times(2, 4).write(!MASKSS).refuse(MASKSS, ": an alarm at a part of a second");
    OR     = 0x4c .refuse(!0, ": choices of pins").drops();
    BKPR   = 0x50 .times(32, 4).write(!0);
    // The later layout alone, with the flags of ISR: shown, masked, cleared.
    SR     = 0x150 .shows(|rtc, _| rtc.regs[ISR] >> 8 & 7);
    MISR   = 0x154 .shows(|rtc, _| rtc.pending() >> 8);
    SCR    = 0x15c .then(|rtc, write| rtc.regs[ISR] &= !(write.value << 8 & EVENTS));
}

/// How far the registers of the later layout alone are from their offsets.
const LATER: u32 = 0x100;

/// ISR: what is ready to be written, initialised, shadows in step, in initialisation; the request for that.
const WRITABLE: u32 = 7;
const INITS: u32 = 1 << 4;
const RSF: u32 = 1 << 5;
const INITF: u32 = 1 << 6;
const INIT: u32 = 1 << 7;
/// CR: alarm A, alarm B and wake-up are on; four bits above their interrupts. ISR has their flags here too.
const EVENTS: u32 = 7 << 8;
const WAKE_UP: u32 = 1 << 10;
/// CR: time stamps, and others that are not modelled.
const REFUSED: u32 = 1 << 11 | 1 << 15;
/// CR: an hour more or less, at once.
const AN_HOUR: u32 = 3 << 16;
/// ALRMASSR and ALRMBSSR: the bits of a second that are compared.
const MASKSS: u32 = 15 << 24;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RtcSettings {
    /// The clock that its prescalers divide.
    clock: Option<String>,
    /// Whether it has the later layout.
    #[serde(default)]
    later: bool,
}

impl Settings for RtcSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let clock = around.clocks.wanted(self.clock.as_deref())?;
        let lines = [around.wire("ALARM"), around.wire("WAKEUP")];
        Ok(Box::new(Rtc::new(
            Ticks::of(clock),
            self.later,
            Requester::new(lines),
        )))
    }
}

/// The clock.
#[derive(Clone)]
pub(crate) struct Rtc {
    regs: Regs<Self>,
    later: bool,
    ticks: Ticks,
    /// Ticks into the present second, at the base of the others.
    into_second: u64,
    /// Ticks into the present period of the wake-up timer.
    into_period: u64,
    calendar: Calendar,
    /// Keys that were written in order.
    keys: u8,
    lines: Requester,
}

impl Rtc {
    fn new(ticks: Ticks, later: bool, lines: Requester) -> Rtc {
        Rtc {
            regs: Regs::default(),
            later,
            ticks,
            into_second: 0,
            into_period: 0,
            calendar: Calendar::default(),
            keys: 0,
            lines,
        }
    }

    fn asynchronous(&self) -> u64 {
        u64::from(self.regs[PRER] >> 16 & 0x7f) + 1
    }

    fn second(&self) -> u64 {
        self.asynchronous() * (u64::from(self.regs[PRER] & 0x7fff) + 1)
    }

    /// Ticks between two wake-ups.
    fn period(&self) -> u64 {
        let count = u64::from(self.regs[WUTR] & 0xffff) + 1;
        match self.regs[CR] & 7 {
            select @ 0..4 => count * (16 >> select),
            4 | 5 => count * self.second(),
            _ => (count + 0x1_0000) * self.second(),
        }
    }

    fn initialises(&self) -> bool {
        self.regs[ISR] & INITF != 0
    }

    fn sub_seconds(&self) -> u32 {
        let passed = self.into_second / self.asynchronous();
        u64::from(self.regs[PRER] & 0x7fff).saturating_sub(passed) as u32
    }

    fn is_locked(&self) -> bool {
        self.keys < 2
    }

    fn unlock(&mut self, key: u32) {
        self.keys = match (key & 0xff, self.keys) {
            (0xca, _) => 1,
            (0x53, 1) => 2,
            _ => 0,
        };
    }

    fn control(&mut self, Write { value, old, .. }: Write) {
        if value & !old & WAKE_UP != 0 {
            self.into_period = 0;
        }
    }

    /// ISR, or ICSR, which has no flags of events.
    fn status(&self) -> u32 {
        self.regs[ISR] & if self.later { !EVENTS } else { !0 }
    }

    fn write_status(&mut self, Write { value, .. }: Write) {
        let mut status = self.regs[ISR];
        if !self.later {
            status &= value | !EVENTS;
        }
        if !self.is_locked() {
            status &= value | !RSF;
            if value & INIT != 0 {
                status |= INIT | INITF;
            } else if status & INITF != 0 {
                status = status & !(INIT | INITF) | INITS;
                self.into_second = 0;
            }
        }
        self.regs[ISR] = status;
    }

    fn pending(&self) -> u32 {
        self.regs[ISR] & EVENTS & (self.regs[CR] >> 4 & EVENTS)
    }
}

impl Peripheral for Rtc {
    const RESTARTS: bool = true;

    fn bank(&self, offset: u32) -> u32 {
        match offset & !3 {
            register if !self.later => {
                if register < SR {
                    register
                } else {
                    u32::MAX
                }
            }
            0x08 => SSR,
            0x18 => CR,
            0x40 => ALRMR,
            0x48 => ALRMR + 4,
            0x4c => ALRMSSR + 4,
            0x28 => SHIFTR,
            0x50 | 0x54 | 0x5c => offset + LATER,
            0x1c | 0x20 | 0x50.. => u32::MAX,
            register => register,
        }
    }

    fn ignores(&self, row: u32, _n: usize) -> bool {
        match row {
            ISR | WPR | BKPR | SCR => false,
            TR | DR | PRER => self.is_locked() || !self.initialises(),
            _ => self.is_locked(),
        }
    }

    fn advance(&mut self, now: u64) {
        let ticks = self.ticks.take(now);
        if self.regs[CR] & WAKE_UP != 0 {
            self.into_period += ticks;
            if self.into_period >= self.period() {
                self.into_period %= self.period();
                self.regs[ISR] |= WAKE_UP;
            }
        }
        if self.initialises() {
            return;
        }
        self.into_second += ticks;
        while self.into_second >= self.second() {
            self.into_second -= self.second();
            self.calendar.tick(self.regs[CR] & 1 << 6 != 0);
            for alarm in 0..2 {
                let on = self.regs[CR] >> (8 + alarm) & 1 != 0;
                if on && self.calendar.matches(self.regs[ALRMR + 4 * alarm]) {
                    self.regs[ISR] |= 1 << (8 + alarm);
                }
            }
        }
        self.regs[ISR] |= RSF;
    }

    fn due(&self) -> u64 {
        let wanted = self.regs[CR] >> 4 & self.regs[CR] & EVENTS & !self.regs[ISR];
        let alarm = if wanted & !WAKE_UP == 0 || self.initialises() {
            u64::MAX
        } else {
            self.ticks.cycle_of(self.second() - self.into_second)
        };
        if wanted & WAKE_UP == 0 {
            return alarm;
        }
        let wake_up = self.period().saturating_sub(self.into_period);
        alarm.min(self.ticks.cycle_of(wake_up))
    }

    fn effect(&mut self) -> Option<Effect> {
        let pending = self.pending();
        self.lines.tell([pending & !WAKE_UP != 0, pending & WAKE_UP != 0])
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }

    /// It is in the backup domain, and runs on.
    fn kept(&mut self, kept: &mut Outside, _cause: ResetCause) {
        kept.copy(self);
    }
}

#[cfg(test)]
mod tests;
