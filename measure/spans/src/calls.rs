//! Measures the calls of one function, from its first instruction to the return address.
//!
//! A call ends when its return address is reached with the stack pointer that it began with. No two open calls share both function and
//! stack pointer: stacks do not overlap, and a recursive function has to save its return address. This covers recursion, several returns,
//! tail calls and threads, and an abandoned call is detected when another takes its place. A call may also be an exception's handler,
//! which ends with its [`Record::Exit`](crate::Record::Exit).

use crate::collector::{Unit, Unmeasured};
use crate::record::PointId;
use crate::relied::Relied;
use crate::stats::{Parts, Stats};
use crate::timeline::{Context, Timeline};
use crate::tracker::Open;

/// A function to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Calls {
    /// Its first instruction.
    pub function: PointId,
    /// The unit: cycles, or the deepest stack of the call and its callees.
    pub unit: Unit,
    /// Number of first calls to leave out, while caches are cold.
    pub skip: u64,
    /// Number of calls after which measuring ends; `None` measures every call.
    pub count: Option<u64>,
}

/// The start of a call, as in [`Record::Call`](crate::Record::Call).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) cycle: u64,
    pub(crate) sp: u32,
    pub(crate) returns_to: u32,
    pub(crate) outermost: bool,
    pub(crate) keeps_stack: bool,
    pub(crate) frame: u32,
}

/// The open calls of one function, and its samples so far.
#[derive(Clone, Debug)]
pub(crate) struct CallTracker {
    calls: Calls,
    open: Vec<OpenCall>,
    stats: Option<Stats>,
    to_skip: u64,
    entered: u64,
    unfinished: u64,
    /// The cycles of calls that ended before a clock was recorded for them.
    untimed: Vec<i64>,
}

#[derive(Clone, Debug)]
struct OpenCall {
    open: Open,
    returns_to: u32,
    outermost: bool,
    keeps_stack: bool,
    frame: u32,
    /// The lowest stack pointer since it began.
    deepest: u32,
    /// The clock in Hz when it began; 0 until it is recorded.
    hz: u32,
}

impl CallTracker {
    pub(crate) fn new(calls: Calls) -> CallTracker {
        CallTracker {
            calls,
            open: Vec::new(),
            stats: None,
            to_skip: calls.skip,
            entered: 0,
            unfinished: 0,
            untimed: Vec::new(),
        }
    }

    pub(crate) fn function(&self) -> PointId {
        self.calls.function
    }

    pub(crate) fn count(&self) -> Option<u64> {
        self.calls.count
    }

    pub(crate) fn is_done(&self) -> bool {
        let samples = self.stats.as_ref().map_or(0, |stats| stats.count);
        self.calls.count.is_some_and(|count| samples >= count)
    }

    /// Number of open calls.
    pub(crate) fn waiting(&self) -> usize {
        self.open.len()
    }

    /// Abandons every open call, after a reset.
    pub(crate) fn abandon_all(&mut self) {
        for index in (0..self.open.len()).rev() {
            self.abandon(index);
        }
    }

    /// Processes the log before it is cleared.
    pub(crate) fn catch_up(&mut self, timeline: &Timeline) {
        self.open.iter_mut().for_each(|call| call.open.catch_up(timeline));
    }

    /// The function's first instruction executes: opens a call.
    pub(crate) fn enter(&mut self, entry: Entry, timeline: &Timeline, relied: &Relied) {
        if self.is_done() {
            return;
        }
        let context = timeline.context();
        let here = |call: &OpenCall| call.open.sp == entry.sp && alike(call.open.context, context);
        if let Some(index) = self.open.iter().rposition(here) {
            if self.open[index].returns_to == entry.returns_to {
                // A loop back to the first instruction, or a tail call to itself, continues the same call.
                return;
            }
            self.abandon(index);
        }
        self.entered += 1;
        self.open.push(OpenCall {
            open: Open::new(entry.cycle, entry.sp, timeline, relied),
            returns_to: entry.returns_to,
            outermost: entry.outermost,
            keeps_stack: entry.keeps_stack,
            frame: entry.frame,
            deepest: entry.sp,
            hz: 0,
        });
    }

