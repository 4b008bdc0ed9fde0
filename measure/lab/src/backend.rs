//! Where a program runs: on the model, on the Verilog of its core, behind a debug probe, or on whatever serves GDB.

mod attached;
mod link;
mod probe;
mod remote;

use std::path::PathBuf;
use std::sync::Arc;

use events::{RuleSet, Sink};
use machine::target::{Drive, State, Until};
use machine::{Board, Exception, Image, Machine, Options, Outcome, Target, Waiting};
use report::{Evidence, Row};
use rtl_oracle::Verilog;

use crate::cut;
use crate::diagnostic::{Diagnostic, Kind, Result};
use crate::ended;
use crate::progress::{self, Stage};
use probe::Probe;

/// Cycles between two looks at whether all runs are to end: well below a second of the model's, about one of the Verilog's.
const PACE: u64 = 1 << 20;
/// The same where scripts run, which may take milliseconds for each cycle.
const SCRIPTED: u64 = 1 << 5;

/// What runs programs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Backend {
    /// The model.
    #[default]
    Model,
    /// The Verilog of the core, which is built under this folder.
    Rtl(PathBuf),
    /// What serves GDB at this address (`localhost:3333`): a board behind a debug probe.
    Gdb(String),
    /// A board behind a debug probe, which probe-rs drives: by its USB ids (`0483:374b`, `0483:374b:SERIAL`), or the only one there is. Only with
    /// the feature `probe-rs`.
    Probe(Option<String>),
}

impl Backend {
    /// Says in each row that its figures come from elsewhere than the model, if they do: they are none to compare with.
    pub(crate) fn name_source(&self, rows: &mut [Row]) {
        for row in rows.iter_mut().filter(|_| *self != Backend::Model) {
            row.published = None;
            row.source = self.source(&row.core);
            // The model's mark: where there is no model, or an estimate, the Verilog is better known.
            if matches!(self, Backend::Rtl(_)) && row.evidence == Evidence::D {
                row.evidence = Evidence::Rtl;
            }
        }
    }

    /// What the figures of a core come from, where that is not the model.
    fn source(&self, core: &str) -> Option<String> {
        if let Backend::Gdb(address) = self {
            return Some(format!("the GDB server at {address}"));
        }
        if let Backend::Probe(selector) = self {
            return Some(attached::name(selector.as_deref()));
        }
        let core = rtl_oracle::Core::of_board(core)
            .ok()?
            .filter(|_| *self != Backend::Model)?;
        Some(format!(
            "{}, {}, Verilator {}",
            core.name,
            core.source(),
            rtl_oracle::verilator_version()?
        ))
    }

    /// Puts a program on a board.
    ///
    /// # Errors
    ///
    /// If it cannot start there.
    pub fn bench(&self, board: &Board, image: &Arc<Image>, options: Options) -> Result<Bench> {
        let target: Box<dyn Target> = match self {
            Backend::Model => {
                let machine = Machine::new(board, image, options);
                return Ok(Bench {
                    target: Box::new(machine.map_err(|error| ended::not_started(&error))?),
                    pace: if board.has_scripts() { SCRIPTED } else { PACE },
                    reached: 0,
                });
            }
            Backend::Rtl(cache) => {
                let core = board.core().name();
                let _stage = Stage::new(
                    &format!("the Verilog of {core}, which is built once, in a minute or so"),
                    0,
                );
                Box::new(Verilog::new(board, image, options, cache).map_err(|error| ended::refused(&error))?)
            }
            Backend::Gdb(address) => {
                let served = Probe::served(address, board, image, options);
                Box::new(served.map_err(|error| ended::refused(&error))?)
            }
            Backend::Probe(selector) => {
                let link = || attached::open(selector.as_deref(), board.core());
                let probe = Probe::new(link, board, image, options);
                Box::new(probe.map_err(|error| ended::refused(&error))?)
            }
        };
        Ok(Bench::of(target))
    }
}

/// A program ready to run, on whatever [`Target`].
pub struct Bench {
    target: Box<dyn Target>,
    /// Cycles between two looks at whether all runs are to end. It is no matter of the host's time: where a run is cut, what it tells
    /// of sleep is, too.
    pace: u64,
    /// As of [`Bench::reached`], where that is more than the target's own cycle.
    reached: u64,
}

impl Bench {
    fn of(target: Box<dyn Target>) -> Bench {
        Bench {
            target,
            pace: PACE,
            reached: 0,
        }
    }

    /// A program on a target of one's own.
    pub fn new(target: impl Target + 'static) -> Bench {
        Bench::of(Box::new(target))
    }

    /// A board behind a probe that somebody has opened.
    ///
    /// # Errors
    ///
    /// If there is no chip, or it has another program.
    #[cfg(feature = "probe-rs")]
    pub fn attached(
        probe: probe_rs::probe::Probe,
        board: &Board,
        image: &Arc<Image>,
        options: Options,
    ) -> Result<Bench> {
        let link = || attached::attach(probe, "the probe", board.core());
        let probe = Probe::new(link, board, image, options);
        Ok(Bench::of(Box::new(
            probe.map_err(|error| ended::refused(&error))?,
        )))
    }

    /// What runs it.
    pub fn target(&mut self) -> &mut dyn Target {
        &mut *self.target
    }

