//! Which context runs, and what changed of late.

/// A thread, or one activation of an exception handler (never the next activation of the same handler).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Context {
    Thread(u32),
    Activation(u64),
}

/// A change of context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    /// The core left what it did, to enter a handler; it asked for that, or not.
    Enter { cycle: u64, asked: bool },
    /// The innermost handler ended and execution went on at `end`.
    Exit { end: u64 },
    /// `thread` became the current one.
    Switch { cycle: u64, thread: u32 },
}

/// Changes after which the log is full. Each is walked once for every open span, so that the number decides nothing but how
/// much is kept.
const LOG: usize = 64;

/// The handlers that are active, innermost last, and the log of changes.
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

    /// Ends the innermost activation of `number`, and those inside it, whose exits a lossy trace may have dropped. An
    /// exit without an entry comes from a trace that began inside the handler, and changes nothing.
    pub(crate) fn exit(&mut self, end: u64, number: u16) {
        let Some(depth) = self.active.iter().rposition(|a| a.number == number) else {
            return;
        };
        for _ in self.active.drain(depth..) {
            self.changes.push(Change::Exit { end });
        }
    }

    /// The activations that an exit of `number` ends, the innermost first.
    pub(crate) fn ending(&self, number: u16) -> Vec<Context> {
        let depth = self.active.iter().rposition(|a| a.number == number);
        let ended = self.active[depth.unwrap_or(self.active.len())..].iter().rev();
        ended.map(|a| Context::Activation(a.id)).collect()
    }

    pub(crate) fn switch(&mut self, cycle: u64, thread: u32) {
        self.thread = thread;
        self.changes.push(Change::Switch { cycle, thread });
    }

    /// No handler is active any more, and thread 0 is the current one. Nothing may be open.
    pub(crate) fn restart(&mut self) {
        self.active.clear();
        self.thread = 0;
        self.forget();
    }

    /// The context that runs now.
    pub(crate) fn context(&self) -> Context {
        self.active
            .last()
            .map_or(Context::Thread(self.thread), |a| Context::Activation(a.id))
    }

    /// The current thread, whether it runs or is pre-empted.
    pub(crate) fn thread(&self) -> u32 {
        self.thread
    }

    /// Whether code of this context can still run. Threads live for ever.
    pub(crate) fn lives(&self, context: Context) -> bool {
        match context {
            Context::Thread(_) => true,
            Context::Activation(id) => self.active.iter().any(|a| a.id == id),
        }
    }

    /// The place in the log where changes from now on begin.
    pub(crate) fn mark(&self) -> usize {
        self.changes.len()
    }

    pub(crate) fn since(&self, mark: usize) -> &[Change] {
        &self.changes[mark..]
    }

    /// Whether the log should be walked by the spans that are open, and then be forgotten.
    pub(crate) fn is_full(&self) -> bool {
        self.changes.len() >= LOG
    }

    /// Forgets the log; every mark is void.
    pub(crate) fn forget(&mut self) {
        self.changes.clear();
    }
}
