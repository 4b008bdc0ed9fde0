//! The core of a machine, whichever it is: what the machine, its reports and its debuggers ask of it. Each family answers in a file of its
//! own, and nothing else in this crate asks which one it is.

mod cortex_m;
mod rv32;

use std::any::Any;
use std::sync::Arc;

use bus::{AtReset, Bus, ResetCause};
use core_rv32::Hart;
use events::{RuleSet, Sink};

use crate::board::Board;
use crate::crash::Frame;
use crate::exception::{Exception, ExceptionNames};
use crate::image::Image;
use crate::machine::Outcome;
use crate::start::StartError;
use crate::target::Registers;

pub(crate) use cortex_m::cortex_m;
pub(crate) use rv32::rv32;

/// The state of a core and its bus at one moment. Only a core of the same kind can go back to it.
pub(crate) type Snapshot = Arc<dyn Any + Send + Sync>;

/// Why a core stopped.
pub(crate) type Stop = exec::Stop<NotModelled>;

/// What is not modelled, as the core tells it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NotModelled {
    CortexM(Box<core_cortex_m::NotModelled>),
    Rv32(core_rv32::NotModelled),
}

/// A core with everything on its bus.
pub(crate) trait Processor: Send + Sync {
    /// Takes the core out of reset; a debugger halts it before the instructions at `halts`.
    ///
    /// # Errors
    /// Why it cannot begin.
    fn reset(&mut self, board: &Board, image: &Image, halts: Vec<u32>) -> Result<(), StartError>;

    /// Runs until an instruction would start in cycle `until` or later, or until something else stops it.
    fn run(&mut self, until: u64, sink: &mut dyn Sink) -> Stop;

    /// Whether the sink of the last run asked for a pause.
    fn asked_to_pause(&self) -> bool;

    /// Core cycles since reset.
    fn cycle(&self) -> u64;

    /// Instructions that were executed since reset.
    fn instructions(&self) -> u64;

    /// The rules that decided a cycle since reset. Those of a core whose rules are all equally well known are not kept.
    fn relied(&self) -> RuleSet {
        RuleSet::EMPTY
    }

    /// Address of the next instruction.
    fn pc(&self) -> u32;

    /// The stack pointer in use.
    fn stack_pointer(&self) -> u32;

    /// Memory and devices.
    fn bus(&self) -> &Bus;

    /// Memory and devices, to change.
    fn bus_mut(&mut self) -> &mut Bus;

    /// The registers, as a debugger names them.
    fn registers(&mut self) -> Box<dyn Registers + '_>;

    /// Changes memory as a debugger does. False if there is none.
    fn write_memory(&mut self, address: u32, bytes: &[u8]) -> bool;

    /// As [`Processor::write_memory`], of memory that only its programmer writes, too.
    fn program_memory(&mut self, address: u32, bytes: &[u8]) -> bool {
        self.write_memory(address, bytes)
    }

    /// What a read of so many bytes would find that is no memory, without its effects; `None` if nothing can be said.
    fn look(&self, address: u32, size: u32) -> Option<u32>;

    /// Writes so many bytes that are no memory. False if that is refused.
    fn poke(&mut self, address: u32, size: u32, value: u32) -> bool;

    /// What the program wrote to stimulus ports since the last call: cycle, port, and bytes.
    fn take_trace(&mut self) -> Vec<(u64, u8, Vec<u8>)> {
        Vec::new()
    }

    /// A semihosting request: operation and parameter (R0 and R1; a0 and a1).
    fn request(&self) -> (u32, u32);

    /// Its answer.
    fn answer(&mut self, value: u32);

    /// The program ended itself: tells of what did that.
    fn finish(&mut self, _sink: &mut dyn Sink) {}

    /// The core begins again behind a reset of the chip.
    ///
    /// # Errors
    /// Why it cannot, in words.
    fn begin_again(&mut self, sink: &mut dyn Sink) -> Result<(), String>;

    /// The chip is reset: devices and core begin again, with memory as it is.
    ///
    /// # Errors
    /// Why it cannot begin again, in words.
    fn restart(&mut self, first: &AtReset, cause: ResetCause, sink: &mut dyn Sink) -> Result<(), String> {
        let now = self.cycle();
        let reset = self.bus_mut().reset(first, cause, now);
        reset.map_err(|error| format!("a device cannot begin again behind a reset: {error:?}"))?;
        self.begin_again(sink)
    }

    /// A debugger halts the core, and lets it go on.
    fn halt(&mut self) {}

    /// Whether it is asleep though it has not stopped for that. (A Cortex-M stops by itself when it would sleep forever.)
    fn sleeps(&self) -> bool {
        false
    }

    /// Whether it is asleep.
    fn is_asleep(&self) -> bool;

    /// Since when it sleeps, and what is pending and does not wake it; `None` if it is awake.
    fn asleep(&self, names: &ExceptionNames) -> Option<Vec<String>>;

    /// What is to interrupt it, that no device brings: in which cycle, and what it is.
    fn coming(&self, names: &ExceptionNames) -> Vec<(u64, String)>;

    /// Whether the next instruction is an unconditional branch to itself.
    fn spins(&self) -> bool;

    /// Whether anything is scheduled, or enabled, that could interrupt what it does.
    fn can_be_interrupted(&self) -> bool;

    /// The exception whose handler it is in, if it knows.
    fn handler(&self) -> Option<Exception> {
        None
    }

    /// The calls that led to where it stands, innermost first.
    fn backtrace(&self, image: &Image) -> Vec<Frame>;

    /// How the program crashed, if it stands still because of that.
    fn crash(&self, image: &Image, locked_up: bool) -> Option<Outcome>;

    /// Whether what was worked out is reused.
    fn set_remembering(&mut self, remembers: bool);

    /// Raises an input in cycle `at`.
    fn raise(&mut self, exception: Exception, at: u64);

    /// Holds an input at a level from cycle `at` on. False where it has none to hold.
    fn set_line(&mut self, _exception: Exception, _at: u64, _level: bool) -> bool {
        false
    }

    /// The state now.
    fn snapshot(&mut self) -> Snapshot;

    /// Goes back to a state of this core, or of one of the same kind.
    fn rewind(&mut self, snapshot: &Snapshot);

    /// The core itself, if it is a Cortex-M.
    fn cortex_m(&self) -> Option<&core_cortex_m::Core> {
        None
    }

    /// The core itself, if it is an RV32 one.
    fn rv32(&self) -> Option<&Hart> {
        None
    }
}

/// A snapshot of this type.
///
/// # Panics
/// If it is of a machine with another core.
fn of_this_core<S: Any>(snapshot: &Snapshot) -> &S {
    let state = snapshot.downcast_ref();
    state.expect("the snapshot is of a machine with another core")
}
