//! What runs a program, whatever it is: the model of a core, its Verilog, and what comes later.

mod model;

use std::any::Any;
use std::sync::Arc;

use events::{Event, Flow, Interest, RuleSet, Sink};
use thiserror::Error;

use crate::board::Board;
use crate::exception::Exception;
use crate::image::Image;
use crate::machine::Outcome;
use crate::waiting::Waiting;

/// How far a run goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Until {
    /// Until an instruction would start in this cycle (since reset) or later.
    Cycle(u64),
    /// Until one instruction more was executed, or an exception was entered.
    Step,
    /// Until an instruction at one of these addresses would be executed next, or cycle `limit` is reached. Where it halted so last,
    /// the run goes on.
    Halt {
        /// The addresses.
        before: Vec<u32>,
        /// As of [`Until::Cycle`].
        limit: u64,
    },
}

/// Pauses a run behind the first instruction or entry: how a target makes a [step](Until::Step).
#[derive(Clone, Copy, Debug)]
pub struct One;

impl Sink for One {
    fn interest(&self) -> Interest {
        Interest::windows()
    }

    fn event(&mut self, event: &Event) -> Flow {
        match event {
            Event::Retire(_) | Event::Enter(_) => Flow::Pause,
            _ => Flow::On,
        }
    }
}

/// What a target cannot do, or why it could not.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct TargetError {
    /// What went wrong.
    pub message: String,
    /// The file that it is about.
    pub file: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl TargetError {
    /// With this message.
    pub fn new(message: impl Into<String>) -> TargetError {
        TargetError {
            message: message.into(),
            file: None,
            help: None,
        }
    }

    /// The same about a file.
    #[must_use]
    pub fn in_file(self, file: impl Into<String>) -> TargetError {
        let file = Some(file.into());
        TargetError { file, ..self }
    }

    /// The same with what to do.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> TargetError {
        let help = Some(help.into());
        TargetError { help, ..self }
    }
}

/// The state of a target at one moment. Only the target that gave it, or one of the same board and program, understands it.
pub struct State(pub Box<dyn Any>);

/// How an input is driven.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Drive {
    /// A pulse: an input that is a level (RV32) is held until its interrupt is taken.
    Pulse,
    /// To this level, at which it stays.
    Level(bool),
}

/// The registers of a core, by the names that its manual gives them.
pub trait Registers {
    /// All names, in the order in which a debugger shows them.
    fn names(&self) -> Vec<&'static str>;

    /// The names of those that control the core and tell of it, where they are apart from the others: RV32's control and status registers.
    fn system(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// What a register holds; `None` if there is none of this name.
    fn get(&self, name: &str) -> Option<u32>;

    /// Makes a register hold a value. False if there is none of this name, or it cannot hold any.
    fn set(&mut self, name: &str, value: u32) -> bool;
}

/// Memory as a debugger sees it: no cycle passes, and looking has no side effects.
pub trait Memory {
    /// Reads memory, or registers of devices and of the core. False if some of it is neither.
    fn read(&self, address: u32, bytes: &mut [u8]) -> bool;

    /// Writes memory, or registers of devices and of the core. False if some of it is neither, or is read-only.
    fn write(&mut self, address: u32, bytes: &[u8]) -> bool;

    /// Writes memory, flash too. False if some of it is none, or the target cannot.
    fn program(&mut self, address: u32, bytes: &[u8]) -> bool {
        self.write(address, bytes)
    }
}

/// A program on a board, ready to run.
pub trait Target {
    /// The board.
    fn board(&self) -> &Board;

    /// The program.
    fn image(&self) -> &Arc<Image>;

    /// Runs until the program ends, a sink asks for a pause, or it has come so far. Where a run is cut changes nothing.
    ///
    /// # Errors
    /// If it cannot be run.
    fn run(&mut self, until: Until, sink: &mut dyn Sink) -> Result<Outcome, TargetError>;

    /// Halts the core where a run paused, as a debugger does: what is under way ends. A core of which nobody knows what that takes goes
    /// on as if it had not been halted.
    ///
    /// # Errors
    /// If it cannot be halted.
    fn halt(&mut self) -> Result<(), TargetError> {
        Ok(())
    }

    /// Drives the input of an exception in cycle `at` (since reset); in the past means at once.
    ///
    /// # Errors
    /// If there is no such input, or it cannot be driven so.
    fn drive(&mut self, exception: Exception, at: u64, drive: Drive) -> Result<(), TargetError>;

    /// The core's registers.
    ///
    /// # Errors
    /// If they cannot be looked at.
    fn registers(&mut self) -> Result<Box<dyn Registers + '_>, TargetError>;

    /// Memory.
    ///
    /// # Errors
    /// If it cannot be looked at.
    fn memory(&mut self) -> Result<Box<dyn Memory + '_>, TargetError>;

    /// The state, to go back to.
    ///
    /// # Errors
    /// If it cannot be saved.
    fn snapshot(&mut self) -> Result<State, TargetError>;

    /// Goes back to a state.
    ///
    /// # Errors
    /// If it is one of another target.
    fn restore(&mut self, state: &State) -> Result<(), TargetError>;

    /// The calls that led to where the core stands, innermost first, as a crash is told of; `None` if it cannot tell.
    fn calls(&self) -> Option<String> {
        None
    }

    /// What the program waits for where a run came to this outcome, as far as that can be told: it sleeps, or polls a register. The target is
    /// as before.
    fn waits(&mut self, _: &Outcome) -> Option<Waiting> {
        None
    }

    /// The first stack that grew over a variable of the program, in words: what happened, and where and when.
    fn stack_overrun(&self) -> Option<[String; 2]> {
        None
    }

    /// What was noticed of the run since reset, a sentence each: resets of the chip, accesses that a chip would answer otherwise.
    fn notes(&self) -> &[String] {
        &[]
    }

    /// Core cycles since reset.
    fn cycle(&self) -> u64;

    /// The core cycles of the stimuli that are still to come, each with its device's name.
    fn still_to_come(&self) -> Vec<(u64, String)> {
        Vec::new()
    }

    /// Bytes that came to a device and never got through, with its name and the reason.
    fn unreceived(&self) -> Vec<(String, usize, &'static str)> {
        Vec::new()
    }

    /// What a device has refused, and no access to one has been answered with yet, in words.
    fn refused(&self) -> Option<String> {
        None
    }

    /// Instructions since reset.
    fn instructions(&self) -> u64;

    /// The timing rules that decided a cycle since reset, by the numbers of [`crate::cores::Core::rule_book`]; none where all
    /// of a core's rules are equally well known, as on RV32.
    fn relied(&self) -> RuleSet;

    /// The core's clock in Hz, as the program has set it by now.
    fn clock_hz(&self) -> u32;

    /// The highest clock in Hz that the core has had since reset, as far as that is known.
    fn fastest_clock_hz(&self) -> u32 {
        self.clock_hz()
    }

    /// Simulated nanoseconds since reset.
    fn nanoseconds(&self) -> u64;
}
