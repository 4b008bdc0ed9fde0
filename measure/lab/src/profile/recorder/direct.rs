//! Switches from thread to thread that are no exception's: an instruction sets the stack pointer to where another thread was left, and
//! the code goes on there with the next jump.
//!
//! A stack pointer that is set to another stack is not enough: programs move to another stack as they start, or call something on one. So
//!
//! - the stack is one with which a thread was left; or nobody has used it, and the program's threads are known to switch so: its kernel's
//!   marks say it, or it has been seen;
//! - the next jump is no call.
//!
//! It is seen when the stack pointer comes back to exactly where it was on a stack of before, and neither from where the other one was
//! entered nor in the call that left: what ran there has kept something of its own on it. Until then that counts as of whom it began from.

use events::Step;

use super::super::jumps::Jump;
use super::super::stack::{Place, Region};
use super::{Position, Recorder};

/// What is known of such switches.
#[derive(Clone, Debug)]
pub(super) struct Direct {
    /// The program's threads switch so.
    happens: bool,
    pending: Option<Pending>,
    /// The ways to stacks of nobody's that have not led back.
    away: Vec<Away>,
}

impl Direct {
    pub(super) fn new(happens: bool) -> Direct {
        Direct {
            happens,
            pending: None,
            away: Vec::new(),
        }
    }

    /// The chip is reset: no thread was left.
    pub(super) fn restart(&mut self) {
        *self = Direct::new(self.happens);
    }
}

/// Ways beyond which the oldest is forgotten.
const MOST_AWAY: usize = 64;

/// The stack is another thread's already.
#[derive(Clone, Debug)]
struct Pending {
    /// How many handlers are under way.
    depth: usize,
    /// How that thread was left; `None` for a new one.
    key: Option<u32>,
    /// Where the thread that goes is on its stack.
    left: Place,
    /// The new one's stack is right below that, as an array of the function may be: what that was before.
    below: Option<Region>,
}

/// A thread has gone to a stack of nobody's.
#[derive(Clone, Copy, Debug)]
struct Away {
    from: Place,
    to: Place,
    /// The call in which it did.
    node: u32,
    calls: usize,
}

