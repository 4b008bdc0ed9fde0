//! A profile of a whole run: cycles by context, function, line and instruction, each split by cause.
//!
//! The data is one call tree per context; every table is a sum over it. Each cycle of the run is in exactly one [`Tally`], so all sums
//! add up to the run's cycles.

mod annotated;
mod callgrind;
#[cfg(feature = "flamegraph")]
mod flame;
mod json;
mod kernel;
mod lcov;
mod lines;
mod pprof;
mod speedscope;
mod stacks;
mod summary;
mod sums;

use std::collections::BTreeMap;

#[cfg(feature = "flamegraph")]
pub use flame::flame_difference;
pub use kernel::{Kernel, KernelUse, Latency};
pub use lines::Rows;
pub use sums::{ByFunction, ByLine};

/// A rule and the class of its cycles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// The rule's name.
    pub rule: String,
    /// An index into [`Profile::classes`].
    pub class: usize,
}

/// An execution count, and cycles by cause.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Number of executions.
    pub count: u64,
    /// Cycles by cause: an index into [`Profile::causes`], each at most once.
    pub cycles: Vec<(usize, u64)>,
}

/// The profile of a run, or of the profiled part of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// The ELF file.
    pub elf: String,
    /// The board's name.
    pub board: String,
    /// The core's name.
    pub core: String,
    /// How the run ended, in words.
    pub outcome: String,
    /// The core's clock at the end, in Hz.
    pub clock_hz: u32,
    /// Simulated time in nanoseconds.
    pub nanoseconds: u64,
    /// Total cycles.
    pub cycles: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// The names of the classes of causes, in documentation order.
    pub classes: Vec<String>,
    /// The causes; some may not occur in the run.
    pub causes: Vec<Cause>,
    /// Threads in the order of first appearance, then interrupts.
    pub contexts: Vec<Context>,
    /// Functions, and the entries that stand in for one.
    pub functions: Vec<Function>,
    /// The call trees; a parent comes before its children.
    pub nodes: Vec<Node>,
    /// The executed instructions, by address.
    pub code: BTreeMap<u32, Code>,
    /// The peak use of each stack.
    pub stacks: Vec<Stack>,
    /// How long interrupts were masked.
    pub masked: Masked,
    /// Kernels recognised by their symbols.
    pub kernels: Vec<Kernel>,
    /// Interrupt latencies.
    pub latencies: Vec<Latency>,
    /// Execution count of each line that has code, by file.
    pub lines: BTreeMap<String, BTreeMap<u32, u64>>,
}

/// A thread, or all activations of an interrupt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Context {
    /// Its name: `thread 0`, `SysTick`.
    pub name: String,
    /// Number of entries; for a thread, how often it resumed.
    pub runs: u64,
    /// Whether it is a thread rather than an interrupt.
    pub is_thread: bool,
    /// The function in which a thread began.
    pub entry: Option<String>,
}

/// A function, or an entry that stands in for one: `[asleep]`, code without a symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Demangled name.
    pub name: String,
    /// Its first address; `None` if it is not code.
    pub address: Option<u32>,
    /// File and line of its first instruction.
    pub place: Option<(String, u32)>,
}

/// A node of a call tree: a function as reached through one call path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// The caller's node; `None` for the root of a context, whose own cycles are those of entering and leaving it.
    pub parent: Option<usize>,
    /// An index into [`Profile::contexts`].
    pub context: usize,
    /// An index into [`Profile::functions`]; for the root of a context, its name in brackets.
    pub function: usize,
    /// The call instruction's address, if known.
    pub call_site: Option<u32>,
    /// Number of calls from there.
    pub calls: u64,
    /// Cycles that belong to no instruction: exception entries and returns, sleep.
    pub own: Tally,
    /// Its instructions, by address.
    pub code: Vec<(u32, Tally)>,
}

/// An executed instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// Disassembly.
    pub text: String,
    /// Its function: an index into [`Profile::functions`].
    pub function: usize,
    /// Functions and source places, the innermost inlined one first; the last one is the function itself.
    pub frames: Vec<Frame>,
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Demangled name, if known.
    pub function: Option<String>,
    /// File and line, if known.
    pub place: Option<(String, u32)>,
}

/// The peak use of a stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stack {
    /// The context that owns it.
    pub context: usize,
    /// The highest stack pointer.
    pub top: u32,
    /// The lowest stack pointer.
    pub lowest: u32,
    /// The program variable that holds the stack, and its size in bytes.
    pub variable: Option<(String, u32)>,
    /// The variable below, if the stack overran into it.
    pub runs_into: Option<String>,
    /// The call path at the peak, outermost first, as nodes; an interrupt's own nodes follow those of what it interrupted.
    pub path: Vec<usize>,
}

/// Time during which the program masked some interrupts.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Masked {
    /// Masked cycles.
    pub cycles: u64,
    /// Number of masked intervals.
    pub count: u64,
    /// The places with the longest intervals, the longest first.
    pub longest: Vec<MaskedPlace>,
}

/// The masked intervals between one pair of instructions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct MaskedPlace {
    /// Address of the instruction that masked.
    pub from: u32,
    /// Address of the instruction that unmasked.
    pub to: u32,
    /// Number of intervals.
    pub count: u64,
    /// Their total cycles.
    pub cycles: u64,
    /// Cycles of the longest interval.
    pub longest: u64,
}

impl Tally {
    /// Total cycles over all causes.
    pub fn total(&self) -> u64 {
        self.cycles.iter().map(|(_, cycles)| cycles).sum()
    }

    /// Adds another tally to this one.
    pub fn add(&mut self, other: &Tally) {
        self.count += other.count;
        for &(cause, cycles) in &other.cycles {
            match self.cycles.iter_mut().find(|(known, _)| *known == cause) {
                Some((_, sum)) => *sum += cycles,
                None => self.cycles.push((cause, cycles)),
            }
        }
    }
}

impl Node {
    /// The node's own count and cycles, without its callees.
    pub fn exclusive(&self) -> Tally {
        let mut all = self.own.clone();
        for (_, tally) in &self.code {
            all.add(tally);
        }
        all
    }
}
