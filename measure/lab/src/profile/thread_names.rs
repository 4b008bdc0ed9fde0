//! Names threads by the function in which each began, as soon as that function is reached.

use machine::Image;

use super::kernels::Kernels;

/// Instructions after which a thread that has not reached its own function stays without a name.
const PATIENCE: u32 = 10_000;

/// What is known of a thread's own function.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Entry {
    /// The thread is still in the kernel's code with which every thread starts; whether the last instruction was in its `start`.
    Starting { left: u32, in_start: bool },
    /// The function.
    Known(String),
    /// It cannot be known: the thread was under way when it was first seen, or it never got there.
    Unknown,
}

/// Finds each thread's own function from the instructions that the thread executes first.
pub(crate) struct ThreadNames<'a> {
    image: &'a Image,
    kernels: Kernels,
    entries: Vec<(u32, Entry)>,
    /// Whether any thread's function may still be found.
    any_pending: bool,
}

impl<'a> ThreadNames<'a> {
    pub(crate) fn new(image: &'a Image) -> ThreadNames<'a> {
        ThreadNames {
            image,
            kernels: Kernels::known(),
            entries: Vec::new(),
            any_pending: false,
        }
    }

    /// Begins to watch a thread that is about to execute its first instruction.
    pub(crate) fn begin(&mut self, thread: u32) {
        let starting = Entry::Starting {
            left: PATIENCE,
            in_start: true,
        };
        self.entries.retain(|(known, _)| *known != thread);
        self.entries.push((thread, starting));
        self.any_pending = true;
    }

    /// Whether the thread's function may still be found.
    pub(crate) fn is_pending(&self, thread: u32) -> bool {
        matches!(self.entry(thread), Some(Entry::Starting { .. }))
    }

    /// Processes an instruction of a thread; returns whether this settled its name.
    pub(crate) fn executed(&mut self, thread: u32, pc: u32) -> bool {
        if !self.any_pending {
            return false;
        }
        let Some(Entry::Starting { left, in_start }) = self.entry(thread) else {
            return false;
        };
        let (left, in_start) = (*left, *in_start);
        let is_first = left == PATIENCE;
        let symbol = self.image.symbol_at(pc).map(|(symbol, _)| symbol);
        let next = match symbol {
            _ if left == 0 => Entry::Unknown,
            None if is_first => Entry::Unknown,
            // A thread that was already under way goes on in the middle of a function.
            Some(symbol) if is_first && symbol.address != pc => Entry::Unknown,
            Some(symbol) if self.kernels.starts_threads(&symbol.name) => Entry::Starting {
                left: left - 1,
                in_start: true,
            },
            Some(symbol) if in_start && symbol.address == pc && !self.kernels.is_aside(&symbol.name) => {
                Entry::Known(symbol.name.clone())
            }
            _ => Entry::Starting {
                left: left - 1,
                in_start: false,
            },
        };
        let is_settled = !matches!(next, Entry::Starting { .. });
        self.set(thread, next);
        is_settled
    }

    /// Stops looking for the thread's function.
    pub(crate) fn give_up(&mut self, thread: u32) {
        if self.is_pending(thread) {
            self.set(thread, Entry::Unknown);
        }
    }

    fn set(&mut self, thread: u32, next: Entry) {
        if let Some((_, entry)) = self.entries.iter_mut().find(|(known, _)| *known == thread) {
            *entry = next;
        }
        let is_pending = |(_, entry): &(u32, Entry)| matches!(entry, Entry::Starting { .. });
        self.any_pending = self.entries.iter().any(is_pending);
    }

    /// The thread's name: `high_task (thread 3)`, or `thread 3`.
    pub(crate) fn name(&self, thread: u32) -> String {
        match self.entry(thread) {
            Some(Entry::Known(function)) => format!("{} (thread {thread})", super::kernels::plain(function)),
            _ => format!("thread {thread}"),
        }
    }

    fn entry(&self, thread: u32) -> Option<&Entry> {
        let found = self.entries.iter().rev().find(|(known, _)| *known == thread);
        found.map(|(_, entry)| entry)
    }
}
