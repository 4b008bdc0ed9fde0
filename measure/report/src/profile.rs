//! What a whole run went to: by context, function, line and instruction, each divided by cause.
//!
//! The data is one tree of calls for each context; everything that is shown is a sum over it. Each cycle of the run is in
//! exactly one [`Tally`], so that all sums are the run's cycles.

mod annotated;
mod callgrind;
mod flame;
mod json;
mod kernel;
mod lcov;
mod lines;
mod pprof;
mod speedscope;
mod summary;
mod sums;

use std::collections::BTreeMap;

pub use flame::flame_difference;
pub use kernel::{Kernel, KernelUse, Latency};
pub use lines::Rows;
pub use sums::{ByFunction, ByLine};

/// A rule's name and the class of its cycles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// The rule's name.
    pub rule: String,
    /// An index into [`Profile::classes`].
    pub class: usize,
}

/// How often something ran, and what its cycles went to.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Times.
    pub count: u64,
    /// Cycles by cause: an index into [`Profile::causes`], each at most once.
    pub cycles: Vec<(usize, u64)>,
}

/// A run, or the part of it that was profiled.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    /// The program's file.
    pub elf: String,
    /// The board's name.
    pub board: String,
    /// The core's name.
    pub core: String,
    /// How it ended, in words.
    pub outcome: String,
    /// The core's clock at the end, in Hz.
    pub clock_hz: u32,
    /// Simulated nanoseconds.
    pub nanoseconds: u64,
    /// All cycles.
    pub cycles: u64,
    /// Instructions.
    pub instructions: u64,
    /// The names of the classes of causes, in the order of documents.
    pub classes: Vec<String>,
    /// The causes that appear, and some that do not.
    pub causes: Vec<Cause>,
    /// Threads first, in the order in which they were met, then interrupts.
    pub contexts: Vec<Context>,
    /// Functions, and what stands in the place of one.
    pub functions: Vec<Function>,
    /// The trees of calls; a parent stands before its children.
    pub nodes: Vec<Node>,
    /// What was executed, by address.
    pub code: BTreeMap<u32, Code>,
    /// The most that was used of each stack.
    pub stacks: Vec<Stack>,
    /// Time in which interrupts were masked.
    pub masked: Masked,
    /// Kernels that are known by their names.
    pub kernels: Vec<Kernel>,
    /// How long interrupts waited for their handlers.
    pub latencies: Vec<Latency>,
    /// Lines of the program that have code, by file.
    pub lines: BTreeMap<String, BTreeMap<u32, u64>>,
}

/// A thread, or all activations of an interrupt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Context {
    /// Its name: `thread 0`, `SysTick`.
    pub name: String,
    /// How often it was entered; a thread, how often it went on.
    pub runs: u64,
    /// Whether it is a thread.
    pub is_thread: bool,
    /// The function in which a thread began.
    pub entry: Option<String>,
}

/// A function, or what stands in the place of one: `[asleep]`, code without a symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Readable name.
    pub name: String,
    /// Its first address; `None` for what is no code.
    pub address: Option<u32>,
    /// The file and line of its first instruction.
    pub place: Option<(String, u32)>,
}

/// A function in one place of the tree of calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Who called it; `None` for a context as a whole, whose own cycles are those of entering and leaving it.
    pub parent: Option<usize>,
    /// An index into [`Profile::contexts`].
    pub context: usize,
    /// An index into [`Profile::functions`]; of a context as a whole, its name in brackets.
    pub function: usize,
    /// The calling instruction, where one is known.
    pub call_site: Option<u32>,
    /// How often it was called there.
    pub calls: u64,
    /// What is no instruction: exception entries and returns, sleep.
    pub own: Tally,
    /// Its instructions, by address.
    pub code: Vec<(u32, Tally)>,
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// Disassembly.
    pub text: String,
    /// Whose: an index into [`Profile::functions`].
    pub function: usize,
    /// Functions and places, the innermost inlined one first; the last one is the function itself.
    pub frames: Vec<Frame>,
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Readable name, if it is known.
    pub function: Option<String>,
    /// File and line, if they are known.
    pub place: Option<(String, u32)>,
}

/// The most that was used of a stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stack {
    /// Whose it is.
    pub context: usize,
    /// The highest stack pointer.
    pub top: u32,
    /// The lowest.
    pub lowest: u32,
    /// The variable of the program that it is in, and its size in bytes.
    pub variable: Option<(String, u32)>,
    /// Another variable that it ran into.
    pub runs_into: Option<String>,
    /// What was running then, the outermost first: nodes; where an interrupt came between, its own nodes follow.
    pub path: Vec<usize>,
}

/// Time in which some interrupts could not be taken since the program masked them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Masked {
    /// Cycles.
    pub cycles: u64,
    /// Stretches.
    pub count: u64,
    /// The places with the longest ones, the longest first.
    pub longest: Vec<MaskedPlace>,
}

/// The stretches that two instructions began and ended.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct MaskedPlace {
    /// The address of the one that masked.
    pub from: u32,
    /// The address of the one that ended it.
    pub to: u32,
    /// How many there were.
    pub count: u64,
    /// All their cycles.
    pub cycles: u64,
    /// Those of the longest.
    pub longest: u64,
}

impl Tally {
    /// All its cycles.
    pub fn total(&self) -> u64 {
        self.cycles.iter().map(|(_, cycles)| cycles).sum()
    }

    /// Adds another one.
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
    /// What it took itself, without what it called.
    pub fn exclusive(&self) -> Tally {
        let mut all = self.own.clone();
        for (_, tally) in &self.code {
            all.add(tally);
        }
        all
    }
}
