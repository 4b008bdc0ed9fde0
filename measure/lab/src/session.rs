//! Runs of one program from reset.

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

/// Cycles between two looks at whether everything is measured: few at first, since many runs are short, and then more
/// each time. What is collected does not depend on it.
const FIRST_SLICE: u64 = 1 << 9;
const SLICE: u64 = 1 << 16;

/// What stays the same from run to run.
#[derive(Clone, Copy)]
pub(crate) struct Session<'a> {
    /// The program.
    pub(crate) image: &'a Arc<Image>,
    /// The board.
    pub(crate) board: &'a Board,
    /// What runs it.
    pub(crate) backend: &'a Backend,
    /// Addresses to answer although the board does not describe them.
    pub(crate) allow: &'a [Allow],
    /// What comes to the program's devices from outside.
    pub(crate) stimuli: &'a [Stimulus],
    /// Addresses at which the debugger halts the core.
    pub(crate) halts: &'a [u32],
    /// How far a run goes.
    pub(crate) horizon: Horizon,
    /// How the user ends a run that does not end by itself.
    pub(crate) until: &'static str,
}

/// What became of a span.
type Collected = Result<Stats, Unmeasured>;

/// A run that is over.
pub(crate) struct Pass {
    /// How it ended; `None` if it was stopped since all was measured.
    pub(crate) outcome: Option<Outcome>,
    /// What the program waited for then, if it did not end and that is a failure.
    waits: Option<Waiting>,
    /// The spans.
    pub(crate) collected: Vec<Collected>,
    /// The cycle in which each point was first met.
    pub(crate) first_met: Vec<Option<u64>>,
    /// Warnings about interrupts from outside that were not taken.
    pub(crate) missing: Vec<Diagnostic>,
    /// What was noticed of the run: resets of the chip, a stack that grew over a variable.
    pub(crate) notes: Vec<Diagnostic>,
    /// All timing rules that the run relied on.
    pub(crate) rules: u128,
    /// What the program printed.
    output: String,
    /// What came of the phases, where an interrupt has some: the rest is then of all of them.
    pub(crate) phases: Phases,
}

impl Session<'_> {
    /// Runs until the program ends, `stop` says that all is known, or the limit is reached. `raises` are interrupts from
    /// outside: cycle and exception number. With the machine as it is at the end.
    ///
    /// # Errors
    ///
    /// If the program cannot be started on this board.
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
            // A switch of threads is told together with the return that it is of: none is still to come.
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

    /// The program at reset, once more: what it prints is not kept.
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

    /// What a run came to that is over, or was stopped.
    fn pass(
        &self,
        outcome: Option<Outcome>,
        mut watcher: Watcher<'_>,
        output: String,
        machine: &Bench,
    ) -> Pass {
        watcher.release();
        // A run that was stopped, since all was measured, need not have come so far.
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

/// Tells the clock of a call that has begun.
fn tell_clock(watcher: &mut Watcher<'_>, machine: &Bench) {
    if watcher.asks_clock() {
        watcher.clock(machine.clock_hz());
    }
}

impl Pass {
    /// The instruction that the run did not get past, if it failed.
    pub(crate) fn failed_at(&self, session: &Session<'_>) -> Option<u32> {
        self.failure(session)?;
        self.outcome.as_ref().and_then(ended::failed_at)
    }

    /// Whether it went as far as runs go, and did not end.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.outcome, Some(Outcome::Limit { .. }))
    }

    /// How it ended, where that was not by itself and in good order, nor since all was measured.
    pub(crate) fn ended(&self, session: &Session<'_>) -> Option<String> {
        match (&self.outcome, session.horizon) {
            _ if self.phases.cut.is_some() => Some("cut".to_owned()),
            (Some(Outcome::Limit { .. }), Horizon::Time(_)) if cut::asked().is_none() => {
                Some("time".to_owned())
            }
            // A program that measures ends as it likes, also in an endless loop.
            (Some(Outcome::Stuck(_)) | None, _) => None,
            (Some(outcome), _) => ended::unusual(outcome),
        }
    }

    /// How it ended, where a measurement may not end so.
    fn failing(&self, session: &Session<'_>) -> Option<&Outcome> {
        // A program that measures ends as it likes, also in an endless loop.
        let outcome = self
            .outcome
            .as_ref()
            .filter(|outcome| !matches!(outcome, Outcome::Stuck(_)))?;
        let is_time = matches!(
            (outcome, session.horizon),
            (Outcome::Limit { .. }, Horizon::Time(_))
        );
        (!is_time || cut::asked().is_some()).then_some(outcome)
    }

    /// Finds out what the program waits for, if it failed: this may take many tries of a loop.
    fn ask_waits(&mut self, session: &Session<'_>, machine: &mut Bench) {
        self.waits = self.failing(session).and_then(|outcome| machine.waits(outcome));
    }

    /// What went wrong in this session, if anything did, with what the program printed.
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

/// Lines of a program's output, and bytes of them, that a message shows.
const LINES: usize = 40;
const BYTES: usize = 4096;

/// The end of a text, which says what came last.
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
