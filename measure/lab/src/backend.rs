//! Where a program runs: on the model, or on the Verilog of its core.

mod rtl;
mod stream;

use std::path::PathBuf;
use std::sync::Arc;

use events::{RuleSet, Sink};
use machine::{Board, Exception, Image, Machine, Options, Outcome};
use report::Row;

use crate::diagnostic::Result;
use crate::ended;

use rtl::Verilog;

/// What runs programs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Backend {
    /// The model.
    #[default]
    Model,
    /// The Verilog of the core, which is built under this folder.
    Rtl(PathBuf),
}

/// A program ready to run.
pub enum Bench {
    /// On the model.
    Model(Box<Machine>),
    /// On the Verilog.
    Rtl(Box<Verilog>),
}

impl Backend {
    /// Says in each row that its figures come from the Verilog, if they do: they are none to compare with.
    pub(crate) fn name_source(&self, rows: &mut [Row]) {
        for row in rows.iter_mut().filter(|_| *self != Backend::Model) {
            row.published = None;
            row.source = self.source(&row.core);
        }
    }

    /// What the figures of a core come from, where that is not the model.
    fn source(&self, core: &str) -> Option<String> {
        let core = rtl_oracle::Core::named(core).filter(|_| *self != Backend::Model)?;
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
        match self {
            Backend::Model => Machine::new(board, image, options)
                .map(|machine| Bench::Model(Box::new(machine)))
                .map_err(|error| ended::not_started(&error)),
            Backend::Rtl(cache) => {
                Verilog::new(board, image, options, cache).map(|verilog| Bench::Rtl(Box::new(verilog)))
            }
        }
    }
}

impl Bench {
    /// Raises an interrupt in cycle `at`.
    pub fn raise(&mut self, exception: Exception, at: u64) {
        match self {
            Bench::Model(machine) => machine.raise(exception, at),
            Bench::Rtl(verilog) => verilog.raise(exception, at),
        }
    }

    /// Runs until the program ends, or cycle `limit` is reached.
    ///
    /// # Errors
    ///
    /// If the Verilog cannot be run.
    pub fn run(&mut self, limit: u64, sink: &mut dyn Sink) -> Result<Outcome> {
        match self {
            Bench::Model(machine) => Ok(machine.run(limit, sink)),
            Bench::Rtl(verilog) => verilog.run(limit, sink),
        }
    }

    /// Cycles since reset.
    pub fn cycle(&self) -> u64 {
        match self {
            Bench::Model(machine) => machine.cycle(),
            Bench::Rtl(verilog) => verilog.cycle(),
        }
    }

    /// Instructions since reset, as far as they were told of.
    pub fn instructions(&self) -> u64 {
        match self {
            Bench::Model(machine) => machine.instructions(),
            Bench::Rtl(verilog) => verilog.instructions(),
        }
    }

    /// The timing rules that decided a cycle since reset; the Verilog has none.
    pub fn relied(&self) -> RuleSet {
        match self {
            Bench::Model(machine) => machine.relied(),
            Bench::Rtl(_) => RuleSet::EMPTY,
        }
    }

    /// The stack pointer at reset.
    pub fn stack_pointer(&self) -> u32 {
        match self {
            Bench::Model(machine) => machine.stack_pointer(),
            Bench::Rtl(_) => 0,
        }
    }

    /// The program.
    pub fn image(&self) -> &Arc<Image> {
        match self {
            Bench::Model(machine) => machine.image(),
            Bench::Rtl(verilog) => verilog.image(),
        }
    }

    /// The word at `address`, if it is memory; the Verilog's cannot be looked at.
    pub fn peek_word(&self, address: u32) -> Option<u32> {
        match self {
            Bench::Model(machine) => machine.peek_word(address),
            Bench::Rtl(_) => None,
        }
    }

    /// The core's clock in Hz, as the program has set it by now.
    pub fn clock_hz(&self) -> u32 {
        match self {
            Bench::Model(machine) => machine.clock_hz(),
            Bench::Rtl(verilog) => verilog.clock_hz(),
        }
    }

    /// Simulated nanoseconds since reset.
    pub fn nanoseconds(&self) -> u64 {
        match self {
            Bench::Model(machine) => machine.nanoseconds(),
            Bench::Rtl(verilog) => verilog.cycle() * 1_000_000_000 / u64::from(verilog.clock_hz()),
        }
    }

    /// The state, to go back to.
    pub fn snapshot(&mut self) -> Snapshot {
        match self {
            Bench::Model(machine) => Snapshot::Model(Box::new(machine.snapshot())),
            Bench::Rtl(verilog) => Snapshot::Rtl(verilog.told()),
        }
    }

    /// Goes back to a state. The Verilog runs again from reset, and tells what comes behind that state.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        match (self, snapshot) {
            (Bench::Model(machine), Snapshot::Model(snapshot)) => machine.restore(snapshot),
            (Bench::Rtl(verilog), Snapshot::Rtl(told)) => verilog.begin_again(*told),
            _ => unreachable!("a run has one backend"),
        }
    }
}

/// A state of a [`Bench`].
pub enum Snapshot {
    /// Of the model.
    Model(Box<machine::Snapshot>),
    /// Of the Verilog: how many events were told.
    Rtl(usize),
}