impl Recorder<'_> {
    /// An instruction of a thread or of a handler has set the stack pointer, which was at `left`.
    pub(super) fn stack_was_set(&mut self, step: &Step<'_>, left: Place, before: Option<Region>) {
        let here = self.stacks.place().at(step.sp);
        self.direct.pending = None;
        let Some(region) = here.region else { return };
        let happens = self.direct.happens;
        let depth = self.interrupted.len();
        let mut pending = Pending {
            depth,
            key: None,
            left,
            below: None,
        };
        if here.region == left.region {
            pending.below = before.filter(|region| happens && step.sp < region.lowest);
            self.direct.pending = pending.below.is_some().then_some(pending);
            return;
        }
        pending.key = self.parked_on(region, step.sp);
        let is_known = pending.key.is_some() && (depth == 0 || happens);
        // Who has called nothing yet starts the program.
        let is_start = self.threads == 0 && self.at.frames.is_empty();
        if is_known || happens && !is_start && self.stacks.is_new(region) {
            self.direct.pending = Some(pending);
        } else if depth == 0 {
            pending.key = self.away(left, here);
            self.direct.pending = pending.key.is_some().then_some(pending);
        }
    }

    /// A thread goes to a stack of nobody's, or comes back. If it was another one that ran there, how the one was left that goes on.
    fn away(&mut self, left: Place, here: Place) -> Option<u32> {
        let (node, calls) = (self.at.here.node, self.at.frames.len());
        let Some(index) = self.direct.away.iter().rposition(|away| away.from == here) else {
            if self.direct.away.len() >= MOST_AWAY {
                self.direct.away.remove(0);
            }
            self.direct.away.push(Away {
                from: left,
                to: here,
                node,
                calls,
            });
            return None;
        };
        let away = self.direct.away[index];
        if left == away.to || (node, calls) == (away.node, away.calls) {
            self.direct.away.truncate(index);
            return None;
        }
        self.direct.happens = true;
        // Whoever was left on any of the stacks is a thread: the first of them the one that all counted as.
        for (number, away) in std::mem::take(&mut self.direct.away).into_iter().enumerate() {
            let Some(region) = away.from.region.filter(|_| away.from.region != left.region) else {
                continue;
            };
            if self.parked_on(region, away.from.sp).is_none() {
                let is_first = number == 0;
                let thread = if is_first {
                    self.at.clone()
                } else {
                    self.seen_on(away.from)
                };
                let place = away.from;
                self.parked.insert(place.sp, Position { place, ..thread });
            }
        }
        self.at = self.seen_on(left);
        self.parked_on(here.region?, here.sp)
    }

    /// A thread that has run on a stack.
    fn seen_on(&mut self, place: Place) -> Position {
        let thread = self.new_thread();
        self.stacks.belongs(place, thread.context);
        self.contexts[thread.context as usize].runs = 1;
        Position { place, ..thread }
    }

    /// The run goes on at `pc` behind a jump. If it is the one that ends a switch, another thread runs.
    pub(super) fn may_have_switched(&mut self, pc: u32, outside: bool) {
        let Some(depth) = self.direct.pending.as_ref().map(|pending| pending.depth) else {
            return;
        };
        if depth != self.interrupted.len() || pc == self.at.next || depth > 0 && !outside {
            return;
        }
        let (Some(pending), last) = (self.direct.pending.take(), self.at.last) else {
            return;
        };
        let jump = Jump::of(self.architecture, last.raw, last.size);
        let begins = jump == Jump::Indirect && self.functions.piece(pc).start == pc;
        if jump == Jump::Call || pending.below.is_some() && !begins {
            return;
        }
        // The handler that chose the thread has ended.
        if let Some(interrupted) = self.interrupted.drain(..).next() {
            self.at = interrupted;
        } else {
            self.at.place = pending.left;
        }
        let known = pending.key.and_then(|key| self.parked.remove(&key));
        let next = known.unwrap_or_else(|| self.new_thread());
        let was = std::mem::replace(&mut self.at, next);
        self.parked.insert(was.place.sp, was);
        self.contexts[self.at.context as usize].runs += 1;
        if let Some(before) = pending.below {
            self.stacks.part(before, self.at.context);
        }
        if self.at.is_new {
            self.stacks.belongs(self.stacks.place(), self.at.context);
        }
    }

    /// Handlers have ended: a switch that one of them began is the exception's.
    pub(super) fn forget_pending(&mut self) {
        let depth = self.interrupted.len();
        self.direct.pending.take_if(|pending| pending.depth > depth);
    }

    /// The thread that goes on with this stack pointer behind an exception; `None` if the one does that runs.
    pub(super) fn resumed_by_exception(&mut self, sp: u32) -> Option<Position> {
        self.direct.pending = None;
        if let Some(thread) = self.parked.remove(&sp) {
            return Some(thread);
        }
        if self.direct.happens {
            let running = self.interrupted.first().unwrap_or(&self.at);
            let place = if self.interrupted.is_empty() {
                self.stacks.place()
            } else {
                running.place
            };
            if place.region.is_some_and(|region| self.stacks.holds(region, sp)) {
                return None;
            }
            let region = self.stacks.containing(sp);
            let key = region.and_then(|region| self.parked_on(region, sp));
            if let Some(thread) = key.and_then(|key| self.parked.remove(&key)) {
                return Some(thread);
            }
        }
        Some(self.new_thread())
    }

    /// How the thread was left that is on this stack: the nearest, if there were several.
    fn parked_on(&self, region: usize, sp: u32) -> Option<u32> {
        let all = self.parked.iter();
        let on_it = all.filter(|(_, position)| position.place.region == Some(region));
        on_it
            .map(|(&key, _)| key)
            .min_by_key(|key| (key.abs_diff(sp), *key))
    }
}
