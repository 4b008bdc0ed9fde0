//! Runs of one program from reset.

use std::sync::Arc;

use machine::board::Allow;

use machine::{Board, Captured, Console, Debugger, Exception, Image, Machine, Options, Outcome};
use spans::{Collector, Stats, Unmeasured};

use crate::diagnostic::{Diagnostic, Result};
use crate::ended;
use crate::watch::{Watch, Watcher};

/// Cycles between two looks at whether everything is measured. What is collected does not depend on it.
const SLICE: u64 = 1 << 16;

/// What stays the same from run to run.
#[derive(Clone, Copy)]
pub struct Session<'a> {
    /// The program.
    pub image: &'a Arc<Image>,
    /// The board.
    pub board: &'a Board,
    /// Addresses to answer although the board does not describe them.
    pub allow: &'a [Allow],
    /// Addresses at which the debugger halts the core.
    pub halts: &'a [u32],
    /// Cycles after which a run is given up.
    pub limit: u64,
}

/// A run that is over.
pub struct Pass {
    /// How it ended; `None` if it was stopped since all was measured.
    pub outcome: Option<Outcome>,
    /// The spans.
    pub collected: Vec<Result<Stats, Unmeasured>>,
    /// The cycle in which each point was first met.
    pub first_met: Vec<Option<u64>>,
    /// All timing rules that the run relied on.
    pub rules: u128,
    /// The machine as it is at the end.
    pub machine: Machine,
    output: Captured,
}

impl Session<'_> {
    /// Runs until the program ends, `stop` says that all is known, or the limit is reached. `raises` are interrupts from
    /// outside: cycle and exception number.
    ///
    /// # Errors
    ///
    /// If the program cannot be started on this board.
    pub fn run(
        &self,
        watch: &Watch,
        collector: Collector,
        raises: &[(u64, u16)],
        stop: impl Fn(&Watcher<'_>) -> bool,
    ) -> Result<Pass> {
        let (console, output) = Console::captured();
        let mut machine = self.machine(console)?;
        for &(cycle, number) in raises {
            machine.raise(Exception(number), cycle);
        }
        let sp = machine.core().regs.r[13];
        let mut watcher = Watcher::with_raises(watch, collector, sp, raises);
        let outcome = loop {
            let until = self.limit.min(machine.cycle().saturating_add(SLICE));
            let outcome = machine.run(until, &mut watcher);
            if stop(&watcher) {
                break None;
            }
            if !matches!(outcome, Outcome::Limit { .. }) || until == self.limit {
                break Some(outcome);
            }
        };
        let first_met = watcher.first_met().to_vec();
        let (collector, rules) = watcher.finish();
        Ok(Pass {
            outcome,
            collected: collector.finish(),
            first_met,
            rules,
            machine,
            output,
        })
    }

    fn machine(&self, console: Console) -> Result<Machine> {
        let options = Options {
            debugger: Debugger::Attached,
            halts: self.halts.to_vec(),
            allow: self.allow.to_vec(),
            console,
            ..Options::default()
        };
        Machine::new(self.board, self.image, options).map_err(|error| ended::not_started(&error))
    }
}

impl Pass {
    /// Puts the samples of an earlier run in front. A span that one of the two has not measured is not measured.
    pub fn join(&mut self, earlier: &Pass) {
        self.rules |= earlier.rules;
        for (mine, theirs) in self.collected.iter_mut().zip(&earlier.collected) {
            match (mine.as_mut(), theirs) {
                (Ok(mine), Ok(theirs)) => {
                    let mut all = *theirs;
                    all.join(mine);
                    *mine = all;
                }
                (Ok(_), Err(why)) => *mine = Err(*why),
                (Err(_), _) => {}
            }
        }
    }

    /// What went wrong, if anything did, with what the program printed.
    pub fn failure(&self, limit: u64) -> Option<Diagnostic> {
        // A program that measures ends as it likes, also in an endless loop.
        let outcome = self
            .outcome
            .as_ref()
            .filter(|outcome| !matches!(outcome, Outcome::Stuck(_)))?;
        let message = ended::failure(outcome, limit, self.machine.image())?;
        let message = match outcome {
            Outcome::Limit { .. } => {
                message.help("`count = N` in every span ends the run when all is measured")
            }
            _ => message,
        };
        let printed = self.output.text();
        let printed = printed.trim_end();
        Some(if printed.is_empty() {
            message
        } else {
            message.note(format!("it printed: {printed}"))
        })
    }
}
