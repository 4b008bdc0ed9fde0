//! TIMER (nRF52840 PS 6.30): counts 16 MHz divided by a power of two, or the task COUNT; captures and compares.

use bus::{Device, DeviceError};
use serde::Deserialize;

use super::{Frame, framed, of_channels};
use crate::devices::block::{Peripheral, Regs, about};
use crate::devices::{Around, Settings, Ticks, not_modelled};

about! { Timer by TimerSettings, B,
    "nRF52840 PS 6.30",
    "counts 16 MHz divided by a power of two, or the task COUNT; captures and compares",
    ""
}

framed! { Timer frame;
    MODE      = 0x504 .write(3);
    BITMODE   = 0x508 .write(3);
    PRESCALER = 0x510 .reset(4).write(15).then(|timer, write| timer.regs[PRESCALER] = (write.value & 15).min(9));
    CC        = 0x540 .times(6, 4).write(!0);
}

const START: u32 = 0;
const STOP: u32 = 1;
const COUNT: u32 = 2;
const CLEAR: u32 = 3;
const SHUTDOWN: u32 = 4;
const CAPTURE: u32 = 16;
/// The first event.
const COMPARE: u32 = 16;

const WIDTHS: [u32; 4] = [16, 8, 24, 32];

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimerSettings {
    /// How many registers it has to capture and compare.
    channels: u32,
}

impl Settings for TimerSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        if !(1..=6).contains(&self.channels) {
            return Err("a timer has 1 to 6 `channels`".into());
        }
        Ok(Box::new(Timer::new(
            Frame::new(around.base, around.irq),
            self.channels,
        )))
    }
}

/// One timer.
#[derive(Clone, Default)]
pub(crate) struct Timer {
    regs: Regs<Self>,
    frame: Frame,
    channels: u32,
    ticks: Ticks,
    /// Ticks of 16 MHz that are no whole step yet.
    phase: u64,
    runs: bool,
    count: u32,
}

impl Timer {
    fn new(frame: Frame, channels: u32) -> Timer {
        Timer {
            frame,
            channels,
            ticks: Ticks::fixed(16_000_000),
            ..Timer::default()
        }
    }

    fn counts_ticks(&self) -> bool {
        self.runs && self.regs[MODE] == 0
    }

    fn mask(&self) -> u32 {
        u32::MAX >> (32 - WIDTHS[self.regs[BITMODE] as usize])
    }

    /// Steps to the next compare: which one is met then follows from the count.
    fn to_compare(&self) -> u64 {
        let steps =
            |compare: u32| u64::from(compare.wrapping_sub(self.count).wrapping_sub(1) & self.mask()) + 1;
        let all = (0..self.channels).map(|channel| steps(self.regs[CC + 4 * channel] & self.mask()));
        all.min().unwrap_or(u64::MAX)
    }

    /// Counts so far that at most the last step meets a compare.
    fn step(&mut self, steps: u64) {
        self.count = self.count.wrapping_add(steps as u32) & self.mask();
        let count = self.count;
        for channel in 0..self.channels {
            if self.regs[CC + 4 * channel] & self.mask() == count {
                self.frame.raise(COMPARE + channel);
                if self.frame.shorts >> channel & 1 != 0 {
                    self.count = 0;
                }
                if self.frame.shorts >> (8 + channel) & 1 != 0 {
                    self.runs = false;
                }
            }
        }
    }

    fn task(&mut self, task: u32, now: u64) -> Result<(), DeviceError> {
        self.advance(now);
        match task {
            START => {
                if !self.runs {
                    (self.runs, self.phase) = (true, 0);
                    self.ticks.restart(now);
                }
            }
            STOP => self.runs = false,
            SHUTDOWN => (self.runs, self.count) = (false, 0),
            COUNT => {
                if self.runs && self.regs[MODE] != 0 {
                    self.step(1);
                }
            }
            CLEAR => {
                (self.count, self.phase) = (0, 0);
                self.ticks.restart(now);
            }
            CAPTURE.. if task - CAPTURE < self.channels => {
                self.regs[CC + 4 * (task - CAPTURE)] = self.count;
            }
            _ => return not_modelled(format!("task {task}")),
        }
        Ok(())
    }
}

impl Peripheral for Timer {
    const RESTARTS: bool = true;

    fn bank(&self, offset: u32) -> u32 {
        of_channels(offset, CC, self.channels)
    }

    fn advance(&mut self, now: u64) {
        let ticks = self.ticks.take(now);
        if !self.counts_ticks() {
            return;
        }
        self.phase += ticks;
        let mut steps = self.phase >> self.regs[PRESCALER];
        self.phase &= (1 << self.regs[PRESCALER]) - 1;
        // Beyond two whole rounds nothing new happens but the place in the last one.
        let round = u64::from(self.mask()) + 1;
        if steps > 3 * round && self.frame.shorts == 0 {
            steps = 2 * round + steps % round;
        }
        while steps > 0 && self.runs {
            let some = steps.min(self.to_compare());
            steps -= some;
            self.step(some);
        }
    }

    fn due(&self) -> u64 {
        if !self.counts_ticks() {
            return u64::MAX;
        }
        let ticks = (self.to_compare() << self.regs[PRESCALER]).saturating_sub(self.phase);
        self.ticks.cycle_of(ticks)
    }

    fn counted_clock(&mut self) -> Option<&mut Ticks> {
        Some(&mut self.ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::{ClockId, Effect, Irq};

    fn timer() -> Timer {
        let mut timer = Timer::new(Frame::new(0x4000_8000, Some(Irq::External(8))), 4);
        timer.hear(Effect::Clock(ClockId::CORE, 64_000_000), 0).unwrap();
        for (offset, value) in [(BITMODE, 3), (PRESCALER, 4), (CC, 100), (0x304, 1 << 16)] {
            timer.write(offset, 4, value, 0).unwrap();
        }
        timer
    }

    #[test]
    fn a_compare_interrupts_and_a_shortcut_starts_over() {
        let mut timer = timer();
        timer.write(0x200, 4, 1, 0).unwrap();
        timer.write(0, 4, 1, 0).unwrap();
        // A microsecond each.
        assert_eq!(timer.next_event(), 6400);
        let mut high = false;
        timer.poll(6400, &mut |_, level| high = level);
        assert!(high);
        assert_eq!(timer.take_effect(), Some(Effect::Pulse(0x4000_8140)));
        timer.write(0x140, 4, 0, 6400).unwrap();
        assert_eq!(timer.next_event(), 12_800);
        timer.write(0x44, 4, 1, 6400 + 640).unwrap();
        assert_eq!(timer.read(CC + 4, 4, 8000), Ok(10), "captured");
    }

    #[test]
    fn it_counts_tasks() {
        let mut timer = timer();
        for (offset, value) in [(MODE, 1), (CC, 2), (0, 1), (8, 1), (8, 1)] {
            timer.write(offset, 4, value, 0).unwrap();
        }
        assert_eq!((timer.count, timer.read(0x140, 4, 0)), (2, Ok(1)));
        timer.hear(Effect::Pulse(0x4000_8008), 0).unwrap();
        assert_eq!(timer.count, 3);
    }
}
