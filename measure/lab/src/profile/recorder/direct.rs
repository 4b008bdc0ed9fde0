//! Detects thread switches without an exception: an instruction sets the stack pointer to where another thread was suspended, and the
//! next jump continues there.
//!
//! Changing to another stack alone is no switch: programs move to another stack as they start, or call a function on one. A switch needs
//! both:
//!
//! - the stack is one with which a thread was suspended; or it is unused, and the program's threads are known to switch this way, from
//!   the kernel's marks or from earlier switches;
//! - the next jump is not a call.
//!
//! Switching is detected when the stack pointer returns to exactly where it was on an earlier stack, other than where the current stack
//! was entered, and not within the call that left: the code there kept its own state on the stack. Until then, its cycles count for the
//! thread that it began from.

use events::Step;

use super::super::jumps::Jump;
use super::super::stack::{Place, Region};
use super::{Position, Recorder};

/// State of the detection.
#[derive(Clone, Debug)]
pub(super) struct Direct {
    /// Whether the program's threads are known to switch this way.
    happens: bool,
    pending: Option<Pending>,
    /// Changes to unused stacks that have not been reversed.
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

    /// Forgets all threads after a chip reset.
    pub(super) fn restart(&mut self) {
        *self = Direct::new(self.happens);
    }
}

/// Maximum number of remembered stack changes; beyond it the oldest is dropped.
const MOST_AWAY: usize = 64;

/// A switch in progress: the stack is already another thread's.
#[derive(Clone, Debug)]
struct Pending {
    /// Number of active handlers.
    depth: usize,
    /// Stack pointer with which the next thread was suspended; `None` for a new one.
    key: Option<u32>,
    /// Place of the outgoing thread on its stack.
    left: Place,
    /// The old region, if the new thread's stack is right below it, as an array of the function may be.
    below: Option<Region>,
}

/// A thread's change to an unused stack.
#[derive(Clone, Copy, Debug)]
struct Away {
    from: Place,
    to: Place,
    /// The call in which it happened.
    node: u32,
    calls: usize,
}

impl Recorder<'_> {
    /// Processes an instruction of a thread or handler that set the stack pointer, which was at `left`.
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
        // A thread that has called nothing yet is starting the program.
        let is_start = self.threads == 0 && self.at.frames.is_empty();
        if is_known || happens && !is_start && self.stacks.is_new(region) {
            self.direct.pending = Some(pending);
        } else if depth == 0 {
            pending.key = self.away(left, here);
            self.direct.pending = pending.key.is_some().then_some(pending);
        }
    }

    /// Records a change to an unused stack, or detects the return. If another thread ran meanwhile, returns the key of the resumed one.
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
        // Each of those stacks belongs to a thread; the first one is the thread that all cycles counted for.
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

    /// A new thread that has run on a stack.
    fn seen_on(&mut self, place: Place) -> Position {
        let thread = self.new_thread();
        self.stacks.belongs(place, thread.context);
        self.contexts[thread.context as usize].runs = 1;
        Position { place, ..thread }
    }

    /// Execution continues at `pc` after a jump. If a switch ends here, another thread runs.
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

    /// Drops a pending switch that an ended handler began, since it belongs to the exception.
    pub(super) fn forget_pending(&mut self) {
        let depth = self.interrupted.len();
        self.direct.pending.take_if(|pending| pending.depth > depth);
    }

    /// The thread that continues with this stack pointer after an exception; `None` if it is the current one.
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

    /// The key of the suspended thread on this stack; the nearest if there are several.
    fn parked_on(&self, region: usize, sp: u32) -> Option<u32> {
        let all = self.parked.iter();
        let on_it = all.filter(|(_, position)| position.place.region == Some(region));
        on_it
            .map(|(&key, _)| key)
            .min_by_key(|key| (key.abs_diff(sp), *key))
    }
}