    /// The instruction at `address` is reached: closes the call that returns there. `sp` is its stack pointer, if known.
    pub(crate) fn reached(
        &mut self,
        cycle: u64,
        address: u32,
        sp: Option<u32>,
        timeline: &Timeline,
        relied: &Relied,
    ) {
        let context = timeline.context();
        let returns = |call: &OpenCall| {
            call.returns_to == address
                && (!call.keeps_stack || sp.is_none_or(|sp| sp == call.open.sp))
                && alike(call.open.context, context)
        };
        if let Some(index) = self.open.iter().rposition(returns) {
            self.finish_call(index, cycle, timeline, relied);
        }
    }

    /// A call that will return to `address` is about to be made: abandons an open call with the same return address and stack pointer.
    pub(crate) fn calls_again(&mut self, address: u32, sp: u32, timeline: &Timeline) {
        let context = timeline.context();
        let replaced = |call: &OpenCall| {
            call.returns_to == address && call.open.sp == sp && alike(call.open.context, context)
        };
        if let Some(index) = self.open.iter().rposition(replaced) {
            self.abandon(index);
        }
    }

    /// A handler's activation ended in cycle `end`: closes or abandons the calls inside it.
    pub(crate) fn ended(&mut self, activation: Context, end: u64, timeline: &Timeline, relied: &Relied) {
        let inside = |call: &OpenCall| call.open.context == activation;
        while let Some(index) = self.open.iter().rposition(inside) {
            if self.open[index].outermost {
                self.finish_call(index, end, timeline, relied);
            } else {
                self.abandon(index);
            }
        }
    }

    /// Records the stack pointer of the running context.
    pub(crate) fn stack(&mut self, sp: u32, timeline: &Timeline) {
        let context = timeline.context();
        for call in self.open.iter_mut().filter(|call| call.open.context == context) {
            call.deepest = call.deepest.min(sp);
        }
    }

    /// Sets the clock of the calls that began since the last record of it.
    pub(crate) fn clock(&mut self, hz: u32) {
        if let Some(stats) = &mut self.stats {
            for cycles in self.untimed.drain(..) {
                stats.called.took(cycles, hz);
            }
        }
        for call in self.open.iter_mut().filter(|call| call.hz == 0) {
            call.hz = hz;
        }
    }

    pub(crate) fn finish(self) -> Result<Stats, Unmeasured> {
        let unfinished = self.unfinished + self.open.len() as u64;
        match (self.stats, self.entered) {
            (Some(mut stats), _) => {
                stats.called.unfinished = unfinished;
                // The time is unknown if any call has no clock.
                stats.called.time = stats.called.time.filter(|_| self.untimed.is_empty());
                Ok(stats)
            }
            (None, 0) => Err(Unmeasured::NeverCalled),
            (None, calls) => Err(Unmeasured::NeverReturned { calls, unfinished }),
        }
    }

    fn abandon(&mut self, index: usize) {
        self.open.remove(index);
        self.unfinished += 1;
    }

    fn finish_call(&mut self, index: usize, cycle: u64, timeline: &Timeline, relied: &Relied) {
        let call = self.open.remove(index);
        if let Some(rest) = self.to_skip.checked_sub(1) {
            self.to_skip = rest;
            return;
        }
        let stack = i64::from(call.open.sp) - i64::from(call.deepest) + i64::from(call.frame);
        let on = relied.since(call.open.since);
        let at = (call.open.began(), cycle);
        let cycles = call.open.cycles_until(cycle, timeline);
        let sample = match self.calls.unit {
            Unit::StackBytes => Parts::all_own(stack),
            Unit::Cycles => cycles,
        };
        let stats = match &mut self.stats {
            Some(stats) => {
                stats.add(sample, on, at);
                stats
            }
            None => self.stats.insert(Stats::of(sample, on, at)),
        };
        stats.called.stack = stats.called.stack.max(stack);
        match call.hz {
            0 => self.untimed.push(cycles.total()),
            hz => stats.called.took(cycles.total(), hz),
        }
        if self.is_done() {
            self.open.clear();
        }
    }
}

/// Whether code that began in one context may continue in the other. Threads are alike: which one runs is not always known, and stack
/// pointers tell them apart. A handler's calls end before the handler does.
fn alike(a: Context, b: Context) -> bool {
    a == b || matches!((a, b), (Context::Thread(_), Context::Thread(_)))
}
