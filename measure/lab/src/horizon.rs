//! How far a run goes that does not end by itself.

use events::Sink;
use machine::Outcome;

use crate::backend::Bench;
use crate::cut;
use crate::diagnostic::Result;
use crate::spec::DEFAULT_LIMIT;

/// How far a run goes that does not end by itself.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Horizon {
    /// So far as runs go of which nobody says it: [`DEFAULT_LIMIT`] cycles. What was measured by then counts: most firmware never ends.
    #[default]
    Usual,
    /// So many cycles, by which the program should have ended.
    Limit(u64),
    /// So many nanoseconds of the chip's time, for which it is to run.
    Time(u64),
}

/// Longest stretch of the chip's time that is run at once: its clock may change within.
const STRETCH: u64 = 100_000;

/// Cycles that are run at once at the least.
const FEWEST: u64 = 64;

impl Horizon {
    /// The limit, if one is given.
    pub fn of(limit: Option<u64>) -> Horizon {
        limit.map_or(Horizon::Usual, Horizon::Limit)
    }

    /// The cycle in which it is reached at the latest.
    pub fn cycles(self) -> u64 {
        match self {
            Horizon::Usual => DEFAULT_LIMIT,
            Horizon::Limit(cycles) => cycles,
            Horizon::Time(_) => u64::MAX,
        }
    }

    /// The cycle until which to run next, no more than `slice` from here.
    pub fn next(self, machine: &Bench, slice: u64) -> u64 {
        let from_here = |cycles: u64| machine.cycle().saturating_add(cycles);
        match self {
            Horizon::Usual | Horizon::Limit(_) => self.cycles().min(from_here(slice)),
            Horizon::Time(end) => {
                let rest = end.saturating_sub(machine.nanoseconds()).min(STRETCH);
                let cycles = rest * u64::from(machine.clock_hz()) / 1_000_000_000;
                from_here(slice.min(cycles.max(FEWEST)))
            }
        }
    }

    /// Runs so far, and until cycle `most` at the most.
    ///
    /// # Errors
    /// If the target cannot go on.
    pub(crate) fn run(self, machine: &mut Bench, most: u64, sink: &mut dyn Sink) -> Result<Outcome> {
        loop {
            let until = self.next(machine, u64::MAX).min(most);
            let outcome = machine.run(until, sink)?;
            let is_over = until >= most || self.is_reached(machine, until) || cut::asked().is_some();
            if is_over || !matches!(outcome, Outcome::Limit { .. }) {
                return Ok(outcome);
            }
        }
    }

    /// Whether a run until cycle `until` has come so far.
    pub fn is_reached(self, machine: &Bench, until: u64) -> bool {
        match self {
            Horizon::Usual | Horizon::Limit(_) => until >= self.cycles(),
            Horizon::Time(end) => machine.nanoseconds() >= end,
        }
    }
}
