//! ST's real-time clock: the older layout (RM0090 chapter 26, RM0394 38) and the later one (RM0440 35).
//!
//! Modelled: the calendar with its prescalers, both alarms, the wake-up timer, and the backup registers. Time stamps, tampering,
//! calibration and shifting are not. Its interrupts go through lines of the EXTI.

mod calendar;

use bus::{Device, DeviceError, Effect, Irq, Outside, ResetCause};
use serde::Deserialize;

use crate::devices::requester::Requester;
use crate::devices::{Around, Settings, Ticks, not_modelled};
use calendar::Calendar;

/// Offsets of CR, ISR or ICSR, SSR, ALRMAR, ALRMASSR, ALRMBR, ALRMBSSR.
struct Layout([u32; 7]);

const OLDER: Layout = Layout([0x08, 0x0c, 0x28, 0x1c, 0x44, 0x20, 0x48]);
const LATER: Layout = Layout([0x18, 0x0c, 0x08, 0x40, 0x44, 0x48, 0x4c]);

const TR: u32 = 0x00;
const DR: u32 = 0x04;
const PRER: u32 = 0x10;
const WUTR: u32 = 0x14;
const WPR: u32 = 0x24;
/// The later layout's flags: shown, masked, cleared.
const SR: u32 = 0x50;
const MISR: u32 = 0x54;
const SCR: u32 = 0x5c;
/// The older layout's backup registers.
const BACKUP: std::ops::Range<u32> = 0x50..0xd0;

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
    later: bool,
    ticks: Ticks,
    /// Ticks into the present second, at the base of the others.
    into_second: u64,
    /// Ticks into the present period of the wake-up timer.
    into_period: u64,
    calendar: Calendar,
    control: u32,
    status: u32,
    prescaler: u32,
    wake_up: u32,
    /// Each with its sub-seconds.
    alarms: [[u32; 2]; 2],
    backup: [u32; 32],
    /// Keys that were written in order.
    keys: u8,
    lines: Requester,
}

impl Rtc {
    fn new(ticks: Ticks, later: bool, lines: Requester) -> Rtc {
        Rtc {
            later,
            ticks,
            into_second: 0,
            into_period: 0,
            calendar: Calendar::default(),
            control: 0,
            status: WRITABLE,
            prescaler: 0x007f_00ff,
            wake_up: 0xffff,
            alarms: [[0; 2]; 2],
            backup: [0; 32],
            keys: 0,
            lines,
        }
    }

    fn asynchronous(&self) -> u64 {
        u64::from(self.prescaler >> 16 & 0x7f) + 1
    }

    fn second(&self) -> u64 {
        self.asynchronous() * (u64::from(self.prescaler & 0x7fff) + 1)
    }

    /// Ticks between two wake-ups.
    fn period(&self) -> u64 {
        let count = u64::from(self.wake_up & 0xffff) + 1;
        match self.control & 7 {
            select @ 0..4 => count * (16 >> select),
            4 | 5 => count * self.second(),
            _ => (count + 0x1_0000) * self.second(),
        }
    }

    fn catch_up(&mut self, now: u64) {
        let ticks = self.ticks.take(now);
        if self.control & WAKE_UP != 0 {
            self.into_period += ticks;
            if self.into_period >= self.period() {
                self.into_period %= self.period();
                self.status |= WAKE_UP;
            }
        }
        if self.status & INITF != 0 {
            return;
        }
        self.into_second += ticks;
        while self.into_second >= self.second() {
            self.into_second -= self.second();
            self.calendar.tick(self.control & 1 << 6 != 0);
            for index in 0..2 {
                let on = self.control >> (8 + index) & 1 != 0;
                if on && self.calendar.matches(self.alarms[index][0]) {
                    self.status |= 1 << (8 + index);
                }
            }
        }
        self.status |= RSF;
    }

    fn sub_seconds(&self) -> u32 {
        let passed = self.into_second / self.asynchronous();
        u64::from(self.prescaler & 0x7fff).saturating_sub(passed) as u32
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

    fn write_control(&mut self, value: u32) -> Result<(), DeviceError> {
        if value & REFUSED != 0 {
            return not_modelled(format!("CR, a write of {value:#x}: time stamps"));
        }
        if value & !self.control & WAKE_UP != 0 {
            self.into_period = 0;
        }
        // Adding and subtracting an hour would be done at once, and reads as zero.
        self.control = value & !(3 << 16);
        Ok(())
    }

    fn write_status(&mut self, value: u32) {
        if !self.later {
            self.status &= value | !EVENTS;
        }
        if self.is_locked() {
            return;
        }
        self.status &= value | !RSF;
        if value & INIT != 0 {
            self.status |= INIT | INITF;
        } else if self.status & INITF != 0 {
            self.status = self.status & !(INIT | INITF) | INITS;
            self.into_second = 0;
        }
    }

    fn layout(&self) -> &'static Layout {
        if self.later { &LATER } else { &OLDER }
    }

