//! What an adapter remembers between requests: breakpoints, and what the references stand for that an editor was given.

use crate::stops::Watched;

/// What sets breakpoints: each request replaces those of its kind.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// Lines of a source file.
    Source(String),
    Function,
    Instruction,
}

/// A breakpoint and its addresses.
pub(super) struct Breakpoint {
    pub(super) id: u64,
    pub(super) kind: Kind,
    pub(super) addresses: Vec<u32>,
}

/// All breakpoints of a session.
#[derive(Default)]
pub(super) struct Breakpoints {
    last_id: u64,
    pub(super) known: Vec<Breakpoint>,
    pub(super) watched: Vec<(u64, Watched)>,
    /// Whether the editor wants the program to run without them.
    pub(super) are_off: bool,
}

impl Breakpoints {
    pub(super) fn new_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Why the program stopped at an address, in the protocol's words, and the breakpoints there.
    pub(super) fn at(&self, pc: u32) -> (&'static str, Vec<u64>) {
        let hit: Vec<&Breakpoint> = self
            .known
            .iter()
            .filter(|breakpoint| breakpoint.addresses.contains(&pc))
            .collect();
        let reason = match hit.first().map(|breakpoint| &breakpoint.kind) {
            Some(Kind::Function) => "function breakpoint",
            Some(Kind::Instruction) => "instruction breakpoint",
            Some(Kind::Source(_)) | None => "breakpoint",
        };
        (reason, hit.iter().map(|breakpoint| breakpoint.id).collect())
    }

    /// The data breakpoints on a range.
    pub(super) fn watching(&self, range: Watched) -> Vec<u64> {
        let hit = self.watched.iter().filter(|(_, watched)| *watched == range);
        hit.map(|(id, _)| *id).collect()
    }
}

/// A level of a call stack that the editor knows.
#[derive(Clone, Copy)]
pub(super) struct Level {
    /// The number of its thread.
    pub(super) thread: u32,
}

/// Something that contains variables.
#[derive(Clone, Copy)]
pub(super) enum Container {
    /// The registers of the thread with this number.
    Registers(u32),
    /// The program's variables that have a fixed address.
    Statics,
    /// The chip's peripherals.
    Peripherals,
    /// The registers of the peripheral with this index.
    Peripheral(usize),
    /// The fields of a register: indices of the peripheral and the register.
    Fields(usize, usize),
    /// The kernel's threads.
    Kernel,
    /// Cycles since the last stop.
    Cycles,
}
