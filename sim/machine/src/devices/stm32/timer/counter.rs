//! How a timer counts: prescaler, period, direction, and what happens on the way.
//!
//! `step` counts from one overflow to the next, whatever the direction; what the program sees as the count follows from it.

use super::{ARR, CCR, CEN, COMPARE, CR1, OPM, PSC, RCR, Timer, UDIS, UPDATE, URS};

/// CR1: counts down.
const DIR: u32 = 1 << 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Up,
    Down,
    /// Up and down again, and on which way it compares.
    Both {
        up: bool,
        down: bool,
    },
}

impl Timer {
    fn way(&self) -> Way {
        match (self.regs[CR1] >> 5 & 3, self.regs[CR1] & DIR) {
            (0, 0) => Way::Up,
            (0, _) => Way::Down,
            (compares, _) => Way::Both {
                up: compares & 2 != 0,
                down: compares & 1 != 0,
            },
        }
    }

    pub(super) fn runs(&self) -> bool {
        // An auto-reload value of 0 blocks the counter (RM0090 18.4.12).
        self.regs[CR1] & CEN != 0 && self.top != 0 && !self.counts_edges()
    }

    fn period(&self) -> u64 {
        u64::from(self.divider) + 1
    }

    pub(super) fn widest(&self) -> u32 {
        u32::MAX >> (32 - u32::from(self.shape.bits))
    }

    /// The step after which it overflows.
    fn end(&self) -> i64 {
        match self.way() {
            // A counter beyond its auto-reload value goes on to the end of its width.
            Way::Up if self.step > i64::from(self.top) => self.widest().into(),
            _ => self.usual_end(),
        }
    }

    /// The end of a period after the counter has wrapped once.
    fn usual_end(&self) -> i64 {
        let top = i64::from(self.top);
        match self.way() {
            Way::Up | Way::Down => top,
            Way::Both { .. } => 2 * top - 1,
        }
    }

    /// The counter as the program reads it.
    pub(super) fn count(&self) -> u32 {
        let top = i64::from(self.top);
        let count = match self.way() {
            Way::Up => self.step,
            Way::Down => top - self.step,
            Way::Both { .. } if self.step <= top => self.step,
            Way::Both { .. } => 2 * top - self.step,
        };
        count as u32 & self.widest()
    }

    /// The program, or the world outside, sets the count.
    pub(super) fn set_count(&mut self, count: u32) {
        let count = i64::from(count & self.widest());
        self.step = match self.way() {
            Way::Up | Way::Both { .. } => count,
            Way::Down => i64::from(self.top) - count,
        };
    }

    /// Whether a counter that goes both ways is on its way down.
    pub(super) fn goes_down(&self) -> bool {
        match self.way() {
            Way::Up => false,
            Way::Down => true,
            Way::Both { .. } => self.step > i64::from(self.top),
        }
    }

    /// Changes what the count's meaning depends on; the count itself stays.
    pub(super) fn keep_count(&mut self, change: impl FnOnce(&mut Timer)) {
        let (count, down) = (self.count(), self.goes_down());
        change(self);
        self.set_count(count);
        if down && matches!(self.way(), Way::Both { .. }) {
            self.step = 2 * i64::from(self.top) - self.step;
        }
    }

    /// Counts what has passed until core cycle `now`.
    pub(super) fn catch_up(&mut self, now: u64) {
        let ticks = self.ticks.take(now);
        if !self.runs() {
            return;
        }
        self.phase += ticks;
        // One overflow may change prescaler, auto-reload value and whether it counts at all; from the second on all are alike, but for the one that
        // ends a pulse.
        let singly = if self.regs[CR1] & OPM == 0 {
            2
        } else {
            self.repetitions_left + 2
        };
        for _ in 0..singly {
            let until_overflow = self.until_overflow();
            if !self.runs() || self.phase < until_overflow {
                break;
            }
            self.phase -= until_overflow;
            self.pass(self.step, self.end());
            self.overflow(1);
        }
        if !self.runs() {
            self.phase = 0;
            return;
        }
        let round = (self.end() + 1) as u64 * self.period();
        if self.phase >= round {
            self.pass(0, self.end());
            let rounds = self.phase / round;
            self.phase %= round;
            self.overflow(rounds);
        }
        let steps = (self.phase / self.period()) as i64;
        self.phase %= self.period();
        self.pass(self.step, self.step + steps);
        self.step += steps;
    }

    /// Ticks of the input clock from the start of the present step to the next overflow.
    fn until_overflow(&self) -> u64 {
        (self.end() - self.step + 1).unsigned_abs() * self.period()
    }

    /// The steps at which a channel compares as equal.
    fn points(&self, channel: usize) -> impl Iterator<Item = i64> + use<> {
        let (top, value) = (i64::from(self.top), i64::from(self.active[channel]));
        let (first, second) = match self.way() {
            Way::Up => (Some(value), None),
            Way::Down => (Some(top - value), None),
            Way::Both { up, down } => {
                let edge = value == 0 || value == top;
                let rising = (value <= top && (up || edge)).then_some(value);
                (rising, (value < top && down && !edge).then_some(2 * top - value))
            }
        };
        first.into_iter().chain(second)
    }

