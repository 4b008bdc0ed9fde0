//! The core of a machine behind one trait, for the machine, its reports and its debuggers. Each family implements it in its own file;
//! nothing else in this crate depends on the family.

mod cortex_m;
mod rv32;

use std::any::Any;
use std::sync::Arc;

use bus::{Bus, ResetCause, ResetState};
use core_cortex_m::Debugger;
use core_rv32::Hart;
use events::{RuleSet, Sink};

use crate::board::{Board, Chosen};
use crate::crash::Frame;
use crate::exception::{Exception, ExceptionNames};
use crate::image::Image;
use crate::machine::Outcome;
use crate::start::StartError;
use crate::target::Registers;

/// The state of a core and its bus. Only a core of the same kind can restore it.
pub(crate) type Snapshot = Arc<dyn Any + Send + Sync>;

/// Why a core stopped.
pub(crate) type Stop = exec::Stop<NotModelled>;

/// Something that is not modelled, as the core reports it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NotModelled {
    CortexM(Box<core_cortex_m::NotModelled>),
    Rv32(core_rv32::NotModelled),
}

/// The core of a board after reset, with a program's memory on `bus`, and its entry point.
pub(crate) fn of_board(board: &Board, bus: Bus, entry: u32, debugger: Debugger) -> Box<dyn Processor> {
    match board.chosen() {
        Chosen::CortexM(core) => cortex_m::cortex_m(core.config(debugger), bus),
        Chosen::Rv32(core) => rv32::rv32(core.config, bus, core.reset.unwrap_or(entry), debugger),
    }
}

/// A core with everything on its bus.
pub(crate) trait Processor: Send + Sync {
    /// Takes the core out of reset; a debugger halts it before the instructions at `halts`.
    ///
    /// # Errors
    /// Why the core cannot start.
    fn reset(&mut self, board: &Board, image: &Image, halts: Vec<u32>) -> Result<(), StartError>;

    /// Runs until an instruction would start in cycle `until` or later, or until the core stops for another reason.
    fn run(&mut self, until: u64, sink: &mut dyn Sink) -> Stop;

    /// Whether the sink of the last run asked for a pause.
    fn pause_requested(&self) -> bool;

    /// Core cycles since reset.
    fn cycle(&self) -> u64;

    /// Instructions executed since reset.
    fn instructions(&self) -> u64;

    /// The rules that affected a cycle since reset. Empty for a core whose rules all have the same evidence.
    fn relied(&self) -> RuleSet {
        RuleSet::EMPTY
    }

    /// The address of the next instruction.
    fn pc(&self) -> u32;

    /// The stack pointer in use.
    fn stack_pointer(&self) -> u32;

    /// Read access to memory and devices.
    fn bus(&self) -> &Bus;

    /// Write access to memory and devices.
    fn bus_mut(&mut self) -> &mut Bus;

    /// The registers, with a debugger's names.
    fn registers(&mut self) -> Box<dyn Registers + '_>;

    /// Writes memory as a debugger does. False if there is none.
    fn write_memory(&mut self, address: u32, bytes: &[u8]) -> bool;

    /// Writes memory like [`Processor::write_memory`], flash included.
    fn program_memory(&mut self, address: u32, bytes: &[u8]) -> bool {
        self.write_memory(address, bytes)
    }

    /// Fetches the instructions anew that begin among `length` bytes at `address`, to which a debugger wrote. A core that fetches nothing
    /// ahead has nothing to do.
    fn refetch(&mut self, _address: u32, _length: usize) {}

    /// The result of a read outside memory, without its side effects; `None` if it cannot be told.
    fn look(&self, address: u32, size: u32) -> Option<u32>;

    /// Writes outside memory. False if the access is refused.
    fn poke(&mut self, address: u32, size: u32, value: u32) -> bool;

    /// Writes to stimulus ports since the last call: cycle, port, and bytes.
    fn take_trace(&mut self) -> Vec<(u64, u8, Vec<u8>)> {
        Vec::new()
    }

    /// The semihosting request: operation and parameter (R0 and R1; a0 and a1).
    fn request(&self) -> (u32, u32);

    /// Returns the answer of a semihosting request to the program.
    fn answer(&mut self, value: u32);

    /// Emits the events of the instruction by which the program exited.
    fn finish(&mut self, _sink: &mut dyn Sink) {}

    /// Restarts the core after a reset of the chip.
    ///
    /// # Errors
    /// Why it cannot restart, as a message.
    fn begin_again(&mut self, sink: &mut dyn Sink) -> Result<(), String>;

    /// Resets the chip: devices and core restart; memory keeps its content.
    ///
    /// # Errors
    /// Why it cannot restart, as a message.
    fn restart(&mut self, first: &ResetState, cause: ResetCause, sink: &mut dyn Sink) -> Result<(), String> {
        let now = self.cycle();
        let reset = self.bus_mut().reset(first, cause, now);
        reset.map_err(|error| format!("a device cannot begin again behind a reset: {error:?}"))?;
        self.begin_again(sink)
    }

    /// Halts the core as a debugger does, to resume it later.
    fn halt(&mut self) {}

    /// Whether the core sleeps without having stopped for that. (A Cortex-M stops by itself when it would sleep forever.)
    fn sleeps(&self) -> bool {
        false
    }

    /// Whether it is asleep.
    fn is_asleep(&self) -> bool;

    /// Since when the core sleeps, and which pending exceptions do not wake it; `None` if it is awake.
    fn asleep(&self, names: &ExceptionNames) -> Option<Vec<String>>;

    /// Future interrupts that no device raises: their cycles and names.
    fn coming(&self, names: &ExceptionNames) -> Vec<(u64, String)>;

    /// Whether the next instruction is an unconditional branch to itself.
    fn spins(&self) -> bool;

    /// Whether any scheduled or enabled event could interrupt the program.
    fn can_be_interrupted(&self) -> bool;

    /// The exception whose handler is running, if known.
    fn handler(&self) -> Option<Exception> {
        None
    }

    /// The calls that led to the current instruction, innermost first; or to where a thread left that has these registers.
    fn backtrace(&self, image: &Image, registers: Option<&dyn Registers>) -> Vec<Frame>;

    /// The crash, if that is why the core stands still.
    fn crash(&self, image: &Image, locked_up: bool) -> Option<Outcome>;

    /// Sets whether the timing of code is cached and reused.
    fn set_cost_reuse(&mut self, remembers: bool);

    /// Raises an input in cycle `at`.
    fn raise(&mut self, exception: Exception, at: u64);

    /// Holds an input at a level from cycle `at` on. False if it has no such level input.
    fn set_line(&mut self, _exception: Exception, _at: u64, _level: bool) -> bool {
        false
    }

    /// Saves the state.
    fn snapshot(&mut self) -> Snapshot;

    /// Restores a state of this core, or of one of the same kind.
    fn rewind(&mut self, snapshot: &Snapshot);

    /// The core, if it is a Cortex-M.
    fn cortex_m(&self) -> Option<&core_cortex_m::Core> {
        None
    }

    /// The core, if it is an RV32 core.
    fn rv32(&self) -> Option<&Hart> {
        None
    }
}

/// Downcasts a snapshot.
///
/// # Panics
/// If the snapshot belongs to another kind of core.
fn of_this_core<S: Any>(snapshot: &Snapshot) -> &S {
    let state = snapshot.downcast_ref();
    state.expect("the snapshot is of a machine with another core")
}
