//! Runs one program from reset.

mod phases;

use std::sync::Arc;

use machine::board::Allow;
use machine::{Board, Console, Debugger, Exception, Image, Options, Outcome, Stimulus, Waiting};
use spans::{Collector, Stats, Unmeasured};

use crate::asked::never_came;
use crate::backend::{Backend, Bench};
use crate::cut;
use crate::diagnostic::{Diagnostic, Result};
use crate::ended;
use crate::horizon::{Horizon, Stretch};
use crate::watch::{Watch, Watcher};

pub(crate) use phases::{Missed, Phases};

/// Cycles before the first check whether everything is measured. The interval starts small, since many runs are short, and grows. It does
/// not affect the samples.
const FIRST_SLICE: u64 = 1 << 9;
const SLICE: u64 = 1 << 16;

/// The settings shared by all runs.
#[derive(Clone, Copy)]
pub(crate) struct Session<'a> {
    /// The program.
    pub(crate) image: &'a Arc<Image>,
    /// The board.
    pub(crate) board: &'a Board,
    /// The backend that runs it.
    pub(crate) backend: &'a Backend,
    /// Addresses to answer although the board does not describe them.
    pub(crate) allow: &'a [Allow],
    /// External input to the program's devices.
    pub(crate) stimuli: &'a [Stimulus],
    /// Addresses at which the debugger halts the core.
    pub(crate) halts: &'a [u32],
    /// The limit of a run.
    pub(crate) horizon: Horizon,
    /// Advice on how to end a run that does not end by itself.
    pub(crate) until: &'static str,
}

/// The result of a span.
type Collected = Result<Stats, Unmeasured>;

/// A completed run.
pub(crate) struct Pass {
    /// How it ended; `None` if it was stopped because everything was measured.
    pub(crate) outcome: Option<Outcome>,
    /// What the program waited for, if not ending is a failure.
    waits: Option<Waiting>,
    /// The result of each span.
    pub(crate) collected: Vec<Collected>,
    /// The cycle in which each point was first reached.
    pub(crate) first_met: Vec<Option<u64>>,
    /// Warnings about external interrupts that were not taken.
    pub(crate) missing: Vec<Diagnostic>,
    /// Notes about the run: chip resets, a stack that overran a variable.
    pub(crate) notes: Vec<Diagnostic>,
    /// All timing rules that the run relied on.
    pub(crate) rules: u128,
    /// The program's output.
    output: String,
    /// The results of an interrupt's phases; the other fields then combine all phases.
    pub(crate) phases: Phases,
}