    fn channels(&self) -> impl Iterator<Item = usize> + use<> {
        let inputs = self.inputs();
        (0..usize::from(self.shape.channels)).filter(move |channel| inputs >> channel & 1 == 0)
    }

    /// The counter went through the steps after `from` up to `to`.
    fn pass(&mut self, from: i64, to: i64) {
        for channel in self.channels() {
            if self.points(channel).any(|point| from < point && point <= to) {
                self.raise(COMPARE << channel);
            }
        }
        let top = i64::from(self.top);
        if matches!(self.way(), Way::Both { .. }) && from < top && top <= to {
            // A preloaded period counts from the bottom on.
            self.repeat(1, Timer::load_compares);
        }
    }

    /// The counter went from its end to its start, so often.
    fn overflow(&mut self, times: u64) {
        self.step = 0;
        self.update_behind(times);
        for channel in self.channels() {
            if self.points(channel).any(|point| point == 0) {
                self.raise(COMPARE << channel);
            }
        }
    }

    /// The update by this many overflows; it ends a pulse.
    fn update_behind(&mut self, overflows: u64) {
        if self.repeat(overflows, Timer::load) && self.regs[CR1] & OPM != 0 {
            self.regs[CR1] &= !CEN;
        }
    }

    /// Counts overflows in the repetition counter; returns whether any passes as an update.
    fn repeat(&mut self, times: u64, load: impl FnOnce(&mut Timer)) -> bool {
        let every = u64::from(self.regs[RCR]) + 1;
        if times <= self.repetitions_left {
            self.repetitions_left -= times;
            return false;
        }
        self.repetitions_left = every - 1 - (times - self.repetitions_left - 1) % every;
        if self.regs[CR1] & UDIS == 0 {
            load(self);
            self.raise(UPDATE);
        }
        true
    }

    /// Applies preloaded values.
    fn load(&mut self) {
        self.top = self.regs[ARR];
        self.load_compares();
    }

    fn load_compares(&mut self) {
        self.divider = self.regs[PSC];
        for (channel, active) in (0..).zip(&mut self.active) {
            *active = self.regs[CCR + 4 * channel];
        }
    }

    /// EGR.UG: starts over.
    pub(super) fn update(&mut self) {
        self.phase = 0;
        if self.regs[CR1] & UDIS == 0 {
            self.load();
            if self.regs[CR1] & URS == 0 {
                self.raise(UPDATE);
            }
        }
        self.step = 0;
        self.repetitions_left = self.regs[RCR].into();
    }

    /// One step because of an edge outside; `down` against the direction in which an encoder turns forward.
    pub(super) fn step_outside(&mut self, down: bool) {
        if self.regs[CR1] & CEN == 0 {
            return;
        }
        let count = self.count();
        self.regs[CR1] = self.regs[CR1] & !DIR | if down { DIR } else { 0 };
        // Edges are divided as the clock is.
        self.phase += 1;
        if self.phase < self.period() {
            return self.set_count(count);
        }
        self.phase = 0;
        let (next, over) = match (down, count) {
            (false, count) if count == self.top => (0, true),
            (false, count) => (count.wrapping_add(1), false),
            (true, 0) => (self.top, true),
            (true, count) => (count - 1, false),
        };
        if over {
            self.update_behind(1);
        }
        self.set_count(next);
        for channel in self.channels() {
            if self.active[channel] == next {
                self.raise(COMPARE << channel);
            }
        }
    }

    /// Steps from the present one until a channel compares as equal, next time round if need be.
    fn steps_to(&self, channel: usize) -> Option<u64> {
        let end = self.end();
        let steps = |point: i64| match () {
            () if point > self.step && point <= end => Some(point - self.step),
            () if (0..=self.usual_end()).contains(&point) => Some(end + 1 - self.step + point),
            () => None,
        };
        self.points(channel)
            .filter_map(steps)
            .min()
            .map(i64::unsigned_abs)
    }

    /// Core cycle in which the first thing happens that somebody waits for.
    pub(super) fn next_flag(&self) -> u64 {
        let waiting = self.waited_for();
        if !self.runs() || waiting == 0 {
            return u64::MAX;
        }
        let mut soonest = u64::MAX;
        if waiting & UPDATE != 0 && self.regs[CR1] & UDIS == 0 {
            soonest = self.until_overflow();
            if let (Way::Both { .. }, middle @ 1..) = (self.way(), i64::from(self.top) - self.step) {
                soonest = middle.unsigned_abs() * self.period();
            }
        }
        for channel in self
            .channels()
            .filter(|channel| waiting & COMPARE << channel != 0)
        {
            let ticks = self
                .steps_to(channel)
                .map_or(u64::MAX, |steps| steps * self.period());
            soonest = soonest.min(ticks);
        }
        if soonest == u64::MAX {
            return u64::MAX;
        }
        // A step beyond the overflow may be of another length: look again there.
        let ticks = soonest.min(self.until_overflow());
        self.ticks.cycle_of(ticks.saturating_sub(self.phase))
    }
}
