//! The backends that run a program: the model, a debug probe, a GDB server, or one of the caller's, such as the core's Verilog.

mod attached;
mod link;
mod probe;
mod remote;

use std::fmt::Debug;
use std::sync::Arc;

use events::{RuleSet, Sink};
use machine::target::{Drive, State, Until};
use machine::{Board, Exception, Image, Machine, Options, Outcome, Target, TargetError, Waiting};
use report::{Evidence, Row};

use crate::cut;
use crate::diagnostic::{Diagnostic, Kind, Result};
use crate::ended;
use crate::progress;
use probe::Probe;

/// Cycles between checks for cancellation: well below a second of the model's time, about a second of the Verilog's.
const PACE: u64 = 1 << 20;
/// Cycles between those checks if scripts run, which may take milliseconds per cycle.
const SCRIPTED: u64 = 1 << 5;

/// A backend that runs programs.
#[derive(Clone, Default, Debug)]
pub enum Backend {
    /// The simulator's model.
    #[default]
    Model,
    /// The GDB server at this address (`localhost:3333`): usually a board behind a debug probe.
    Gdb(String),
    /// A board behind a debug probe, driven by probe-rs: with its USB ids (`0483:374b`, `0483:374b:SERIAL`), or the only probe. Requires
    /// the feature `probe-rs`.
    Probe(Option<String>),
    /// A backend of the caller, such as the core's Verilog.
    Other(Arc<dyn Provider>),
}

/// A backend that this crate does not have itself.
pub trait Provider: Debug + Send + Sync {
    /// The source of a core's figures, as results name it; `None` if it is unknown.
    fn source(&self, core: &str) -> Option<String>;

    /// The mark of its figures where the model's is no better than an estimate.
    fn evidence(&self) -> Evidence;

    /// Loads a program onto a board.
    ///
    /// # Errors
    ///
    /// If it cannot start there.
    fn target(
        &self,
        board: &Board,
        image: &Arc<Image>,
        options: Options,
    ) -> Result<Box<dyn Target>, TargetError>;
}

impl Backend {
    /// Whether it is the simulator's model.
    pub fn is_model(&self) -> bool {
        matches!(self, Backend::Model)
    }

    /// Sets the source of each row and removes its published figure, unless the backend is the model.
    pub(crate) fn name_source(&self, rows: &mut [Row]) {
        for row in rows.iter_mut().filter(|_| !self.is_model()) {
            row.published = None;
            row.source = self.source(&row.core);
            // The mark is the model's.
            if let Backend::Other(provider) = self
                && row.evidence == Evidence::D
            {
                row.evidence = provider.evidence();
            }
        }
    }

    /// The source of a core's figures; `None` for the model.
    fn source(&self, core: &str) -> Option<String> {
        match self {
            Backend::Model => None,
            Backend::Gdb(address) => Some(format!("the GDB server at {address}")),
            Backend::Probe(selector) => Some(attached::name(selector.as_deref())),
            Backend::Other(provider) => provider.source(core),
        }
    }

    /// Loads a program onto a board.
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
            Backend::Gdb(address) => {
                let served = Probe::served(address, board, image, options);
                Box::new(served.map_err(|error| ended::refused(&error))?)
            }
            Backend::Probe(selector) => {
                let link = || attached::open(selector.as_deref(), board.core());
                let probe = Probe::new(link, board, image, options);
                Box::new(probe.map_err(|error| ended::refused(&error))?)
            }
            Backend::Other(provider) => {
                let target = provider.target(board, image, options);
                target.map_err(|error| ended::refused(&error))?
            }
        };
        Ok(Bench::of(target))
    }
}

/// A program ready to run on a [`Target`].
pub struct Bench {
    target: Box<dyn Target>,
    /// Cycles between checks for cancellation. It must not depend on host time, since a sleep event is split wherever the run is cut.
    pace: u64,
    /// The value of [`Bench::reached`], if it is beyond the target's own cycle.
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

    /// A program on a custom target.
    pub fn new(target: impl Target + 'static) -> Bench {
        Bench::of(Box::new(target))
    }

    /// A board behind an opened probe.
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

    /// The target that runs the program.
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

