//! How far a run goes if it does not end by itself.

use events::Sink;
use machine::Outcome;

use crate::backend::Bench;
use crate::cut;
use crate::diagnostic::Result;
use crate::spec::DEFAULT_LIMIT;

/// The limit of a run that does not end by itself.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Horizon {
    /// The default of [`DEFAULT_LIMIT`] cycles. Reaching it is no error, since most firmware never ends.
    #[default]
    Usual,
    /// A number of cycles within which the program should end.
    Limit(u64),
    /// A number of cycles after which the run ends as requested.
    Cycles(u64),
    /// A duration in nanoseconds of simulated time, after which the run ends as requested.
    Time(u64),
}

/// Longest stretch of simulated time to run at once, in nanoseconds, since the clock may change.
const STRETCH: u64 = 100_000;

/// Minimum number of cycles to run at once.
const FEWEST: u64 = 64;

impl Horizon {
    /// The given limit, or the default.
    pub fn of(limit: Option<u64>) -> Horizon {
        limit.map_or(Horizon::Usual, Horizon::Limit)
    }

    /// Upper bound on the cycle in which it is reached.
    pub fn cycles(self) -> u64 {
        match self {
            Horizon::Usual => DEFAULT_LIMIT,
            Horizon::Limit(cycles) | Horizon::Cycles(cycles) => cycles,
            Horizon::Time(_) => u64::MAX,
        }
    }

    /// Whether a run that reaches it ended as requested, unless it was cut.
    pub fn is_end(self) -> bool {
        matches!(self, Horizon::Cycles(_) | Horizon::Time(_)) && cut::asked().is_none()
    }

    /// The cycle up to which to run next, at most `slice` from here.
    fn next(self, machine: &Bench, slice: u64) -> u64 {
        let from_here = |cycles: u64| machine.next(cycles);
        match self {
            Horizon::Usual | Horizon::Limit(_) | Horizon::Cycles(_) => self.cycles().min(from_here(slice)),
            Horizon::Time(end) => {
                let rest = end.saturating_sub(machine.nanoseconds()).min(STRETCH);
                let cycles = rest * u64::from(machine.clock_hz()) / 1_000_000_000;
                from_here(slice.min(cycles.max(FEWEST)))
            }
        }
    }

    /// Runs up to the horizon, at most to cycle `most`, unless the sink pauses the run.
    ///
    /// # Errors
    /// If the target cannot continue.
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

    /// Runs up to the horizon in stretches.
    pub fn stretches(self) -> Stretches {
        Stretches {
            horizon: self,
            most: u64::MAX,
            cut_in: None,
        }
    }

    /// Whether a run at cycle `reached` has reached the horizon.
    fn is_reached(self, machine: &Bench, reached: u64) -> bool {
        match self {
            Horizon::Usual | Horizon::Limit(_) | Horizon::Cycles(_) => reached >= self.cycles(),
            Horizon::Time(end) => machine.nanoseconds() >= end,
        }
    }
}

/// The outcome of one stretch.
#[derive(Debug)]
pub enum Stretch {
    /// The run can continue.
    Open,
    /// A sink paused it; it can continue.
    Paused {
        /// The next instruction.
        pc: u32,
    },
    /// The run is over: it ended by itself, reached the horizon, or was cut.
    Over(Outcome),
}

/// A run up to a horizon, in stretches. Each stretch makes progress, even if a sink pauses it repeatedly or its next instruction starts
/// after the stretch, so every run ends.
#[derive(Debug)]
pub struct Stretches {
    horizon: Horizon,
    /// Upper bound on the run's last cycle.
    most: u64,
    /// After a cancellation, the cycle at which a repeatedly paused run ends.
    cut_in: Option<u64>,
}

impl Stretches {
    /// Runs at most `slice` cycles.
    ///
    /// # Errors
    /// If the target cannot continue.
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

    /// Whether a paused run ends because of a cancellation. It may continue for a while: a run that ends by itself meanwhile was not cut.
    fn is_cut(&mut self, machine: &Bench) -> bool {
        let last = || machine.cycle().saturating_add(machine.pace());
        cut::asked().is_some() && machine.cycle() >= *self.cut_in.get_or_insert_with(last)
    }
}