    fn backup_register(&self, offset: u32) -> Option<usize> {
        let there = !self.later && BACKUP.contains(&offset);
        there.then_some((offset.wrapping_sub(BACKUP.start) / 4) as usize)
    }

    fn pending(&self) -> u32 {
        self.status & EVENTS & (self.control >> 4 & EVENTS)
    }
}

impl Device for Rtc {
    /// It is in the backup domain, and runs on.
    fn keep(&mut self, kept: &mut Outside, _cause: ResetCause) {
        kept.copy(self);
    }

    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        let Layout([control, status, sub_seconds, a, a_sub, b, b_sub]) = *self.layout();
        match offset & !3 {
            TR => Ok(self.calendar.time),
            DR => Ok(self.calendar.date),
            PRER => Ok(self.prescaler),
            WUTR => Ok(self.wake_up),
            WPR => Ok(0),
            SR if self.later => Ok(self.status >> 8 & 7),
            MISR if self.later => Ok(self.pending() >> 8),
            SCR if self.later => Ok(0),
            register if register == control => Ok(self.control),
            register if register == status && self.later => Ok(self.status & !EVENTS),
            register if register == status => Ok(self.status),
            register if register == sub_seconds => Ok(self.sub_seconds()),
            register if register == a => Ok(self.alarms[0][0]),
            register if register == a_sub => Ok(self.alarms[0][1]),
            register if register == b => Ok(self.alarms[1][0]),
            register if register == b_sub => Ok(self.alarms[1][1]),
            // Calibration, tampering, time stamps: as after reset.
            0x18 | 0x28..=0x40 | 0x4c => Ok(0),
            register => match self.backup_register(register) {
                Some(index) => Ok(self.backup[index]),
                None => not_modelled(format!("a read of offset {register:#x}")),
            },
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        let Layout([control, status, _, a, a_sub, b, b_sub]) = *self.layout();
        let register = offset & !3;
        if let Some(index) = self.backup_register(register) {
            self.backup[index] = value;
            return Ok(());
        }
        match register {
            WPR => self.unlock(value),
            SCR if self.later => self.status &= !(value << 8 & EVENTS),
            register if register == status => self.write_status(value),
            _ if self.is_locked() => {}
            register if register == control => return self.write_control(value),
            TR if self.status & INITF != 0 => self.calendar.time = value & 0x007f_7f7f,
            DR if self.status & INITF != 0 => self.calendar.date = value & 0x00ff_ff3f,
            PRER if self.status & INITF != 0 => self.prescaler = value & 0x007f_7fff,
            TR | DR | PRER => {}
            WUTR => self.wake_up = value & 0xffff,
            register if register == a => self.alarms[0][0] = value,
            register if register == b => self.alarms[1][0] = value,
            register if (register == a_sub || register == b_sub) && value >> 24 & 15 == 0 => {
                self.alarms[usize::from(register == b_sub)][1] = value;
            }
            0x18 | 0x28..=0x40 | 0x4c if value == 0 => {}
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        let wanted = self.control >> 4 & self.control & EVENTS & !self.status;
        let alarm = if wanted & !WAKE_UP == 0 || self.status & INITF != 0 {
            u64::MAX
        } else {
            self.ticks.cycle_of(self.second() - self.into_second)
        };
        if wanted & WAKE_UP == 0 {
            return alarm;
        }
        alarm.min(
            self.ticks
                .cycle_of(self.period().saturating_sub(self.into_period)),
        )
    }

    fn poll(&mut self, now: u64, _line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
    }

    fn take_effect(&mut self) -> Option<Effect> {
        let pending = self.pending();
        self.lines.tell([pending & !WAKE_UP != 0, pending & WAKE_UP != 0])
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if self.ticks.concerns(effect) {
            self.catch_up(now);
            self.ticks.hear(effect);
            self.ticks.restart(now);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
