//! A peripheral's clock: counts its ticks in a span of core cycles.

use bus::{ClockId, Effect};
use serde::Deserialize;

use super::ClockNames;

/// Counts the ticks of one clock in core cycles, from a moment at which both had an edge.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Ticks {
    /// `None` for one of a fixed frequency.
    clock: Option<ClockId>,
    hz: u32,
    core_hz: u32,
    /// Core cycle that ticks are counted from.
    base: u64,
    /// Ticks since the base that were taken: where no whole number of cycles is a tick, none is lost by taking them one by one.
    taken: u64,
}

/// Board file keys of a device that counts at its own rate.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pace {
    /// The clock that it counts in.
    clock: Option<String>,
    /// The frequency that it counts at, in place of a clock.
    hz: Option<u32>,
}

impl Pace {
    /// The ticks to count.
    ///
    /// # Errors
    /// A message to the user.
    pub(crate) fn ticks(&self, clocks: &ClockNames) -> Result<Ticks, String> {
        match (self.hz, &self.clock) {
            (Some(1..), Some(_)) | (Some(0), _) => Err("it needs a `clock`, or a frequency `hz`".into()),
            (Some(hz), None) => Ok(Ticks::fixed(hz)),
            (None, clock) => clocks.wanted(clock.as_deref()).map(Ticks::of),
        }
    }
}

impl Ticks {
    /// The clock is off until its frequency is heard.
    pub(crate) fn of(clock: ClockId) -> Ticks {
        Ticks {
            clock: Some(clock),
            hz: 0,
            core_hz: 1,
            base: 0,
            taken: 0,
        }
    }

    /// A clock that nothing on the board changes.
    pub(crate) fn fixed(hz: u32) -> Ticks {
        Ticks {
            clock: None,
            hz,
            core_hz: 1,
            base: 0,
            taken: 0,
        }
    }

    /// Whether an effect changes the rate; whoever counts catches up first, and then calls [`Ticks::hear`].
    pub(crate) fn concerns(&self, effect: Effect) -> bool {
        match effect {
            Effect::Clock(ClockId::CORE, hz) => hz != self.core_hz || self.clock == Some(ClockId::CORE),
            Effect::Clock(id, hz) => Some(id) == self.clock && hz != self.hz,
            _ => false,
        }
    }

    /// Takes over a new rate.
    pub(crate) fn hear(&mut self, effect: Effect) {
        if !self.concerns(effect) {
            return;
        }
        // The tick that was taken last ended at the old rate.
        if self.taken > 0 {
            self.restart(self.cycle_of(0));
        }
        if let Effect::Clock(id, hz) = effect {
            if id == ClockId::CORE {
                self.core_hz = hz.max(1);
            }
            if Some(id) == self.clock {
                self.hz = hz;
            }
        }
    }

    /// Counts from core cycle `now`.
    pub(crate) fn restart(&mut self, now: u64) {
        (self.base, self.taken) = (now, 0);
    }

    /// Ticks to core cycle `now` that were not taken.
    pub(crate) fn at(&self, now: u64) -> u64 {
        let cycles = u128::from(now.saturating_sub(self.base));
        let ticks = cycles * u128::from(self.hz) / u128::from(self.core_hz);
        u64::try_from(ticks)
            .unwrap_or(u64::MAX)
            .saturating_sub(self.taken)
    }

    /// The first core cycle by which so many ticks have passed since those that were taken; `u64::MAX` for never.
    pub(crate) fn cycle_of(&self, ticks: u64) -> u64 {
        let ticks = self.taken.saturating_add(ticks);
        if self.hz == 0 {
            return u64::MAX;
        }
        let cycles = (u128::from(ticks) * u128::from(self.core_hz)).div_ceil(u128::from(self.hz));
        u64::try_from(cycles).map_or(u64::MAX, |cycles| self.base.saturating_add(cycles))
    }

    /// Takes all ticks up to core cycle `now`, and returns how many they were.
    pub(crate) fn take(&mut self, now: u64) -> u64 {
        let ticks = self.at(now);
        self.taken = self.taken.saturating_add(ticks);
        ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_lost_by_looking_often() {
        let mut ticks = Ticks::fixed(32_768);
        ticks.hear(Effect::Clock(ClockId::CORE, 64_000_000));
        let counted: u64 = (0..=64_000_000).step_by(500).map(|now| ticks.take(now)).sum();
        assert_eq!((counted, ticks.cycle_of(1)), (32_768, 64_001_954));
        ticks.hear(Effect::Clock(ClockId::CORE, 32_000_000));
        assert_eq!((ticks.take(64_000_976), ticks.take(64_000_977)), (0, 1));
    }
}