    /// Raises an interrupt in cycle `at`.
    ///
    /// # Errors
    ///
    /// If the target has no such input.
    pub fn raise(&mut self, exception: Exception, at: u64) -> Result<()> {
        let driven = self.target.drive(exception, at, Drive::Pulse);
        driven.map_err(|error| ended::refused(&error))
    }

    /// Runs until the program ends, cycle `limit` is reached, or all runs are to end ([`cut::ask`]).
    ///
    /// # Errors
    ///
    /// If the target cannot be run.
    pub fn run(&mut self, limit: u64, sink: &mut dyn Sink) -> Result<Outcome> {
        loop {
            let until = limit.min(self.next(self.pace));
            let outcome = self.target.run(Until::Cycle(until), sink);
            let outcome = outcome.map_err(|error| ended::refused(&error))?;
            if matches!(outcome, Outcome::Limit { .. }) {
                self.reached = until;
            }
            progress::at(self.cycle());
            let goes_on = matches!(outcome, Outcome::Limit { .. }) && until < limit;
            // What has ended by itself was not cut.
            let is_open = matches!(outcome, Outcome::Limit { .. } | Outcome::Paused { .. });
            if is_open && cut::notice().is_some() || !goes_on {
                return Ok(outcome);
            }
        }
    }

    /// Cycles that it may run on when it is to end.
    pub(crate) fn pace(&self) -> u64 {
        self.pace
    }

    /// Cycles since reset.
    pub fn cycle(&self) -> u64 {
        self.target.cycle()
    }

    /// The cycle before which no further instruction starts. An instruction that takes long, or a core that sleeps, keeps
    /// [`Bench::cycle`] behind the limit that a run has reached.
    pub fn reached(&self) -> u64 {
        self.reached.max(self.cycle())
    }

    /// The limit of the next stretch of a run, `cycles` from here: always later than the one before, so that a run in stretches gets on.
    pub(crate) fn next(&self, cycles: u64) -> u64 {
        let next = self.cycle().saturating_add(cycles);
        if next > self.reached() {
            next
        } else {
            self.reached().saturating_add(cycles.max(1))
        }
    }

    /// The cycles of the stimuli that are still to come, each with its device's name.
    pub(crate) fn still_to_come(&self) -> Vec<(u64, String)> {
        self.target.still_to_come()
    }

    /// Bytes that came to a device and never got through, with its name and the reason.
    pub(crate) fn unreceived(&self) -> Vec<(String, usize, &'static str)> {
        self.target.unreceived()
    }

    /// What a device has refused, and no access to one has been answered with yet, in words.
    pub(crate) fn refused(&self) -> Option<String> {
        self.target.refused()
    }

    /// Instructions since reset.
    pub fn instructions(&self) -> u64 {
        self.target.instructions()
    }

    /// The timing rules that decided a cycle since reset; the Verilog has none.
    pub fn relied(&self) -> RuleSet {
        self.target.relied()
    }

    /// The stack pointer, where the target shows it; else 0.
    pub fn stack_pointer(&mut self) -> u32 {
        let registers = self.target.registers();
        registers
            .ok()
            .and_then(|registers| registers.get("sp"))
            .unwrap_or(0)
    }

    /// The program.
    pub fn image(&self) -> &Arc<Image> {
        self.target.image()
    }

    /// The word at `address`, if it is memory that the target shows.
    pub fn peek_word(&mut self, address: u32) -> Option<u32> {
        let mut word = [0; 4];
        let there = self.target.memory().ok()?.read(address, &mut word);
        there.then(|| u32::from_le_bytes(word))
    }

    /// The calls that led to where the core stands, if the target can tell.
    pub fn calls(&self) -> Option<String> {
        self.target.calls()
    }

    /// What the program waits for, if a run did not get to its end: it sleeps, or polls a register.
    pub fn waits(&mut self, outcome: &Outcome) -> Option<Waiting> {
        self.target.waits(outcome)
    }

    /// A warning, if a stack grew over a variable of the program.
    pub fn stack_overrun(&self) -> Option<Diagnostic> {
        let [title, note] = self.target.stack_overrun()?;
        Some(Diagnostic::new(Kind::Skipped, title).note(note))
    }

    /// What was noticed of the run, such as a reset of the chip, for whom it was not shown when it happened.
    pub(crate) fn notes(&self) -> Vec<Diagnostic> {
        let notes = self.target.notes().iter();
        notes
            .map(|note| Diagnostic::new(Kind::Skipped, note.clone()))
            .collect()
    }

    /// The core's clock in Hz, as the program has set it by now.
    pub fn clock_hz(&self) -> u32 {
        self.target.clock_hz()
    }

    /// The highest clock in Hz that the core has had since reset.
    pub fn fastest_clock_hz(&self) -> u32 {
        self.target.fastest_clock_hz()
    }

    /// Simulated nanoseconds since reset.
    pub fn nanoseconds(&self) -> u64 {
        self.target.nanoseconds()
    }

    /// The state, to go back to.
    ///
    /// # Errors
    ///
    /// If the target cannot save it.
    pub fn snapshot(&mut self) -> Result<State> {
        self.target.snapshot().map_err(|error| ended::refused(&error))
    }

    /// Goes back to a state of this program on this target.
    ///
    /// # Errors
    ///
    /// If it is one of another.
    pub fn restore(&mut self, state: &State) -> Result<()> {
        self.reached = 0;
        self.target.restore(state).map_err(|error| ended::refused(&error))
    }
}
