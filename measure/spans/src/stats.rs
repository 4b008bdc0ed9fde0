//! Statistics over the samples of one span.

use crate::histogram::Histogram;

/// How one sample's total is split. Signed because a difference of stack depths can be negative; bytes are always `own`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Parts {
    /// Spent by the span's context.
    pub own: i64,
    /// Taken by exceptions that began and ended inside.
    pub preempted: i64,
    /// Spent by other threads.
    pub blocked: i64,
}

impl Parts {
    /// A sample whose total is all own.
    pub const fn all_own(own: i64) -> Parts {
        Parts {
            own,
            preempted: 0,
            blocked: 0,
        }
    }

    /// Sum of the three parts.
    pub const fn total(&self) -> i64 {
        self.own + self.preempted + self.blocked
    }
}

/// The samples of one span: at least one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stats {
    /// Number of samples, from 1.
    pub count: u64,
    /// Minimum total.
    pub min: i64,
    /// Maximum total.
    pub max: i64,
    /// Sum of all totals.
    pub sum: i128,
    /// The split of the greatest total (the first such sample, if several are equal); it adds up to `max`.
    pub worst: Parts,
    /// Place of the sample in `worst`.
    pub worst_at: Place,
    /// Place of the first sample with the least total.
    pub best_at: Place,
    /// Histogram of the totals.
    pub histogram: Histogram,
    /// Number of runs joined here, from 1; some may have no sample.
    pub runs: u64,
    /// Union of the bits that the samples relied on, from [`Record::Relied`](crate::Record::Relied).
    pub relied: u128,
    /// Further figures for samples that are calls.
    pub called: Called,
    /// Number of outer passes of a recursion: the second point was reached for an opening that a deeper one had replaced. Only the
    /// innermost pass is measured.
    pub recursed: u64,
}

/// Identifies a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its number, from 1; skipped samples are not counted.
    pub number: u64,
    /// Its run, from 0, if several are [joined](Stats::join).
    pub run: u64,
    /// Cycle in which it began.
    pub began: u64,
    /// Cycle in which it ended.
    pub ended: u64,
}

/// Figures of calls other than cycles.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Called {
    /// Calls that began and did not return; they are not samples.
    pub unfinished: u64,
    /// Maximum stack use of a call in bytes, as far as [`Record::Stack`](crate::Record::Stack) reported it.
    pub stack: i64,
    /// How long the calls took; `None` without a [`Record::Clock`](crate::Record::Clock).
    pub time: Option<Time>,
}

/// Durations of calls, each at the clock at which it began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Time {
    /// Minimum, in picoseconds.
    pub min: u128,
    /// Maximum, in picoseconds.
    pub max: u128,
    /// Sum, in picoseconds.
    pub sum: u128,
}

impl Called {
    /// Adds a call that took `cycles` at a clock of `hz`.
    pub(crate) fn took(&mut self, cycles: i64, hz: u32) {
        let time = u128::from(cycles.unsigned_abs()) * 1_000_000_000_000 / u128::from(hz.max(1));
        let before = self.time.unwrap_or(Time {
            min: time,
            max: time,
            sum: 0,
        });
        self.time = Some(Time {
            min: before.min.min(time),
            max: before.max.max(time),
            sum: before.sum + time,
        });
    }

    /// Adds the calls of `other`.
    pub(crate) fn join(&mut self, other: &Called) {
        self.unfinished += other.unfinished;
        self.stack = self.stack.max(other.stack);
        self.time = self.time.zip(other.time).map(|(mine, theirs)| Time {
            min: mine.min.min(theirs.min),
            max: mine.max.max(theirs.max),
            sum: mine.sum + theirs.sum,
        });
    }
}

