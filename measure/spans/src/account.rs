//! Shares a span's cycles out between own, pre-empted and blocked.
//!
//! A [`Walk`] begins where its span is opened and is fed the changes of context as they come, or some time later. Whether a
//! thread's cycles are blocked is known only once the span is closed, since the thread that closes it counts as the span's
//! own; until then cycles are kept by the thread in which they passed.

use crate::stats::Parts;
use crate::timeline::Change;

/// One pass over the changes of a span, outermost handlers first on the stack.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    start: u64,
    /// The current thread at the start.
    from_thread: u32,
    /// The cycle that the walk has come to.
    now: u64,
    thread: u32,
    /// All cycles since the start.
    passed: Tally,
    /// Those of them that handlers took which have ended.
    taken: Taken,
    handlers: Vec<Handler>,
}

/// A handler that began inside the span.
#[derive(Clone, Debug)]
struct Handler {
    /// What had passed at its entry.
    passed: Tally,
    thread: u32,
    /// Its thread asked for it.
    asked: bool,
    /// What handlers nested in it took, which counts where the handler itself does not.
    nested: Taken,
}

/// What handlers took.
#[derive(Clone, Default, Debug)]
struct Taken {
    /// Those that led back to the thread that they interrupted.
    back: Tally,
    /// Those that forced that thread to give way to another one, until it did. To a span that goes on in the other thread they
    /// are a part of the way there.
    away: Tally,
}

impl Walk {
    /// A span that is opened now, in this thread or in a handler above it.
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

    /// The cycle in which it began.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// Goes over `changes`, none of which lies behind cycle `end`: what a recorded trace says of later cycles does not
    /// count.
    pub(crate) fn go(&mut self, changes: &[Change], end: u64) {
        for change in changes {
            match *change {
                Change::Enter { cycle, asked } => self.enter(cycle.min(end), asked),
                Change::Exit { end: cycle } => self.exit(cycle.min(end)),
                Change::Switch { cycle, thread } => self.switch(cycle.min(end), thread),
            }
        }
    }

    /// The shares of a span that is closed in cycle `end`, while `to_thread` is the current one.
    pub(crate) fn finish(mut self, end: u64, to_thread: u32) -> Parts {
        self.advance(end);
        let total = self.now - self.start;
        // Handlers that have not ended lead to the closing point: they are own, what they were interrupted by is not.
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

    /// Goes on to `cycle`, never back: an exit that is abandoned for another exception overlaps its entry, and the clock of
    /// a recorded trace may be coarse. No cycle may count twice.
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
        // A handler that began before the span is the span's own.
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

    /// All that passed in this thread too, which was then left.
    fn and_all_of(mut self, thread: u32, passed: &Tally) -> Taken {
        let rest = passed.of([thread; 2]) - self.back.of([thread; 2]);
        self.away.set(thread, rest);
        self
    }
}

/// Cycles by the thread that was the current one: few, and mostly the same one throughout.
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

    /// What came since `earlier`, an earlier state of this tally.
    fn since(&self, earlier: &Tally) -> Tally {
        let mut rest = self.clone();
        for (&(_, before), (_, sum)) in earlier.0.iter().zip(&mut rest.0) {
            *sum -= before;
        }
        rest
    }

    /// The cycles of these two threads, which may be the same.
    fn of(&self, threads: [u32; 2]) -> u64 {
        let home = self.0.iter().filter(|(thread, _)| threads.contains(thread));
        home.map(|(_, cycles)| *cycles).sum()
    }
}
