//! The running context, and a log of recent context changes.

/// A thread, or one activation of an exception handler (never the next activation of the same handler).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Context {
    Thread(u32),
    Activation(u64),
}

/// A change of context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// The core left the interrupted code to enter a handler; `asked` if that code requested it.
    Enter { cycle: u64, asked: bool },
    /// The innermost handler ended, and execution continued at `end`.
    Exit { end: u64 },
    /// `thread` became the current one.
    Switch { cycle: u64, thread: u32 },
}

/// Log length at which it is processed and cleared. Every open span walks each change once, so this affects memory only.
const LOG: usize = 64;

/// The active handlers, innermost last, and the change log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    active: Vec<Activation>,
    begun: u64,
    thread: u32,
    changes: Vec<Change>,
}

#[derive(Clone, Debug)]
struct Activation {
    id: u64,
    number: u16,
}

impl Timeline {
    pub(crate) fn enter(&mut self, cycle: u64, number: u16, asked: bool) {
        self.active.push(Activation {
            id: self.begun,
            number,
        });
        self.begun += 1;
        self.changes.push(Change::Enter { cycle, asked });
    }

    /// Ends the innermost activation of `number` and those inside it, whose exits a lossy trace may have dropped. Ignores an exit without
    /// an entry: the trace began inside that handler.
    pub(crate) fn exit(&mut self, end: u64, number: u16) {
        let Some(depth) = self.active.iter().rposition(|a| a.number == number) else {
            return;
        };
        for _ in self.active.drain(depth..) {
            self.changes.push(Change::Exit { end });
        }
    }

    /// The activations that an exit of `number` ends, innermost first.
    pub(crate) fn ending(&self, number: u16) -> Vec<Context> {
        let depth = self.active.iter().rposition(|a| a.number == number);
        let ended = self.active[depth.unwrap_or(self.active.len())..].iter().rev();
        ended.map(|a| Context::Activation(a.id)).collect()
    }

    pub(crate) fn switch(&mut self, cycle: u64, thread: u32) {
        self.thread = thread;
        self.changes.push(Change::Switch { cycle, thread });
    }

    /// Resets to thread 0 with no active handler. No span may be open.
    pub(crate) fn restart(&mut self) {
        self.active.clear();
        self.thread = 0;
        self.forget();
    }

    /// The running context.
    pub(crate) fn context(&self) -> Context {
        self.active
            .last()
            .map_or(Context::Thread(self.thread), |a| Context::Activation(a.id))
    }

    /// The current thread, running or pre-empted.
    pub(crate) fn thread(&self) -> u32 {
        self.thread
    }

    /// Whether code of this context can still run. Threads never end.
    pub(crate) fn lives(&self, context: Context) -> bool {
        match context {
            Context::Thread(_) => true,
            Context::Activation(id) => self.active.iter().any(|a| a.id == id),
        }
    }

    /// The log position at which later changes will be.
    pub(crate) fn mark(&self) -> usize {
        self.changes.len()
    }

    pub(crate) fn since(&self, mark: usize) -> &[Change] {
        &self.changes[mark..]
    }

    /// Whether open spans should process the log, so that it can be cleared.
    pub(crate) fn is_full(&self) -> bool {
        self.changes.len() >= LOG
    }

    /// Clears the log; every mark becomes invalid.
    pub(crate) fn forget(&mut self) {
        self.changes.clear();
    }
}
