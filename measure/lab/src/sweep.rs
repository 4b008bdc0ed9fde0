//! Runs a program repeatedly, with interrupts a cycle later each time.
//!
//! The part before the interrupts is the same in every run and executes once. Each run starts from a snapshot shortly before its
//! interrupts, and the snapshot advances with the sweep. So the cost of a sweep grows linearly with its length, not quadratically.

use std::ops::ControlFlow;

use events::Sink;
use machine::target::State;
use machine::{Captured, Exception, Outcome, Printed};

use crate::backend::Bench;
use crate::diagnostic::Result;

/// Cycles between the snapshot and the interrupts, more than an instruction takes.
const MARGIN: u64 = 1 << 10;
/// Cycles after which the snapshot advances. Taking one costs about as much as running this far.
const STRIDE: u64 = 1 << 10;

/// The runs of one program. `P` is the listener: each run gets a copy that has received all events before the interrupts.
pub struct Sweep<P> {
    machine: Bench,
    /// The state at reset.
    start: Base<P>,
    /// The latest snapshot before the last requested cycle, if it is not the start.
    near: Option<Base<P>>,
    limit: u64,
    /// Cycle before which the program ends by itself.
    ends: u64,
    output: Option<Captured>,
    /// Called when the listener pauses the run before an interrupt.
    paused: fn(&mut P, &Bench),
}

/// A state from which runs start.
struct Base<P> {
    cycle: u64,
    snapshot: State,
    listener: P,
    /// The output so far.
    printed: Printed,
}

/// A run whose interrupts are still pending.
pub struct Run<'a, P> {
    /// Cycle of the interrupts.
    pub cycle: u64,
    /// The machine, ready to run.
    pub machine: &'a mut Bench,
    /// The listener to pass to [`Bench::run`].
    pub listener: P,
}

impl<P: Sink + Clone> Sweep<P> {
    /// Sweeps over a machine that was just reset. Runs go no further than cycle `limit` to reach an interrupt.
    ///
    /// # Errors
    ///
    /// If the state of the machine cannot be saved.
    pub fn new(mut machine: Bench, listener: P, limit: u64) -> Result<Sweep<P>> {
        let start = Base {
            cycle: machine.cycle(),
            snapshot: machine.snapshot()?,
            listener,
            printed: Printed::default(),
        };
        Ok(Sweep {
            machine,
            start,
            near: None,
            limit,
            ends: u64::MAX,
            output: None,
            paused: |_, _| (),
        })
    }

    /// Sets an action for a listener that pauses the run.
    #[must_use]
    pub fn pausing(self, paused: fn(&mut P, &Bench)) -> Sweep<P> {
        Sweep { paused, ..self }
    }

    /// Captures the program's output in `output`, separately for each run.
    #[must_use]
    pub fn capturing(self, output: Captured) -> Sweep<P> {
        let output = Some(output);
        Sweep { output, ..self }
    }

    /// Calls `run` for each of `cycles`, at which all of `interrupts` arrive, until one breaks with a result. Ascending cycles are cheap.
    ///
    /// # Errors
    ///
    /// Those of `run`, and of the machine: see [`Bench::run`].
    pub fn each<T>(
        &mut self,
        cycles: impl IntoIterator<Item = u64>,
        interrupts: &[Exception],
        mut run: impl FnMut(Run<'_, P>) -> Result<ControlFlow<T>>,
    ) -> Result<Option<T>> {
        for cycle in cycles {
            self.go_before(cycle)?;
            for &interrupt in interrupts {
                self.machine.raise(interrupt, cycle)?;
            }
            let listener = self.base().listener.clone();
            let machine = &mut self.machine;
            if let ControlFlow::Break(result) = run(Run {
                cycle,
                machine,
                listener,
            })? {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }

    /// The machine in the state after the last run.
    pub fn into_machine(self) -> Bench {
        self.machine
    }

    fn base(&self) -> &Base<P> {
        self.near.as_ref().unwrap_or(&self.start)
    }

    /// Moves the machine to a state shortly before `cycle`.
    fn go_before(&mut self, cycle: u64) -> Result<()> {
        let wanted = cycle.saturating_sub(MARGIN).min(self.limit);
        if self.base().cycle > wanted {
            self.near = None;
        }
        self.restore()?;
        if wanted < self.base().cycle.saturating_add(STRIDE) || wanted >= self.ends {
            return Ok(());
        }
        let mut listener = self.base().listener.clone();
        let outcome = loop {
            let outcome = self.machine.run(wanted, &mut listener)?;
            (self.paused)(&mut listener, &self.machine);
            if !matches!(outcome, Outcome::Paused { .. }) {
                break outcome;
            }
        };
        match outcome {
            // A program that waits for an interrupt cannot go further.
            Outcome::Limit { .. } | Outcome::Stuck(_) => {
                self.near = Some(Base {
                    cycle: wanted,
                    snapshot: self.machine.snapshot()?,
                    listener,
                    printed: self.output.as_ref().map_or_else(Printed::default, Captured::mark),
                });
            }
            // Each run must report this end itself.
            _ => {
                self.ends = wanted;
                self.restore()?;
            }
        }
        Ok(())
    }

    fn restore(&mut self) -> Result<()> {
        let base = self.near.as_ref().unwrap_or(&self.start);
        self.machine.restore(&base.snapshot)?;
        if let Some(output) = &self.output {
            output.go_back(&base.printed);
        }
        Ok(())
    }
}
