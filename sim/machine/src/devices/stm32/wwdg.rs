//! ST's window watchdog (RM0090 chapter 22, RM0440 43, RM0394 36): counts down at the bus clock divided by 4096 or more. It resets the chip when
//! the count falls below 0x40, or when the program refreshes it above its window.

use bus::{Device, DeviceError, Effect, End, Irq, ResetCause};
use serde::Deserialize;

use crate::devices::block::{At, Peripheral, Regs, Write, about, registers, tell};
use crate::devices::{Around, Settings, Ticks};

about! { Wwdg by WwdgSettings, B,
    "RM0090 22; RM0394 36; RM0440 43",
    "counts, window, early interrupt; resets the chip",
    ""
}

registers! { Wwdg;
    CR  = 0x00 .shows(Wwdg::shown).then(Wwdg::feed);
    CFR = 0x04 .shows(|watchdog, _| watchdog.configuration).then(Wwdg::configure);
    SR  = 0x08 .shows(|watchdog, _| watchdog.early.into()).then(|watchdog, write| watchdog.early &= write.value & 1 != 0);
}

const ON: u32 = 1 << 7;
const COUNT: u32 = 0x7f;
const EARLY: u32 = 1 << 9;
/// Below this it resets.
const LAST: u32 = 0x40;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WwdgSettings {
    /// The clock of its bus.
    clock: Option<String>,
    /// The position of the divider in CFR: bit 7, or 11 from the G4 on.
    #[serde(default = "divider")]
    divider: u32,
}

fn divider() -> u32 {
    7
}

impl Settings for WwdgSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let clock = around.clocks.wanted(self.clock.as_deref())?;
        if ![7, 11].contains(&self.divider) {
            return Err("`divider` is 7 or 11".into());
        }
        Ok(Box::new(Wwdg {
            irq: around.irq,
            ticks: Ticks::of(clock),
            divider: self.divider,
            control: COUNT,
            configuration: COUNT,
            ..Wwdg::default()
        }))
    }
}

/// The watchdog.
#[derive(Clone, Default)]
pub(crate) struct Wwdg {
    regs: Regs<Self>,
    irq: Option<Irq>,
    ticks: Ticks,
    divider: u32,
    /// With the count as it was at the ticks' base.
    control: u32,
    configuration: u32,
    early: bool,
    /// The count has been 0x40 since it was fed: it is told of once.
    warned: bool,
    bites: bool,
}

impl Wwdg {
    fn period(&self) -> u64 {
        let bits = if self.divider == 7 { 3 } else { 7 };
        4096 << (self.configuration >> self.divider & bits)
    }

    fn count(&self, now: u64) -> u32 {
        let count = self.control & COUNT;
        if self.control & ON == 0 {
            return count;
        }
        count.saturating_sub(u32::try_from(self.ticks.at(now) / self.period()).unwrap_or(u32::MAX))
    }

    /// The core cycle in which the count is this one.
    fn when(&self, count: u32) -> u64 {
        let steps = u64::from((self.control & COUNT).saturating_sub(count));
        if self.control & ON == 0 {
            return u64::MAX;
        }
        self.ticks.cycle_of(steps * self.period())
    }

    fn shown(&self, at: At) -> u32 {
        self.control & ON | self.count(at.now)
    }

    fn feed(&mut self, Write { value, now, .. }: Write) {
        let early = self.control & ON != 0 && self.count(now) > self.configuration & COUNT;
        self.bites |= early || (self.control | value) & ON != 0 && value & COUNT < LAST;
        self.warned = false;
        // Setting the enable starts it; clearing it has no effect.
        self.control = self.control & ON | value & (ON | COUNT);
        self.ticks.restart(now);
    }

    /// Counts from now on, from where it is.
    fn restart(&mut self, now: u64) {
        self.control = self.control & ON | self.count(now);
        self.ticks.restart(now);
    }

    fn configure(&mut self, write: Write) {
        self.restart(write.now);
        self.configuration = write.value & 0x3fff | self.configuration & EARLY;
    }
}

impl Peripheral for Wwdg {
    fn advance(&mut self, now: u64) {
        if self.control & ON != 0 {
            if self.when(LAST) <= now && !std::mem::replace(&mut self.warned, true) {
                self.early = true;
            }
            self.bites |= self.when(LAST - 1) <= now;
        }
    }

