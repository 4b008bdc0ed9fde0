//! How many cycles a target runs between two looks at whether all runs are to end.

use std::time::Duration;

/// The most cycles: well below a second of the model's, about one of the Verilog's.
const MOST: u64 = 1 << 20;
/// So many at first: a script may take a good part of a second for each of them.
const FIRST: u64 = 1;
/// Less time than this is short, more is long.
const SHORT: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_millis(50);

/// Cycles between two looks, by what the last ones took. What a run does, does not depend on it.
pub(super) struct Pace {
    cycles: u64,
    least: u64,
}

impl Pace {
    /// Of a target that can stop anywhere at no cost.
    pub(super) fn adapting() -> Pace {
        Pace {
            cycles: FIRST,
            least: 1,
        }
    }

    /// Of one that is as fast all the time.
    pub(super) fn constant() -> Pace {
        Pace {
            cycles: MOST,
            least: MOST,
        }
    }

    /// Cycles up to the next look.
    pub(super) fn cycles(&self) -> u64 {
        self.cycles
    }

    /// The last ones took so long; `all` if there were as many as might be, and nothing paused them before.
    pub(super) fn took(&mut self, time: Duration, all: bool) {
        if time < SHORT && all {
            self.cycles = (2 * self.cycles).min(MOST);
        } else if time > LONG {
            self.cycles = (self.cycles / 2).max(self.least);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_cycles_are_few_between_two_looks() {
        let mut pace = Pace::adapting();
        for _ in 0..20 {
            pace.took(Duration::from_millis(1), false);
        }
        assert_eq!(pace.cycles(), FIRST);
        for _ in 0..20 {
            pace.took(Duration::from_millis(1), true);
        }
        assert_eq!(pace.cycles(), MOST);
        // A cycle takes ten milliseconds.
        for _ in 0..20 {
            pace.took(Duration::from_millis(10 * pace.cycles()), true);
        }
        assert!((2..=5).contains(&pace.cycles()), "{}", pace.cycles());
        let mut constant = Pace::constant();
        constant.took(Duration::from_secs(9), true);
        assert_eq!(constant.cycles(), MOST);
    }
}