impl Session<'_> {
    /// Runs until the program ends, `stop` applies, or the limit is reached. `raises` are external interrupts as (cycle, exception). Also
    /// returns the machine in its final state.
    ///
    /// # Errors
    ///
    /// If the program cannot start on this board.
    pub(crate) fn run(
        &self,
        watch: &Watch,
        collector: Collector,
        raises: &[(u64, Exception)],
        stop: impl Fn(&Watcher<'_>) -> bool,
    ) -> Result<(Pass, Bench)> {
        let (console, output) = Console::captured();
        let mut machine = self.machine(console)?;
        for &(cycle, exception) in raises {
            machine.raise(exception, cycle)?;
        }
        let sp = machine.stack_pointer();
        let mut watcher = Watcher::with_raises(watch, collector, sp, raises);
        let outcome = self.go_on(&mut machine, &mut watcher, &stop)?;
        let mut pass = self.pass(outcome, watcher, output.text(), &machine);
        pass.ask_waits(self, &mut machine);
        Ok((pass, machine))
    }

    fn go_on(
        &self,
        machine: &mut Bench,
        watcher: &mut Watcher<'_>,
        stop: &impl Fn(&Watcher<'_>) -> bool,
    ) -> Result<Option<Outcome>> {
        let (mut slice, mut stretches) = (FIRST_SLICE, self.horizon.stretches());
        loop {
            let stretch = stretches.run(machine, slice, watcher)?;
            // A thread switch is reported together with its exception return, so none is pending here.
            if matches!(stretch, Stretch::Open) {
                watcher.release();
            }
            tell_clock(watcher, machine);
            if stop(watcher) {
                return Ok(None);
            }
            if let Stretch::Over(outcome) = stretch {
                return Ok(Some(outcome));
            }
            slice = (2 * slice).min(SLICE);
        }
    }

    /// The program at reset with its output discarded.
    pub(crate) fn bench(&self) -> Result<Bench> {
        self.machine(Console::none())
    }

    fn machine(&self, console: Console) -> Result<Bench> {
        let options = Options {
            debugger: Debugger::Attached,
            halts: self.halts.to_vec(),
            allow: self.allow.to_vec(),
            stimuli: self.stimuli.to_vec(),
            console,
            ..Options::default()
        };
        self.backend.bench(self.board, self.image, options)
    }

    /// The result of a run that is over or was stopped.
    fn pass(
        &self,
        outcome: Option<Outcome>,
        mut watcher: Watcher<'_>,
        output: String,
        machine: &Bench,
    ) -> Pass {
        watcher.release();
        // A run that stopped because everything was measured may not have reached the interrupts.
        let mut missing = Vec::new();
        if outcome.is_some() {
            missing.extend(
                watcher
                    .arrivals()
                    .missing(machine.cycle(), &self.board.exception_names()),
            );
            missing.extend(never_came(machine));
        }
        let notes = machine.stack_overrun().into_iter().chain(machine.notes());
        let first_met = watcher.first_met().to_vec();
        let collector = watcher.finish();
        let rules = machine.relied().0;
        Pass {
            outcome,
            waits: None,
            collected: collector.finish(),
            first_met,
            missing,
            notes: notes.collect(),
            rules,
            output,
            phases: Phases::default(),
        }
    }
}

/// Records the clock of a call that has begun.
fn tell_clock(watcher: &mut Watcher<'_>, machine: &Bench) {
    if watcher.asks_clock() {
        watcher.clock(machine.clock_hz());
    }
}

impl Pass {
    /// The instruction at which the run failed, if it did.
    pub(crate) fn failed_at(&self, session: &Session<'_>) -> Option<u32> {
        self.failure(session)?;
        self.outcome.as_ref().and_then(ended::failed_at)
    }

    /// Whether it reached the limit without ending.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.outcome, Some(Outcome::Limit { .. }))
    }

    /// How it ended, unless it exited with code 0 or everything was measured.
    pub(crate) fn ended(&self, session: &Session<'_>) -> Option<String> {
        match (&self.outcome, session.horizon) {
            _ if self.phases.cut.is_some() => Some("cut".to_owned()),
            (Some(Outcome::Limit { .. }), horizon) if horizon.is_end() => Some("time".to_owned()),
            // A measuring program may end in any way, including an endless loop.
            (Some(Outcome::Stuck(_)) | None, _) => None,
            (Some(outcome), _) => ended::unusual(outcome),
        }
    }

    /// How it ended, if that is a failure for a measurement.
    fn failing(&self, session: &Session<'_>) -> Option<&Outcome> {
        // A measuring program may end in any way, including an endless loop.
        let outcome = self
            .outcome
            .as_ref()
            .filter(|outcome| !matches!(outcome, Outcome::Stuck(_)))?;
        let is_end = matches!(outcome, Outcome::Limit { .. }) && session.horizon.is_end();
        (!is_end).then_some(outcome)
    }

    /// Determines what a failed program waits for, which may take many iterations of a loop.
    fn ask_waits(&mut self, session: &Session<'_>, machine: &mut Bench) {
        self.waits = self.failing(session).and_then(|outcome| machine.waits(outcome));
    }

    /// The failure of this run, if any, with the program's output.
    pub(crate) fn failure(&self, session: &Session<'_>) -> Option<Diagnostic> {
        let outcome = self.failing(session)?;
        let message = ended::failure(
            outcome,
            session.horizon.cycles(),
            session.image,
            self.waits.clone(),
        )?;
        let message = match outcome {
            Outcome::Limit { .. } if cut::asked().is_none() => message.help(session.until),
            _ => message,
        };
        let printed = last_lines(self.output.trim_end());
        Some(if printed.is_empty() {
            message
        } else {
            message.note(format!("it printed: {printed}"))
        })
    }
}

/// Maximum number of output lines in a message, and of their bytes.
const LINES: usize = 40;
const BYTES: usize = 4096;

/// The end of a text, which is the latest output.
fn last_lines(text: &str) -> String {
    let from = text
        .rmatch_indices('\n')
        .nth(LINES - 1)
        .map_or(0, |(at, _)| at + 1);
    let mut from = from.max(text.len().saturating_sub(BYTES));
    while !text.is_char_boundary(from) {
        from += 1;
    }
    if from == 0 {
        text.to_owned()
    } else {
        format!("[…]\n{}", &text[from..])
    }
}