impl Stats {
    /// Statistics of one sample with its first and last cycle.
    pub fn of(sample: Parts, relied: u128, (began, ended): (u64, u64)) -> Stats {
        let total = sample.total();
        let at = Place {
            number: 1,
            run: 0,
            began,
            ended,
        };
        Stats {
            count: 1,
            min: total,
            max: total,
            sum: i128::from(total),
            worst: sample,
            worst_at: at,
            best_at: at,
            histogram: Histogram::of(total),
            runs: 1,
            relied,
            called: Called {
                unfinished: 0,
                stack: 0,
                time: None,
            },
            recursed: 0,
        }
    }

    /// Adds a sample with its first and last cycle.
    pub fn add(&mut self, sample: Parts, relied: u128, (began, ended): (u64, u64)) {
        let total = sample.total();
        self.relied |= relied;
        self.count += 1;
        self.sum += i128::from(total);
        self.histogram.add(total, 1);
        let at = Place {
            number: self.count,
            run: 0,
            began,
            ended,
        };
        if total < self.min {
            (self.min, self.best_at) = (total, at);
        }
        if total > self.max {
            (self.max, self.worst, self.worst_at) = (total, sample, at);
        }
    }

    /// Accounts for `runs` earlier runs that gave no sample.
    #[must_use]
    pub fn after(mut self, runs: u64) -> Stats {
        self.worst_at.run += runs;
        self.best_at.run += runs;
        self.runs += runs;
        self
    }

    /// Appends the samples of `other`, which come from later runs.
    pub fn join(&mut self, other: &Stats) {
        let moved = |place: Place| Place {
            number: self.count + place.number,
            run: self.runs + place.run,
            ..place
        };
        if other.min < self.min {
            (self.min, self.best_at) = (other.min, moved(other.best_at));
        }
        if other.max > self.max {
            (self.max, self.worst, self.worst_at) = (other.max, other.worst, moved(other.worst_at));
        }
        self.relied |= other.relied;
        self.called.join(&other.called);
        self.recursed += other.recursed;
        self.histogram.join(&other.histogram);
        self.sum += other.sum;
        self.count += other.count;
        self.runs += other.runs;
    }

    /// Arithmetic mean of the totals.
    #[allow(clippy::cast_precision_loss)] // Exact below 2^53, which is 36 years at 8 MHz.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_samples_are_as_if_added_one_by_one() {
        let samples = [3, 9, -2, 9, 4].map(Parts::all_own);
        let of = |samples: &[Parts]| {
            let mut all = Stats::of(samples[0], 1, (10, 12));
            samples[1..]
                .iter()
                .for_each(|sample| all.add(*sample, 2, (10, 12)));
            all
        };
        let mut joined = of(&samples[..2]);
        joined.join(&of(&samples[2..]));
        // The minimum is in the second run.
        let mut expected = of(&samples);
        (expected.runs, expected.best_at.run) = (2, 1);
        assert_eq!(joined, expected);
    }

    #[test]
    fn a_sample_keeps_its_run_where_others_gave_none() {
        let of = |total| Stats::of(Parts::all_own(total), 0, (0, 9));
        let mut all = of(5).after(2);
        all.runs += 1;
        all.join(&of(3));
        assert_eq!((all.worst_at.run, all.best_at.run, all.runs), (2, 4, 5));
    }

    #[test]
    fn the_worst_sample_keeps_its_parts() {
        let mut stats = Stats::of(Parts::all_own(11), 1, (5, 16));
        stats.add(
            Parts {
                own: 11,
                preempted: 20,
                blocked: 3,
            },
            4,
            (20, 54),
        );
        stats.add(Parts::all_own(34), 0, (60, 94));
        stats.add(Parts::all_own(-4), 1, (99, 95));
        assert_eq!(stats.relied, 5);
        let first_of_equals = Place {
            number: 2,
            run: 0,
            began: 20,
            ended: 54,
        };
        assert_eq!(stats.worst_at, first_of_equals);
        assert_eq!((stats.count, stats.min, stats.max), (4, -4, 34));
        assert_eq!(
            stats.worst,
            Parts {
                own: 11,
                preempted: 20,
                blocked: 3
            }
        );
        assert!((stats.mean() - 18.75).abs() < 1e-12);
    }
}
