//! Instruction timing: pipelines as the Verilog has them, clocked cycle by cycle.
//!
//! A pipeline knows no data. When an instruction enters the decode stage, the caller ([`Supply`]) gives its [`Kind`] and the registers that
//! it reads and writes ([`InFlight`]). When it leaves that stage, and no older instruction can prevent its execution any more, the caller
//! executes it and returns the results: the jump target, the accessed address. A CSR access executes when it leaves the execute stage,
//! where it waits until everything older is done; a trap return in the last stage; a trap when it is taken.

mod arbiter;
mod data;
mod fetch;
mod halves;
pub mod ibex;
mod in_flight;
mod interrupts;
mod lines;
mod memoizable;
pub mod picorv32;
mod port;
pub mod precursor;
pub mod rules;
mod tags;
mod translation;
mod units;
pub mod vexriscv_cached;
pub mod vexriscv_lite;
pub mod vexriscv_simple;
mod vexriscv_waits;
mod walk;
mod walker;

pub use bus::Latency;
pub use in_flight::{InFlight, Jump, Kind};
pub(crate) use memoizable::{AccessPlace, Load, Memoizable, RelevantOperand};
pub use translation::{Located, Rights, TableEntry};

/// The program, as seen by a pipeline. All calls of one cycle are in program order.
pub trait Supply {
    /// The instruction at `pc`, as it enters the decode stage. It may never be executed.
    fn decode(&mut self, pc: u32) -> InFlight {
        self.decode_at(pc, pc)
    }

    /// Decodes the instruction at `pc`, whose bus address is `physical`.
    fn decode_at(&mut self, pc: u32, physical: u32) -> InFlight;

    /// The bus address and the rights of a fetch of `pc` at this privilege.
    fn locate_fetch(&mut self, pc: u32) -> Located;

    /// Whether a load or store of `address` asks for a translation that is not known.
    fn lacks_translation(&mut self, address: u32) -> bool;

    /// The address of the first table entry for `address`.
    fn first_entry(&mut self, address: u32) -> u32;

    /// A walk has read an entry. Gives the place of the next one, if this is no leaf; else the translation is known from now
    /// on. Behind a pointer in the last table there is nothing.
    fn walked(&mut self, entry: TableEntry) -> Option<u32>;

    /// The word of memory at this address, as the fetch sees it.
    fn word(&mut self, address: u32) -> u32;

    /// Executes the instruction that leaves the decode stage, unless its kind says later; returns it with the results.
    fn execute(&mut self, in_flight: InFlight) -> InFlight;

    /// Like [`Supply::execute`], for an instruction after a jump that will not be executed: only its needs in the execute stage matter.
    fn mislaid(&mut self, in_flight: InFlight) -> InFlight;

    /// Executes the access to a control and status register that leaves the execute stage.
    fn access_csr(&mut self);

    /// The core forgets the translations that it knew when the SFENCE.VMA in the last stage was executed, where that takes so long.
    fn forget_translations(&mut self);

    /// The exception that is taken next has this address in place of its own.
    fn misplace(&mut self, pc: u32);

    /// Takes the exception of the oldest instruction that is not executed yet. Gives the handler's address.
    fn take_exception(&mut self) -> u32;

    /// Takes the interrupt, in place of the next instruction. Gives the handler's address.
    fn take_interrupt(&mut self) -> u32;

    /// Takes the interrupt that is pending and enabled in this cycle. Gives the handler's address.
    fn take_pending_interrupt(&mut self) -> u32;

    /// The clock of the core stands still in this cycle, and so does `mcycle`.
    fn stands_still(&mut self);

    /// Executes the trap return that is in the last stage. Gives the address where execution goes on.
    fn return_from_trap(&mut self) -> u32;

    /// Whether an interrupt is pending, enabled, and would be taken at this privilege.
    fn is_interrupted(&mut self) -> bool;

    /// Whether an interrupt is pending and enabled by itself, which ends WFI.
    fn is_woken(&mut self) -> bool;

    /// Undoes the instruction in the last stage and all younger executed ones, which are fetched again. Returns the address.
    fn redo(&mut self) -> u32;

    /// A load or store of this address is acknowledged at the bus in this cycle.
    fn transferred(&mut self, address: u32, writes: bool);

    /// How long a transfer takes depends on those before it.
    fn shares_memory(&self) -> bool;

    /// The latency of a fetch of `words` words that goes to the bus in the next cycle. Called once per transfer.
    fn fetch_latency(&mut self, address: u32, words: u8) -> Latency;

    /// The latency of a load, or of a store (`writes`). Within a cycle it is called before a fetch, which then comes second if both go to
    /// the same cache.
    fn data_latency(&mut self, address: u32, writes: bool, words: u8) -> Latency;
}
