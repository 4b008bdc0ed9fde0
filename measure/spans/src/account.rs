//! Splits a span's cycles into own, pre-empted and blocked.
//!
//! A [`Walk`] starts when its span opens and processes context changes as they come, or later. Whether a thread's cycles count as blocked
//! is only known when the span closes, since the closing thread counts as the span's own. Until then cycles are kept per thread.

use crate::stats::Parts;
use crate::timeline::Change;

/// One pass over the context changes of a span; its handler stack holds the outermost first.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    start: u64,
    /// The current thread when the span opened.
    from_thread: u32,
    /// The cycle up to which changes are processed.
    now: u64,
    thread: u32,
    /// All cycles since the start, by current thread.
    passed: Tally,
    /// The part of `passed` that ended handlers took.
    taken: Taken,
    handlers: Vec<Handler>,
}

/// A handler that began inside the span.
#[derive(Clone, Debug)]
struct Handler {
    /// The cycles passed at its entry.
    passed: Tally,
    thread: u32,
    /// Whether its thread requested it.
    asked: bool,
    /// Cycles of the handlers nested in it, which count if the handler itself does not.
    nested: Taken,
}

/// Cycles that handlers took.
#[derive(Clone, Default, Debug)]
struct Taken {
    /// By handlers that returned to the thread they interrupted.
    back: Tally,
    /// By handlers that forced a switch to another thread, up to that switch. A span that goes on in the other thread counts them as part
    /// of its way there.
    away: Tally,
}

impl Walk {
    /// A span that opens now, in this thread or in a handler above it.
    pub(crate) fn new(start: u64, thread: u32) -> Walk {
        Walk {
            start,
            from_thread: thread,
            now: start,
            thread,
            passed: Tally::default(),
            taken: Taken::default(),
            handlers: Vec::new(),
        }
    }

    /// The cycle in which the span opened.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// Processes `changes`. None is later than cycle `end`: a recorded trace's later changes do not count.
    pub(crate) fn go(&mut self, changes: &[Change], end: u64) {
        for change in changes {
            match *change {
                Change::Enter { cycle, asked } => self.enter(cycle.min(end), asked),
                Change::Exit { end: cycle } => self.exit(cycle.min(end)),
                Change::Switch { cycle, thread } => self.switch(cycle.min(end), thread),
            }
        }
    }

    /// The shares of a span that closes in cycle `end`, while `to_thread` is the current thread.
    pub(crate) fn finish(mut self, end: u64, to_thread: u32) -> Parts {
        self.advance(end);
        let total = self.now - self.start;
        // Handlers still active lead to the closing point: their cycles are own, but those of handlers nested in them are not.
        for handler in &self.handlers {
            self.taken.add(&handler.nested);
        }
        let home = [self.from_thread, to_thread];
        let blocked = total - self.passed.of(home);
        let mut preempted = self.taken.back.of(home);
        if self.from_thread == to_thread {
            preempted += self.taken.away.of(home);
        }
        Parts {
            own: (total - blocked - preempted) as i64,
            preempted: preempted as i64,
            blocked: blocked as i64,
        }
    }

    /// Advances to `cycle`, never backwards, so that no cycle counts twice. An exit abandoned for another exception overlaps its entry,
    /// and a recorded trace's clock may be coarse.
    fn advance(&mut self, cycle: u64) {
        let cycle = cycle.max(self.now);
        self.passed.pass(self.thread, cycle - self.now);
        self.now = cycle;
    }

    fn enter(&mut self, cycle: u64, asked: bool) {
        self.advance(cycle);
        self.handlers.push(Handler {
            passed: self.passed.clone(),
            thread: self.thread,
            asked,
            nested: Taken::default(),
        });
    }

    fn exit(&mut self, end: u64) {
        // A handler that began before the span counts as own.
        let Some(handler) = self.handlers.pop() else {
            return;
        };
        self.advance(end);
        let passed = self.passed.since(&handler.passed);
        let taken = if handler.thread == self.thread {
            Taken {
                back: passed,
                away: Tally::default(),
            }
        } else if handler.asked {
            handler.nested
        } else {
            handler.nested.and_all_of(handler.thread, &passed)
        };
        match self.handlers.last_mut() {
            Some(outer) => outer.nested.add(&taken),
            None => self.taken.add(&taken),
        }
    }

    fn switch(&mut self, cycle: u64, thread: u32) {
        self.advance(cycle);
        self.thread = thread;
    }
}

impl Taken {
    fn add(&mut self, other: &Taken) {
        self.back.add(&other.back);
        self.away.add(&other.away);
    }

    /// Adds the remaining cycles of `thread` as `away`, since the thread was then switched out.
    fn and_all_of(mut self, thread: u32, passed: &Tally) -> Taken {
        let rest = passed.of([thread; 2]) - self.back.of([thread; 2]);
        self.away.set(thread, rest);
        self
    }
}

/// Cycles by current thread: few entries, often only one.
#[derive(Clone, Default, Debug)]
struct Tally(Vec<(u32, u64)>);

impl Tally {
    fn pass(&mut self, thread: u32, cycles: u64) {
        match self.0.iter_mut().find(|(of, _)| *of == thread) {
            Some((_, sum)) => *sum += cycles,
            None if cycles == 0 => {}
            None => self.0.push((thread, cycles)),
        }
    }

    fn set(&mut self, thread: u32, cycles: u64) {
        self.0.retain(|(of, _)| *of != thread);
        self.pass(thread, cycles);
    }

    fn add(&mut self, other: &Tally) {
        for &(thread, cycles) in &other.0 {
            self.pass(thread, cycles);
        }
    }

    /// The cycles added since `earlier`, a previous state of this tally.
    fn since(&self, earlier: &Tally) -> Tally {
        let mut rest = self.clone();
        for (&(_, before), (_, sum)) in earlier.0.iter().zip(&mut rest.0) {
            *sum -= before;
        }
        rest
    }

    /// The cycles of these two threads, which may be equal.
    fn of(&self, threads: [u32; 2]) -> u64 {
        let home = self.0.iter().filter(|(thread, _)| threads.contains(thread));
        home.map(|(_, cycles)| *cycles).sum()
    }
}
