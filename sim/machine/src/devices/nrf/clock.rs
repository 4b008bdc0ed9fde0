//! CLOCK and POWER, which share their addresses (nRF52840 PS 5.4, 5.3): oscillators that take their time to start, regulators that are held.
//! The core's clock is 64 MHz whichever oscillator it comes from. System off ends the run.

use bus::{ClockId, Device, DeviceError, Effect, End, Irq, Outside, ResetCause};

use super::{Frame, Written, element};
use crate::devices::not_modelled;
use crate::devices::{Around, Ticks};

/// Tasks.
const HFCLKSTART: u32 = 0;
const HFCLKSTOP: u32 = 1;
const LFCLKSTART: u32 = 2;
const LFCLKSTOP: u32 = 3;
const CAL: u32 = 4;
/// CONSTLAT and LOWPWR.
const CONSTLAT: u32 = 30;
/// Events.
const HFCLKSTARTED: u32 = 0;
const LFCLKSTARTED: u32 = 1;
const DONE: u32 = 3;

const RESETREAS: u32 = 0x400;
const HFCLKRUN: u32 = 0x408;
const HFCLKSTAT: u32 = 0x40c;
const LFCLKRUN: u32 = 0x414;
const LFCLKSTAT: u32 = 0x418;
const LFCLKSRCCOPY: u32 = 0x41c;
const USBREGSTATUS: u32 = 0x438;
const SYSTEMOFF: u32 = 0x500;
const LFCLKSRC: u32 = 0x518;
const HELD: u32 = 0x500;
/// GPREGRET and GPREGRET2, among what is held.
const GPREGRET: [usize; 2] = [7, 8];
/// RESETREAS: the watchdog, and the program.
const DOG: u32 = 1 << 1;
const SREQ: u32 = 1 << 2;

/// Microseconds until the crystals are there: 64 MHz, 32 kHz; and the low-frequency RC oscillator (PS 5.4.5, typical).
const HFXO_US: u64 = 360;
const LFXO_US: u64 = 250_000;
const LFRC_US: u64 = 600;

/// Both.
#[derive(Clone)]
pub(crate) struct ClockPower {
    frame: Frame,
    ticks: Ticks,
    /// The core cycle in which each is there: high frequency, low frequency.
    due: [Option<u64>; 2],
    runs: [bool; 2],
    /// LFCLKSRC when it was started.
    source: u32,
    /// From 0x500 on.
    held: [u32; 0x140],
    reasons: u32,
    off: bool,
}

impl ClockPower {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        Box::new(ClockPower::new(Frame::new(around.base, around.irq)))
    }

    fn new(frame: Frame) -> ClockPower {
        ClockPower {
            frame,
            ticks: Ticks::fixed(1_000_000),
            due: [None; 2],
            runs: [false; 2],
            source: 0,
            held: [0; 0x140],
            reasons: 0,
            off: false,
        }
    }

    fn start(&mut self, which: usize, after_us: u64, now: u64) {
        self.ticks.restart(now);
        self.due[which] = Some(self.ticks.cycle_of(after_us));
    }

    fn task(&mut self, task: u32, now: u64) -> Result<(), DeviceError> {
        match task {
            HFCLKSTART => self.start(0, HFXO_US, now),
            HFCLKSTOP | LFCLKSTOP => {
                let which = (task / 2) as usize;
                (self.due[which], self.runs[which]) = (None, false);
            }
            LFCLKSTART => {
                self.source = self.held[(LFCLKSRC - HELD) as usize / 4];
                self.start(1, if self.source & 3 == 0 { LFRC_US } else { LFXO_US }, now);
            }
            // The RC oscillator is as good as it gets.
            CAL => self.frame.raise(DONE),
            CONSTLAT | 31 => {}
            _ => return not_modelled(format!("task {task}")),
        }
        Ok(())
    }

    fn catch_up(&mut self, now: u64) {
        for (which, event) in [(0, HFCLKSTARTED), (1, LFCLKSTARTED)] {
            if self.due[which].is_some_and(|due| due <= now) {
                (self.due[which], self.runs[which]) = (None, true);
                self.frame.raise(event);
            }
        }
    }

    fn status(&self, which: usize, source: u32) -> u32 {
        if self.runs[which] { 1 << 16 | source } else { 0 }
    }
}