    fn due(&self) -> u64 {
        let early = if self.warned { u64::MAX } else { self.when(LAST) };
        early.min(if self.bites { 0 } else { self.when(LAST - 1) })
    }

    fn lines(&mut self, _now: u64, line: &mut dyn FnMut(Irq, bool)) {
        tell(self.irq, self.early && self.configuration & EARLY != 0, line);
    }

    fn effect(&mut self) -> Option<Effect> {
        let bites = std::mem::take(&mut self.bites);
        if bites {
            self.control &= !ON;
        }
        bites.then_some(Effect::End(End::Reset(ResetCause::WindowWatchdog)))
    }

    fn heard(&mut self, effect: Effect, now: u64) -> Result<(), DeviceError> {
        if self.ticks.concerns(effect) {
            self.advance(now);
            self.restart(now);
            self.ticks.hear(effect);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::ClockId;

    fn watchdog() -> Wwdg {
        let mut watchdog = Wwdg {
            irq: Some(Irq::External(0)),
            ticks: Ticks::of(ClockId(1)),
            divider: 7,
            control: COUNT,
            configuration: COUNT,
            ..Wwdg::default()
        };
        watchdog.hear(Effect::Clock(ClockId::CORE, 1_000_000), 0).unwrap();
        watchdog.hear(Effect::Clock(ClockId(1), 1_000_000), 0).unwrap();
        watchdog.write(CFR, 4, EARLY | 0x60, 0).unwrap();
        watchdog.write(CR, 4, ON | 0x7f, 0).unwrap();
        watchdog
    }

    #[test]
    fn it_warns_at_0x40_and_resets_below() {
        let mut watchdog = watchdog();
        assert_eq!(watchdog.next_event(), 63 * 4096);
        let mut told = Vec::new();
        watchdog.poll(63 * 4096, &mut |_, level| told.push(level));
        assert_eq!((told, watchdog.take_effect()), (vec![true], None));
        watchdog.poll(64 * 4096, &mut |_, _| {});
        assert_eq!(
            watchdog.take_effect(),
            Some(Effect::End(End::Reset(ResetCause::WindowWatchdog)))
        );
    }

    #[test]
    fn feeding_it_above_its_window_resets() {
        let mut fed = watchdog();
        fed.write(CR, 4, 0x7f, 40 * 4096).unwrap();
        assert_eq!(
            (fed.take_effect(), fed.read(CR, 4, 41 * 4096)),
            (None, Ok(ON | 0x7e))
        );
        let mut watchdog = watchdog();
        watchdog.write(CR, 4, 0x7f, 4096).unwrap();
        assert_eq!(
            watchdog.take_effect(),
            Some(Effect::End(End::Reset(ResetCause::WindowWatchdog)))
        );
    }

    /// EWIF is set when the count comes to 0x40: cleared there, it stays so, and the reset comes all the same.
    #[test]
    fn a_warning_that_is_cleared_does_not_come_again() {
        let mut watchdog = watchdog();
        let mut high = false;
        watchdog.poll(63 * 4096, &mut |_, level| high = level);
        assert!(high);
        watchdog.write(SR, 4, 0, 63 * 4096 + 10).unwrap();
        watchdog.poll(63 * 4096 + 20, &mut |_, level| high = level);
        assert_eq!((high, watchdog.read(SR, 4, 63 * 4096 + 20)), (false, Ok(0)));
        assert_eq!(watchdog.next_event(), 64 * 4096);
        watchdog.write(CR, 4, 0x7f, 63 * 4096 + 30).unwrap();
        assert_eq!(
            watchdog.next_event(),
            126 * 4096 + 30,
            "it warns again behind that"
        );
    }

    #[test]
    fn a_count_without_its_highest_bit_resets_once_it_runs() {
        let mut watchdog = watchdog();
        watchdog.write(CR, 4, 0x3f, 60 * 4096).unwrap();
        assert_eq!(
            watchdog.take_effect(),
            Some(Effect::End(End::Reset(ResetCause::WindowWatchdog)))
        );
    }
}
