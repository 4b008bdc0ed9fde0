//! A target runs a program: the model of a core, or its Verilog.

mod model;

use std::any::Any;
use std::sync::Arc;

use events::{Event, Flow, Interest, RuleSet, Sink};
use thiserror::Error;

use crate::board::Board;
use crate::crash::Frame;
use crate::exception::Exception;
use crate::image::Image;
use crate::machine::Outcome;
use crate::waiting::Waiting;

/// How far a run goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Until {
    /// Run until an instruction would start in this cycle (since reset) or later.
    Cycle(u64),
    /// Run until one more instruction was executed or an exception was entered.
    Step,
    /// Run until the next instruction is at one of these addresses, or until cycle `limit`. The address of the last such halt does not
    /// count at once.
    Halt {
        /// The addresses.
        before: Vec<u32>,
        /// A limit like that of [`Until::Cycle`].
        limit: u64,
    },
}

/// Pauses a run after the first instruction or exception entry; targets [step](Until::Step) with it.
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

/// An error of a target.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct TargetError {
    /// The message.
    pub message: String,
    /// The file it concerns.
    pub file: Option<String>,
    /// The suggested remedy.
    pub help: Option<String>,
}

impl TargetError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> TargetError {
        TargetError {
            message: message.into(),
            file: None,
            help: None,
        }
    }

    /// Adds the file it concerns.
    #[must_use]
    pub fn in_file(self, file: impl Into<String>) -> TargetError {
        let file = Some(file.into());
        TargetError { file, ..self }
    }

    /// Adds the suggested remedy.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> TargetError {
        let help = Some(help.into());
        TargetError { help, ..self }
    }
}

/// The state of a target. Only the same target, or one with the same board and program, can restore it.
pub struct State(pub Box<dyn Any>);

/// How an input is driven.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Drive {
    /// A pulse; a level input (RV32) is held until its interrupt is taken.
    Pulse,
    /// A constant level.
    Level(bool),
}

/// The registers of a core, named as in its manual.
pub trait Registers {
    /// All names, in a debugger's order.
    fn names(&self) -> Vec<&'static str>;

    /// The names of separate system registers: RV32's control and status registers.
    fn system(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// A register's value; `None` if there is no such register.
    fn get(&self, name: &str) -> Option<u32>;

    /// Writes a register. False if there is no such register, or it is read-only.
    fn set(&mut self, name: &str, value: u32) -> bool;
}

/// A debugger's view of memory: accesses take no cycles, and reads have no side effects.
pub trait Memory {
    /// Reads memory, or registers of devices and the core. False if some of the range is neither.
    fn read(&self, address: u32, bytes: &mut [u8]) -> bool;

    /// Writes memory, or registers of devices and the core. False if some of the range is neither, or is read-only.
    fn write(&mut self, address: u32, bytes: &[u8]) -> bool;

    /// Writes memory, flash included. False if some of the range is not memory, or the target cannot write it.
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

    /// Runs until the program ends, a sink asks for a pause, or `until` is reached. Splitting a run changes nothing.
    ///
    /// # Errors
    /// If it cannot be run.
    fn run(&mut self, until: Until, sink: &mut dyn Sink) -> Result<Outcome, TargetError>;

    /// Halts the core where a run paused, as a debugger does: instructions in flight finish. A core whose halting cost is unknown
    /// continues as if it had not been halted.
    ///
    /// # Errors
    /// If it cannot be halted.
    fn halt(&mut self) -> Result<(), TargetError> {
        Ok(())
    }

    /// Drives the input of an exception in cycle `at` (since reset), or at once if that is past.
    ///
    /// # Errors
    /// If there is no such input, or it cannot be driven that way.
    fn drive(&mut self, exception: Exception, at: u64, drive: Drive) -> Result<(), TargetError>;

    /// The core's registers.
    ///
    /// # Errors
    /// If they cannot be accessed.
    fn registers(&mut self) -> Result<Box<dyn Registers + '_>, TargetError>;

    /// Memory.
    ///
    /// # Errors
    /// If it cannot be accessed.
    fn memory(&mut self) -> Result<Box<dyn Memory + '_>, TargetError>;

    /// Saves the state.
    ///
    /// # Errors
    /// If it cannot be saved.
    fn snapshot(&mut self) -> Result<State, TargetError>;

    /// Restores a state.
    ///
    /// # Errors
    /// If the state belongs to another target.
    fn restore(&mut self, state: &State) -> Result<(), TargetError>;

    /// The calls that led to the current instruction, innermost first, in the format of a crash report; `None` if unknown.
    fn calls(&self) -> Option<String> {
        None
    }

    /// The calls that led to the current instruction, innermost first; or to where a thread left that has these registers. Empty if unknown.
    fn backtrace(&self, _: Option<&dyn Registers>) -> Vec<Frame> {
        Vec::new()
    }

    /// What the program waits for after this outcome, if that can be told: it sleeps, or polls a register. Leaves the target unchanged.
    fn waits(&mut self, _: &Outcome) -> Option<Waiting> {
        None
    }

    /// The first stack overflow into a program's variable: what happened, and where and when.
    fn stack_overrun(&self) -> Option<[String; 2]> {
        None
    }

    /// Notes on the run since reset, a sentence each: resets of the chip, accesses that a chip would answer differently.
    fn notes(&self) -> &[String] {
        &[]
    }

    /// Core cycles since reset.
    fn cycle(&self) -> u64;

    /// The core cycles of the stimuli still to come, with their devices' names.
    fn scheduled_inputs(&self) -> Vec<(u64, String)> {
        Vec::new()
    }

    /// Input bytes that a device never passed on, with its name and the reason.
    fn unreceived(&self) -> Vec<(String, usize, &'static str)> {
        Vec::new()
    }

    /// A device's refusal that no access has reported yet, as a message.
    fn refused(&self) -> Option<String> {
        None
    }

    /// Instructions since reset.
    fn instructions(&self) -> u64;

    /// The timing rules that affected a cycle since reset, by their numbers in [`crate::cores::Core::rule_book`]. Empty if all rules of
    /// the core have the same evidence, as on RV32.
    fn relied(&self) -> RuleSet;

    /// The core's current clock in Hz, as the program set it.
    fn clock_hz(&self) -> u32;

    /// The highest core clock since reset in Hz, as far as known.
    fn fastest_clock_hz(&self) -> u32 {
        self.clock_hz()
    }

    /// Simulated nanoseconds since reset.
    fn nanoseconds(&self) -> u64;
}