    /// Runs until the program ends, cycle `limit` is reached, or all runs are cancelled ([`cut::ask`]).
    ///
    /// # Errors
    ///
    /// If the target cannot run.
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
            // A run that ended by itself was not cut.
            let is_open = matches!(outcome, Outcome::Limit { .. } | Outcome::Paused { .. });
            if is_open && cut::notice().is_some() || !goes_on {
                return Ok(outcome);
            }
        }
    }

    /// Cycles that it may still run after a cancellation.
    pub(crate) fn pace(&self) -> u64 {
        self.pace
    }

    /// Cycles since reset.
    pub fn cycle(&self) -> u64 {
        self.target.cycle()
    }

    /// The cycle before which no further instruction starts. A long instruction, or a sleeping core, keeps [`Bench::cycle`] below the
    /// limit that a run has reached.
    pub fn reached(&self) -> u64 {
        self.reached.max(self.cycle())
    }

    /// The limit of the next stretch, `cycles` from here. It always increases, so that a run in stretches makes progress.
    pub(crate) fn next(&self, cycles: u64) -> u64 {
        let next = self.cycle().saturating_add(cycles);
        if next > self.reached() {
            next
        } else {
            self.reached().saturating_add(cycles.max(1))
        }
    }

    /// The cycle and device of each pending stimulus.
    pub(crate) fn scheduled_inputs(&self) -> Vec<(u64, String)> {
        self.target.scheduled_inputs()
    }

    /// Bytes that never reached the program: device, number, and reason.
    pub(crate) fn unreceived(&self) -> Vec<(String, usize, &'static str)> {
        self.target.unreceived()
    }

    /// A device's refusal that no access has reported yet, in words.
    pub(crate) fn refused(&self) -> Option<String> {
        self.target.refused()
    }

    /// Instructions since reset.
    pub fn instructions(&self) -> u64 {
        self.target.instructions()
    }

    /// The timing rules that decided any cycle since reset; empty on the Verilog.
    pub fn relied(&self) -> RuleSet {
        self.target.relied()
    }

    /// The stack pointer; 0 if the target does not show it.
    pub fn stack_pointer(&mut self) -> u32 {
        let registers = self.target.registers();
        registers
            .ok()
            .and_then(|registers| registers.get("sp"))
            .unwrap_or(0)
    }

    /// The program's image.
    pub fn image(&self) -> &Arc<Image> {
        self.target.image()
    }

    /// The word at `address`, if the target shows that memory.
    pub fn peek_word(&mut self, address: u32) -> Option<u32> {
        let mut word = [0; 4];
        let there = self.target.memory().ok()?.read(address, &mut word);
        there.then(|| u32::from_le_bytes(word))
    }

    /// The backtrace from where the core stopped, if the target can tell.
    pub fn calls(&self) -> Option<String> {
        self.target.calls()
    }

    /// The event that a program waits for if its run did not end: it sleeps, or polls a register.
    pub fn waits(&mut self, outcome: &Outcome) -> Option<Waiting> {
        self.target.waits(outcome)
    }

    /// A warning if a stack overran a variable of the program.
    pub fn stack_overrun(&self) -> Option<Diagnostic> {
        let [title, note] = self.target.stack_overrun()?;
        Some(Diagnostic::new(Kind::Skipped, title).note(note))
    }

    /// Notes about the run, such as chip resets, for output that did not show them when they happened.
    pub(crate) fn notes(&self) -> Vec<Diagnostic> {
        let notes = self.target.notes().iter();
        notes
            .map(|note| Diagnostic::new(Kind::Skipped, note.clone()))
            .collect()
    }

    /// The core's current clock in Hz.
    pub fn clock_hz(&self) -> u32 {
        self.target.clock_hz()
    }

    /// The core's highest clock since reset, in Hz.
    pub fn fastest_clock_hz(&self) -> u32 {
        self.target.fastest_clock_hz()
    }

    /// Simulated time since reset, in nanoseconds.
    pub fn nanoseconds(&self) -> u64 {
        self.target.nanoseconds()
    }

    /// Saves the state for [`Bench::restore`].
    ///
    /// # Errors
    ///
    /// If the target cannot save it.
    pub fn snapshot(&mut self) -> Result<State> {
        self.target.snapshot().map_err(|error| ended::refused(&error))
    }

    /// Restores a saved state of this program on this target.
    ///
    /// # Errors
    ///
    /// If the state is of another target or program.
    pub fn restore(&mut self, state: &State) -> Result<()> {
        self.reached = 0;
        self.target.restore(state).map_err(|error| ended::refused(&error))
    }
}
