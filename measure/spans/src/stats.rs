//! Sums over the samples of one span.

/// Where one sample's total went. Signed because a difference of stack depths can be negative; bytes are always `own`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Parts {
    /// Spent by the span's context.
    pub own: i64,
    /// Taken by exceptions that began and ended inside.
    pub preempted: i64,
    /// Other threads ran.
    pub blocked: i64,
}

impl Parts {
    /// A sample that is all its own.
    pub const fn all_own(own: i64) -> Parts {
        Parts {
            own,
            preempted: 0,
            blocked: 0,
        }
    }

    /// The three together.
    pub const fn total(&self) -> i64 {
        self.own + self.preempted + self.blocked
    }
}

/// The samples of one span: at least one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stats {
    /// Number of samples, from 1.
    pub count: u64,
    /// Least total.
    pub min: i64,
    /// Greatest total.
    pub max: i64,
    /// All totals together.
    pub sum: i128,
    /// Where the greatest total went (the first such sample, if several are equal): its parts add up to `max`.
    pub worst: Parts,
    /// What the samples relied on, as [`Record::Relied`](crate::Record::Relied) told.
    pub relied: u128,
    /// What else is known of samples that are calls.
    pub called: Called,
}

/// What is known of calls beside their cycles.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Called {
    /// Calls that began and did not return; they are no samples.
    pub unfinished: u64,
    /// The most bytes of stack that one of them used, as far as [`Record::Stack`](crate::Record::Stack) told.
    pub stack: i64,
    /// How long they took; `None` where [`Record::Clock`](crate::Record::Clock) told no clock.
    pub time: Option<Time>,
}

/// Time that calls took, each at the clock at which it began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Time {
    /// The shortest, in picoseconds.
    pub min: u128,
    /// The longest, in picoseconds.
    pub max: u128,
    /// All together, in picoseconds.
    pub sum: u128,
}

impl Called {
    /// One call, which took so many cycles of a clock (0: not known).
    pub(crate) fn one(cycles: i64, hz: u32, stack: i64) -> Called {
        let taken = |hz: u32| cycles.unsigned_abs() as u128 * 1_000_000_000_000 / u128::from(hz);
        let time = (hz != 0).then(|| taken(hz)).map(|time| Time {
            min: time,
            max: time,
            sum: time,
        });
        Called {
            unfinished: 0,
            stack,
            time,
        }
    }

    /// Those of `other` too.
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
    /// One sample.
    pub const fn of(sample: Parts, relied: u128) -> Stats {
        let total = sample.total();
        Stats {
            count: 1,
            min: total,
            max: total,
            sum: total as i128,
            worst: sample,
            relied,
            called: Called {
                unfinished: 0,
                stack: 0,
                time: None,
            },
        }
    }

    /// One sample more.
    pub fn add(&mut self, sample: Parts, relied: u128) {
        let total = sample.total();
        self.relied |= relied;
        self.count += 1;
        self.sum += i128::from(total);
        self.min = self.min.min(total);
        if total > self.max {
            self.max = total;
            self.worst = sample;
        }
    }

    /// The samples of `other` too, behind those that are there.
    pub fn join(&mut self, other: &Stats) {
        self.relied |= other.relied;
        self.called.join(&other.called);
        self.count += other.count;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        if other.max > self.max {
            self.max = other.max;
            self.worst = other.worst;
        }
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
            let mut all = Stats::of(samples[0], 1);
            samples[1..].iter().for_each(|sample| all.add(*sample, 2));
            all
        };
        let mut joined = of(&samples[..2]);
        joined.join(&of(&samples[2..]));
        assert_eq!(joined, of(&samples));
    }

    #[test]
    fn the_worst_sample_keeps_its_parts() {
        let mut stats = Stats::of(Parts::all_own(11), 1);
        stats.add(
            Parts {
                own: 11,
                preempted: 20,
                blocked: 3,
            },
            4,
        );
        stats.add(Parts::all_own(34), 0);
        stats.add(Parts::all_own(-4), 1);
        assert_eq!(stats.relied, 5);
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