impl Device for ClockPower {
    fn read(&mut self, offset: u32, _size: u32, now: u64) -> Result<u32, DeviceError> {
        self.catch_up(now);
        if let Some(word) = self.frame.read(offset) {
            return Ok(word);
        }
        match offset & !3 {
            HFCLKRUN => Ok((self.runs[0] || self.due[0].is_some()).into()),
            LFCLKRUN => Ok((self.runs[1] || self.due[1].is_some()).into()),
            // Without the crystal it runs from its RC oscillator.
            HFCLKSTAT => Ok(1 << 16 | u32::from(self.runs[0])),
            LFCLKSTAT => Ok(self.status(1, self.source & 3)),
            LFCLKSRCCOPY => Ok(self.source),
            // No USB is connected; the banks of RAM are on; the voltage is normal.
            USBREGSTATUS | 0x428 | 0x640 => Ok(0),
            RESETREAS => Ok(self.reasons),
            register => match element(register, HELD, 0x140) {
                Some(index) => Ok(self.held[index]),
                None => not_modelled(format!("a read of offset {register:#x}")),
            },
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, now: u64) -> Result<(), DeviceError> {
        self.catch_up(now);
        match self.frame.write(offset, value) {
            Written::Done => return Ok(()),
            Written::Task(task) => return self.task(task, now),
            Written::Other => {}
        }
        match offset & !3 {
            RESETREAS => self.reasons &= !value,
            SYSTEMOFF => self.off = value & 1 != 0,
            register => match element(register, HELD, 0x140) {
                Some(index) => self.held[index] = value,
                None => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
            },
        }
        Ok(())
    }

    fn next_event(&self) -> u64 {
        let due = self.due.iter().flatten().copied().min();
        due.unwrap_or(u64::MAX)
    }

    fn poll(&mut self, now: u64, line: &mut dyn FnMut(Irq, bool)) {
        self.catch_up(now);
        self.frame.tell(line);
    }

    fn take_effect(&mut self) -> Option<Effect> {
        if std::mem::take(&mut self.off) {
            return Some(Effect::End(End::Exit(0)));
        }
        self.frame.take_effect()
    }

    /// RESETREAS gathers the causes, until the program clears them. GPREGRET is kept where the program asked for the reset (PS 5.3.6).
    fn keep(&mut self, kept: &mut Outside, cause: ResetCause) {
        let [first, second] = GPREGRET;
        let mut held = match cause {
            ResetCause::Software => [self.reasons | SREQ, self.held[first], self.held[second]],
            ResetCause::Watchdog | ResetCause::WindowWatchdog => [self.reasons | DOG, 0, 0],
        };
        kept.copy(&mut held);
        [self.reasons, self.held[first], self.held[second]] = held;
    }

    fn hear(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(ClockId::CORE, _) = effect {
            self.ticks.hear(effect);
        }
        match self.frame.hears(effect) {
            Some(task) => self.task(task, now),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crystal_takes_its_time_and_says_so() {
        let mut clock = ClockPower::new(Frame::new(0x4000_0000, Some(Irq::External(0))));
        clock.hear(Effect::Clock(ClockId::CORE, 64_000_000), 0).unwrap();
        clock.write(super::super::INTENSET, 4, 1, 0).unwrap();
        clock.write(0, 4, 1, 0).unwrap();
        assert_eq!(
            (clock.next_event(), clock.read(HFCLKSTAT, 4, 0)),
            (360 * 64, Ok(1 << 16))
        );
        let mut high = false;
        clock.poll(360 * 64, &mut |_, level| high = level);
        assert!(high);
        assert_eq!(clock.read(HFCLKSTAT, 4, 360 * 64), Ok(1 << 16 | 1));
        assert_eq!(clock.take_effect(), Some(Effect::Pulse(0x4000_0100)));
    }
}
