//! A program run again and again, with interrupts that come a cycle later each time.
//!
//! What lies in front of the interrupts is the same in every run: it is run once. Each run begins from a snapshot a little
//! before them, and the snapshot moves on with the sweep. So what a sweep costs grows with its length, not with its square.

use std::ops::ControlFlow;

use events::Sink;
use machine::target::State;
use machine::{Captured, Exception, Outcome, Printed};

use crate::backend::Bench;
use crate::diagnostic::Result;

/// Cycles that are left to every run in front of its interrupts: more than an instruction takes.
const MARGIN: u64 = 1 << 10;
/// Cycles after which the snapshot moves on. Making one costs about as much as running so far.
const STRIDE: u64 = 1 << 10;

/// The runs of one program. `P` listens to it: each run has a copy that has heard all that came before the interrupts.
pub struct Sweep<P> {
    machine: Bench,
    /// At reset.
    start: Base<P>,
    /// The nearest state in front of what was asked for last, if that is not the start.
    near: Option<Base<P>>,
    limit: u64,
    /// The program ends by itself before this cycle.
    ends: u64,
    output: Option<Captured>,
    /// What is done at a pause on the way to an interrupt.
    paused: fn(&mut P, &Bench),
}

/// A state from which runs begin.
struct Base<P> {
    cycle: u64,
    snapshot: State,
    listener: P,
    /// What was put out by then.
    printed: Printed,
}

/// One run, before it has begun: its interrupts are still to come.
pub struct Run<'a, P> {
    /// When they come.
    pub cycle: u64,
    /// The program.
    pub machine: &'a mut Bench,
    /// To be given to [`Bench::run`].
    pub listener: P,
}

impl<P: Sink + Clone> Sweep<P> {
    /// Sweeps over a machine that has just been reset. The way to an interrupt ends at cycle `limit`, should it come later.
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

    /// The same for a listener that pauses the run, and then wants this to be done.
    #[must_use]
    pub fn pausing(self, paused: fn(&mut P, &Bench)) -> Sweep<P> {
        Sweep { paused, ..self }
    }

    /// The same for a program whose output is kept here: it will be that of one run, and not of all of them.
    #[must_use]
    pub fn capturing(self, output: Captured) -> Sweep<P> {
        let output = Some(output);
        Sweep { output, ..self }
    }

    /// Calls `run` for each of `cycles`, in which all of `interrupts` come, until one of them breaks with a result.
    /// Ascending cycles are cheap.
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

    /// The machine, as the last run has left it.
    pub fn into_machine(self) -> Bench {
        self.machine
    }

    fn base(&self) -> &Base<P> {
        self.near.as_ref().unwrap_or(&self.start)
    }

    /// Brings the machine to a state in front of `cycle`, and not far from it.
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
            // A program that waits for an interrupt has come as far as it can.
            Outcome::Limit { .. } | Outcome::Stuck(_) => {
                self.near = Some(Base {
                    cycle: wanted,
                    snapshot: self.machine.snapshot()?,
                    listener,
                    printed: self.output.as_ref().map_or_else(Printed::default, Captured::mark),
                });
            }
            // Each run has to tell this by itself.
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
