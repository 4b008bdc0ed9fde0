//! The calls of one function: from its first instruction to the one behind the call.
//!
//! A call is over when its return address is reached with the stack pointer that it began with. No two calls under way have
//! both the same function and the same stack pointer, since stacks do not overlap and a function that calls itself has to save
//! where it returns to. So recursion, several returns, tail calls and threads need no more than that, and a call that was
//! abandoned is found as soon as another one stands in its place. A call may also be the handler of an exception, which ends with
//! its [`Record::Exit`](crate::Record::Exit).

use crate::collector::{Unit, Unmeasured};
use crate::record::PointId;
use crate::relied::Relied;
use crate::stats::{Parts, Stats};
use crate::timeline::{Context, Timeline};
use crate::tracker::Open;

/// What to measure of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Calls {
    /// Its first instruction.
    pub function: PointId,
    /// What is counted: cycles, or the deepest stack of the call and of all that it calls.
    pub unit: Unit,
    /// Calls at the beginning that do not count: while caches are cold.
    pub skip: u64,
    /// Calls after which it is not measured any more; without it, every one counts.
    pub count: Option<u64>,
}

/// The beginning of a call, as [`Record::Call`](crate::Record::Call) has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) cycle: u64,
    pub(crate) sp: u32,
    pub(crate) returns_to: u32,
    pub(crate) outermost: bool,
    pub(crate) keeps_stack: bool,
    pub(crate) frame: u32,
}

/// The calls of one function: those under way, and the samples so far.
#[derive(Clone, Debug)]
pub(crate) struct CallTracker {
    calls: Calls,
    open: Vec<OpenCall>,
    stats: Option<Stats>,
    to_skip: u64,
    entered: u64,
    unfinished: u64,
    /// The cycles of calls that ended before their clock was told.
    untimed: Vec<i64>,
}

#[derive(Clone, Debug)]
struct OpenCall {
    open: Open,
    returns_to: u32,
    outermost: bool,
    keeps_stack: bool,
    frame: u32,
    /// The lowest stack pointer since.
    deepest: u32,
    /// The clock when it began; 0 before it is told.
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

    /// Calls under way.
    pub(crate) fn waiting(&self) -> usize {
        self.open.len()
    }

    /// No call that is under way will return.
    pub(crate) fn abandon_all(&mut self) {
        for index in (0..self.open.len()).rev() {
            self.abandon(index);
        }
    }

    /// Takes in the log, which is about to be forgotten.
    pub(crate) fn catch_up(&mut self, timeline: &Timeline) {
        self.open.iter_mut().for_each(|call| call.open.catch_up(timeline));
    }

    /// Its first instruction is executed.
    pub(crate) fn enter(&mut self, entry: Entry, timeline: &Timeline, relied: &Relied) {
        if self.is_done() {
            return;
        }
        let context = timeline.context();
        let here = |call: &OpenCall| call.open.sp == entry.sp && alike(call.open.context, context);
        if let Some(index) = self.open.iter().rposition(here) {
            if self.open[index].returns_to == entry.returns_to {
                // A loop that begins with its first instruction, or a tail call to itself: the same call goes on.
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

    /// The instruction at `address` is reached, with this stack pointer if it is known.
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

    /// A call that returns to `address` is about to be made: what stood in its place is no more.
    pub(crate) fn calls_again(&mut self, address: u32, sp: u32, timeline: &Timeline) {
        let context = timeline.context();
        let replaced = |call: &OpenCall| {
            call.returns_to == address && call.open.sp == sp && alike(call.open.context, context)
        };
        if let Some(index) = self.open.iter().rposition(replaced) {
            self.abandon(index);
        }
    }

    /// An activation of a handler has ended in cycle `end`, and with it what it called.
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

    /// The stack pointer of the context that runs.
    pub(crate) fn stack(&mut self, sp: u32, timeline: &Timeline) {
        let context = timeline.context();
        for call in self.open.iter_mut().filter(|call| call.open.context == context) {
            call.deepest = call.deepest.min(sp);
        }
    }

    /// The clock of the calls that have begun since it was last told.
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
                // Some calls were told no clock.
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

/// Whether code that began in one of these contexts may go on in the other. Which thread runs is not always known, and their
/// stack pointers tell them apart; a handler's calls end before it does.
fn alike(a: Context, b: Context) -> bool {
    a == b || matches!((a, b), (Context::Thread(_), Context::Thread(_)))
}
