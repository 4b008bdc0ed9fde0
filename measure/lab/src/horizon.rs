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
    fn next(self, machine: &Bench, slice: u64) -> u64 {
        let from_here = |cycles: u64| machine.next(cycles);
        match self {
            Horizon::Usual | Horizon::Limit(_) => self.cycles().min(from_here(slice)),
            Horizon::Time(end) => {
                let rest = end.saturating_sub(machine.nanoseconds()).min(STRETCH);
                let cycles = rest * u64::from(machine.clock_hz()) / 1_000_000_000;
                from_here(slice.min(cycles.max(FEWEST)))
            }
        }
    }

    /// Runs so far, and until cycle `most` at the most, unless the sink pauses the run before.
    ///
    /// # Errors
    /// If the target cannot go on.
    pub(crate) fn run(self, machine: &mut Bench, most: u64, sink: &mut dyn Sink) -> Result<Outcome> {
        let mut stretches = Stretches {
            most,
            ..self.stretches()
        };
        loop {
            match stretches.run(machine, u64::MAX, sink)? {
                Stretch::Open => {}
                Stretch::Paused { pc } => return Ok(Outcome::Paused { pc }),
                Stretch::Over(outcome) => return Ok(outcome),
            }
        }
    }

    /// A run so far, stretch by stretch.
    pub fn stretches(self) -> Stretches {
        Stretches {
            horizon: self,
            most: u64::MAX,
            cut_in: None,
        }
    }

    /// Whether a run that has come to cycle `reached` has come so far.
    fn is_reached(self, machine: &Bench, reached: u64) -> bool {
        match self {
            Horizon::Usual | Horizon::Limit(_) => reached >= self.cycles(),
            Horizon::Time(end) => machine.nanoseconds() >= end,
        }
    }
}

/// What one stretch of a run came to.
#[derive(Debug)]
pub enum Stretch {
    /// The run goes on.
    Open,
    /// A sink paused it, and it can go on.
    Paused {
        /// The next instruction.
        pc: u32,
    },
    /// The run is over: it ended by itself, is as far as it was to go, or was cut.
    Over(Outcome),
}

/// A run up to a horizon, in stretches. Each of them gets on, also one that a sink pauses again and again, and one whose next instruction
/// starts later than the stretch is long: so every run comes to its end.
#[derive(Debug)]
pub struct Stretches {
    horizon: Horizon,
    /// The cycle in which the run ends at the latest.
    most: u64,
    /// The cycle in which it ends since it was asked to, if it is paused again and again.
    cut_in: Option<u64>,
}

impl Stretches {
    /// Runs at most `slice` cycles.
    ///
    /// # Errors
    /// If the target cannot go on.
    pub fn run(&mut self, machine: &mut Bench, slice: u64, sink: &mut dyn Sink) -> Result<Stretch> {
        let until = self.horizon.next(machine, slice).min(self.most);
        let outcome = machine.run(until, sink)?;
        let is_done = machine.reached() >= self.most || self.horizon.is_reached(machine, machine.reached());
        Ok(match outcome {
            Outcome::Limit { .. } if is_done || cut::asked().is_some() => Stretch::Over(outcome),
            Outcome::Limit { .. } => Stretch::Open,
            Outcome::Paused { pc } if is_done || self.is_cut(machine) => Stretch::Over(Outcome::Limit { pc }),
            Outcome::Paused { pc } => Stretch::Paused { pc },
            _ => Stretch::Over(outcome),
        })
    }

    /// Whether a paused run ends since it was asked to. It goes on for a while: what ends by itself by then was not cut.
    fn is_cut(&mut self, machine: &Bench) -> bool {
        let last = || machine.cycle().saturating_add(machine.pace());
        cut::asked().is_some() && machine.cycle() >= *self.cut_in.get_or_insert_with(last)
    }
}
