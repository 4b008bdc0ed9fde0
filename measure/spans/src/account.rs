//! Shares a span's cycles out between own, pre-empted and blocked.

use crate::stats::Parts;
use crate::timeline::Change;

/// What is known of a span once it is closed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The current thread at the start.
    pub(crate) from_thread: u32,
    /// The current thread at the end.
    pub(crate) to_thread: u32,
}

/// Shares out the cycles of `extent`, during which `changes` happened.
pub(crate) fn account(extent: Extent, changes: &[Change]) -> Parts {
    let mut walk = Walk::new(extent);
    for change in changes {
        match *change {
            Change::Enter { cycle } => walk.enter(cycle),
            Change::Exit { end } => walk.exit(end),
            Change::Switch { cycle, thread } => walk.switch(cycle, thread),
        }
    }
    walk.finish()
}

/// One pass over the changes of a span, outermost handlers first on the stack.
struct Walk {
    extent: Extent,
    /// The cycle that the walk has come to.
    now: u64,
    thread: u32,
    /// Since when a thread that is none of the span's has been the current one.
    away_since: Option<u64>,
    blocked: u64,
    preempted: u64,
    handlers: Vec<Handler>,
}

/// A handler that began inside the span.
struct Handler {
    begun: u64,
    /// Blocked cycles up to its entry.
    blocked: u64,
    thread: u32,
    /// Pre-emption by handlers nested in it, which counts where the handler itself does not.
    nested: u64,
}

impl Walk {
    fn new(extent: Extent) -> Walk {
        Walk {
            extent: Extent {
                end: extent.end.max(extent.start),
                ..extent
            },
            now: extent.start,
            thread: extent.from_thread,
            away_since: None,
            blocked: 0,
            preempted: 0,
            handlers: Vec::new(),
        }
    }

    /// Goes on to `cycle`, never back and never out of the span: an exit that is abandoned for another exception overlaps
    /// its entry, and the clock of a recorded trace may be coarse. No cycle may count twice.
    fn advance(&mut self, cycle: u64) -> u64 {
        self.now = cycle.clamp(self.now, self.extent.end);
        self.now
    }

    fn blocked_until(&self, cycle: u64) -> u64 {
        self.blocked + self.away_since.map_or(0, |since| cycle - since)
    }

    fn enter(&mut self, cycle: u64) {
        let begun = self.advance(cycle);
        let blocked = self.blocked_until(begun);
        self.handlers.push(Handler {
            begun,
            blocked,
            thread: self.thread,
            nested: 0,
        });
    }

    fn exit(&mut self, end: u64) {
        // A handler that began before the span is the span's own.
        let Some(handler) = self.handlers.pop() else {
            return;
        };
        let end = self.advance(end);
        let switched = handler.thread != self.thread;
        let taken = if switched {
            handler.nested
        } else {
            let blocked = self.blocked_until(end) - handler.blocked;
            end - handler.begun - blocked
        };
        match self.handlers.last_mut() {
            Some(outer) => outer.nested += taken,
            None => self.preempted += taken,
        }
    }

    fn switch(&mut self, cycle: u64, thread: u32) {
        let cycle = self.advance(cycle);
        self.blocked = self.blocked_until(cycle);
        let home = thread == self.extent.from_thread || thread == self.extent.to_thread;
        self.away_since = (!home).then_some(cycle);
        self.thread = thread;
    }

    fn finish(mut self) -> Parts {
        let total = self.extent.end - self.extent.start;
        // Handlers that have not ended lead to the closing point: they are own, what they were interrupted by is not.
        self.preempted += self.handlers.iter().map(|handler| handler.nested).sum::<u64>();
        let own = total - self.preempted - self.blocked;
        Parts {
            own: own as i64,
            preempted: self.preempted as i64,
            blocked: self.blocked as i64,
        }
    }
}
