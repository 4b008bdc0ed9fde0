//! Runs a program once per interrupt phase, each a cycle later, and combines the results.

use std::ops::ControlFlow;

use machine::{Console, Exception, Outcome};
use spans::{Collector, Unmeasured};

use super::{Pass, Session, tell_clock};
use crate::backend::Bench;
use crate::cut;
use crate::diagnostic::{Diagnostic, Result};
use crate::progress::Stage;
use crate::sweep::Sweep;
use crate::watch::{Watch, Watcher};

/// Results of the phases besides their samples. A phase that failed or gave no sample does not affect the others.
#[derive(Default)]
pub(crate) struct Phases {
    /// Number of phases that ran.
    runs: u64,
    /// Number of phases that did not run.
    pub(crate) left: u64,
    /// For each span, the phases without a sample.
    pub(crate) missed: Vec<Option<Missed>>,
    /// The failed phases.
    pub(crate) failed: Option<Failed>,
    /// The first phase whose run has notes, from 1.
    pub(crate) noted: u64,
    /// The message if the runs were cut.
    pub(crate) cut: Option<Diagnostic>,
}

/// Phases without a sample of a span.
#[derive(Clone, Copy)]
pub(crate) struct Missed {
    /// Their number, from 1.
    pub(crate) count: u64,
    /// The first of them, from 1.
    pub(crate) first: u64,
    /// Why the first of them has no sample.
    pub(crate) why: Unmeasured,
}

/// Phases that failed.
pub(crate) struct Failed {
    /// Their number, from 1.
    pub(crate) count: u64,
    /// The first of them, from 1.
    pub(crate) first: u64,
    /// The message about the first of them.
    pub(crate) message: Diagnostic,
}

impl Session<'_> {
    /// As [`Session::run`] for each of `phases`, from 1, with the interrupt a cycle later each time, and with the samples of all. If the
    /// first two reach the limit and no sample count ends a run, they are the last: the program never ends, and every phase would take as
    /// long.
    ///
    /// # Errors
    ///
    /// As [`Session::run`].
    pub(crate) fn run_phases(
        &self,
        watch: &Watch,
        collector: Collector,
        (first, exception): (u64, Exception),
        phases: u64,
        stop: impl Fn(&Watcher<'_>) -> bool,
    ) -> Result<(Pass, Bench)> {
        let (console, output) = Console::captured();
        let mut machine = self.machine(console)?;
        let mut ends = collector.is_bounded();
        let mut all = Pass::of_no_run(&collector);
        let watcher = Watcher::new(watch, collector, machine.stack_pointer());
        let mut sweep = Sweep::new(machine, watcher, self.horizon.cycles())?
            .capturing(output.clone())
            .pausing(tell_clock);
        let last = first.saturating_add(phases - 1);
        let stage = Stage::new("phases", phases);
        sweep.each(first..=last, &[exception], |mut run| {
            run.listener.expect(&[(run.cycle, exception)]);
            let outcome = self.go_on(run.machine, &mut run.listener, &stop)?;
            let mut pass = self.pass(outcome, run.listener, output.text(), run.machine);
            // Only the first failure, and the one at which the runs are cut, are reported.
            if all.phases.failed.is_none() || cut::asked().is_some() {
                pass.ask_waits(self, run.machine);
            }
            let failure = pass.failure(self);
            ends |= failure.is_none() || !matches!(pass.outcome, Some(Outcome::Limit { .. }));
            if cut::asked().is_some() && failure.is_some() {
                all.phases.cut = failure;
                all.add(pass, None);
                return Ok(ControlFlow::Break(()));
            }
            all.add(pass, failure);
            let left = last - run.cycle;
            if left > 0 {
                all.phases.cut = cut::leaves_out(|| format!("{left} of {phases} phases were not run"));
            }
            if all.phases.cut.is_some() || !ends && all.phases.runs == 2 {
                all.phases.left = left;
                return Ok(ControlFlow::Break(()));
            }
            stage.step();
            Ok(ControlFlow::Continue(()))
        })?;
        Ok((all, sweep.into_machine()))
    }
}

impl Pass {
    /// A result without any run.
    fn of_no_run(collector: &Collector) -> Pass {
        let collected = collector.clone().finish();
        Pass {
            outcome: None,
            waits: None,
            first_met: Vec::new(),
            missing: Vec::new(),
            notes: Vec::new(),
            rules: 0,
            output: String::new(),
            phases: Phases {
                missed: vec![None; collected.len()],
                ..Phases::default()
            },
            collected,
        }
    }

    /// Appends the samples of one more phase. The end of the runs is that of the first failed phase, or else of the last.
    fn add(&mut self, phase: Pass, failure: Option<Diagnostic>) {
        let Phases {
            runs,
            missed,
            failed,
            noted,
            cut,
            ..
        } = &mut self.phases;
        let earlier = *runs;
        *runs += 1;
        if self.notes.is_empty() {
            (self.notes, *noted) = (phase.notes, *runs);
        }
        self.rules |= phase.rules;
        if failed.is_none() {
            (self.outcome, self.waits, self.output) = (phase.outcome, phase.waits, phase.output);
        }
        if let Some(message) = failure {
            let first = *runs;
            failed
                .get_or_insert(Failed {
                    count: 0,
                    first,
                    message,
                })
                .count += 1;
        }
        for ((all, one), missed) in self.collected.iter_mut().zip(phase.collected).zip(missed) {
            match (&mut *all, one) {
                (Ok(all), Ok(one)) => all.join(&one),
                (Err(_), Ok(one)) => *all = Ok(one.after(earlier)),
                // A cut phase does not count as a phase without a sample.
                (Ok(all), Err(_)) if cut.is_some() => all.runs += 1,
                (all, Err(why)) => {
                    match all {
                        Ok(all) => all.runs += 1,
                        Err(first) if earlier == 0 => *first = why,
                        Err(_) => {}
                    }
                    let first = *runs;
                    missed.get_or_insert(Missed { count: 0, first, why }).count += 1;
                }
            }
        }
    }
}
