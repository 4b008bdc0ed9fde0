//! RTC (nRF52840 PS 6.22): 24 bits that count 32,768 Hz divided by 1 to 4096. The low-frequency clock is assumed to run.

use bus::{Device, DeviceError};
use serde::Deserialize;

use super::{Frame, framed, of_channels};
use crate::devices::block::{Peripheral, Regs, about};
use crate::devices::{Around, Settings, Ticks, not_modelled};

about! { Rtc by RtcSettings, B,
    "nRF52840 PS 6.22",
    "24 bits at 32,768 Hz divided by 1 to 4096, compares",
    "a low-frequency clock that does not run"
}

framed! { Rtc frame;
    // The events that PPI hears of and that set their register, as those do that interrupt.
    EVTEN     = 0x340 .write(!0);
    EVTENSET  = 0x344 .sets(EVTEN, !0);
    EVTENCLR  = 0x348 .clears(EVTEN, !0);
    COUNTER   = 0x504 .shows(|rtc, _| rtc.count);
    // Is used from START, CLEAR or TRIGOVRFLW on (6.22.3).
    PRESCALER = 0x508 .write(0xfff);
    CC        = 0x540 .times(4, 4).write(MASK);
}

const START: u32 = 0;
const STOP: u32 = 1;
const CLEAR: u32 = 2;
const TRIGOVRFLW: u32 = 3;
/// Events.
const TICK: u32 = 0;
const OVRFLW: u32 = 1;
const COMPARE: u32 = 16;

const MASK: u32 = 0x00ff_ffff;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RtcSettings {
    /// How many registers it has to compare.
    channels: u32,
}

impl Settings for RtcSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        if !(1..=4).contains(&self.channels) {
            return Err("an RTC has 1 to 4 `channels`".into());
        }
        Ok(Box::new(Rtc::new(
            Frame::new(around.base, around.irq),
            self.channels,
        )))
    }
}

/// One RTC.
#[derive(Clone, Default)]
pub(crate) struct Rtc {
    regs: Regs<Self>,
    frame: Frame,
    channels: u32,
    ticks: Ticks,
    phase: u64,
    runs: bool,
    /// The prescaler that is used.
    divider: u32,
    count: u32,
}

impl Rtc {
    fn new(frame: Frame, channels: u32) -> Rtc {
        Rtc {
            frame,
            channels,
            ticks: Ticks::fixed(32_768),
            ..Rtc::default()
        }
    }

    fn wanted(&self) -> u32 {
        self.regs[EVTEN] | self.frame.enabled
    }

    fn raise(&mut self, event: u32) {
        if self.wanted() >> event & 1 != 0 {
            self.frame.raise(event);
        }
    }

    /// Steps to the next thing that somebody wants to hear of.
    fn to_event(&self) -> u64 {
        let steps = |value: u32| u64::from(value.wrapping_sub(self.count).wrapping_sub(1) & MASK) + 1;
        let wants = |event: u32| self.wanted() >> event & 1 != 0;
        let compares = (0..self.channels).filter(|&channel| wants(COMPARE + channel));
        let compares = compares.map(|channel| steps(self.regs[CC + 4 * channel]));
        let overflow = wants(OVRFLW).then(|| steps(0));
        let tick = wants(TICK).then_some(1);
        compares.chain(overflow).chain(tick).min().unwrap_or(u64::MAX)
    }

    fn task(&mut self, task: u32, now: u64) -> Result<(), DeviceError> {
        self.advance(now);
        match task {
            START if self.runs => {}
            START => {
                self.runs = true;
                self.restart(now);
            }
            STOP => self.runs = false,
            CLEAR => {
                self.count = 0;
                self.restart(now);
            }
            TRIGOVRFLW => {
                self.count = 0x00ff_fff0;
                self.restart(now);
            }
            _ => return not_modelled(format!("task {task}")),
        }
        Ok(())
    }

    /// The prescaler begins anew, with what was written.
    fn restart(&mut self, now: u64) {
        (self.divider, self.phase) = (self.regs[PRESCALER], 0);
        self.ticks.restart(now);
    }
}

impl Peripheral for Rtc {
    const RESTARTS: bool = true;

    fn bank(&self, offset: u32) -> u32 {
        of_channels(offset, CC, self.channels)
    }

    fn advance(&mut self, now: u64) {
        let ticks = self.ticks.take(now);
        if !self.runs {
            return;
        }
        self.phase += ticks;
        let period = u64::from(self.divider) + 1;
        let mut steps = self.phase / period;
        self.phase %= period;
        while steps > 0 {
            let some = steps.min(self.to_event());
            steps -= some;
            self.count = self.count.wrapping_add(some as u32) & MASK;
            self.raise(TICK);
            if self.count == 0 {
                self.raise(OVRFLW);
            }
            for channel in 0..self.channels {
                if self.regs[CC + 4 * channel] == self.count {
                    self.raise(COMPARE + channel);
                }
            }
        }
    }

    fn due(&self) -> u64 {
        let steps = self.to_event();
        if !self.runs || steps == u64::MAX {
            return u64::MAX;
        }
        let ticks = steps * (u64::from(self.divider) + 1) - self.phase;
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

    #[test]
    fn a_compare_is_an_event_if_somebody_wants_it() {
        let mut rtc = Rtc::new(Frame::new(0x4000_b000, Some(Irq::External(11))), 3);
        rtc.hear(Effect::Clock(ClockId::CORE, 65_536_000), 0).unwrap();
        for (offset, value) in [(PRESCALER, 1), (CC, 5), (CC + 4, 7), (0x304, 1 << 16), (0, 1)] {
            rtc.write(offset, 4, value, 0).unwrap();
        }
        assert_eq!(rtc.next_event(), 5 * 4000);
        let mut high = false;
        rtc.poll(5 * 4000, &mut |_, level| high = level);
        assert!(high);
        assert_eq!(rtc.read(COUNTER, 4, 10 * 4000), Ok(10));
        assert_eq!(rtc.read(0x144, 4, 10 * 4000), Ok(0), "nobody asked for it");
    }

    #[test]
    fn the_prescaler_counts_from_the_next_start_or_clear_on() {
        let mut rtc = Rtc::new(Frame::new(0x4000_b000, Some(Irq::External(11))), 3);
        rtc.hear(Effect::Clock(ClockId::CORE, 65_536_000), 0).unwrap();
        rtc.write(0, 4, 1, 0).unwrap();
        rtc.write(PRESCALER, 4, 3, 0).unwrap();
        assert_eq!(rtc.read(COUNTER, 4, 5 * 2000 + 1000), Ok(5), "not yet");
        rtc.write(8, 4, 1, 5 * 2000 + 1000).unwrap();
        let count = |rtc: &mut Rtc, cycles: u64| rtc.read(COUNTER, 4, 11_000 + cycles).unwrap();
        assert_eq!(
            [7999, 8000, 16_000].map(|cycles| count(&mut rtc, cycles)),
            [0, 1, 2]
        );
    }
}
