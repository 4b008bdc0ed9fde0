//! Executing the instructions of a run, and telling of those that somebody wants to hear of.

use std::ops::Range;

use bus::Flash;
use events::{RuleSet, Sink};

use crate::core::Core;
use crate::microop::{MicroOp, Step};
use crate::run::Slot;
use crate::timing::Cycle;

impl Core {
    /// Executes these instructions of a run up to the first that does more than continue, and emits those with a listener: every one if
    /// `ALL`.
    #[inline(always)]
    pub(super) fn through<const ALL: bool>(
        &mut self,
        slot: &Slot,
        places: Range<usize>,
        base: Cycle,
        sink: &mut dyn Sink,
    ) -> (usize, Step) {
        let run = &*slot.run;
        let first = places.start;
        let (index, step) = if ALL && self.told.tells_steps() {
            self.straight_stepping(slot, places, base, sink)
        } else if ALL {
            self.straight_telling(slot, places, base, sink)
        } else if first == 0 && self.hears_first_of(run) {
            self.straight_watched(slot, places.end, base, sink)
        } else {
            self.forget_carried();
            let (count, step) = self.straight(&run.ops[places]);
            (first + count, step)
        };
        self.told.instructions += (index - first) as u64;
        if !ALL {
            self.rely_on(slot, first..index);
        }
        (index, step)
    }

    /// Adds the rules of these instructions of a run, except those emitted otherwise. Returns whether all rules of the run are then known.
    #[inline]
    pub(super) fn rely_on(&mut self, slot: &Slot, places: Range<usize>) -> bool {
        // The rules of the whole run are mostly known already.
        let all = slot.run.relied.union(slot.served_by(true));
        let known = self.told.since.has_all(all);
        if !known {
            self.rely_on_some(slot, places);
        }
        known
    }

    #[inline(never)]
    fn rely_on_some(&mut self, slot: &Slot, places: Range<usize>) {
        let (relied, asked) = slot.run.relied_on(places);
        self.told.since = self.told.since.union(relied).union(self.served_by(slot, asked));
    }

    /// The rules by which words come from a flash with wait states, if any were asked for.
    #[inline]
    fn served_by(&self, slot: &Slot, asked: bool) -> RuleSet {
        let timed = self.bus.flash().is_some_and(Flash::is_timed);
        slot.served_by(asked && timed)
    }

    /// The instruction at `index` of a run jumped, at the cost that was worked out. `TIMED`: from a flash with wait states.
    #[inline]
    pub(super) fn jumped_as_worked_out<const TIMED: bool>(
        &mut self,
        slot: &Slot,
        index: usize,
        base: Cycle,
        sink: Option<&mut (dyn Sink + '_)>,
    ) {
        let side = &slot.run.sides[index];
        let served = slot.served_by(TIMED && side.asked[2]);
        self.told.instructions += 1;
        match sink {
            Some(sink) => self.announce_worked_out(&slot.run, index, base, true, served, sink),
            None => self.told.since = self.told.since.union(side.jumped.rules).union(served),
        }
        if TIMED {
            slot.touch(side.next_word, self.bus.flash_mut());
        }
        self.jumped_again();
    }

    /// As [`Core::straight`] of these instructions of a run, telling of each; ends where the sink pauses.
    fn straight_telling(
        &mut self,
        slot: &Slot,
        places: Range<usize>,
        base: Cycle,
        sink: &mut dyn Sink,
    ) -> (usize, Step) {
        let run = &*slot.run;
        let last = places.end;
        for (index, op) in places.clone().zip(&run.ops[places]) {
            self.remember_frame();
            let step = (op.exec)(self, op);
            let step = self.tell_accesses(op, step, sink);
            if step != Step::Next {
                return (index, step);
            }
            let served = self.served_by(slot, run.sides[index].asked[1]);
            self.announce_worked_out(run, index, base, false, served, sink);
            if self.told.paused {
                return (index + 1, Step::Next);
            }
        }
        (last, Step::Next)
    }

    /// Executes instructions for a sink that accepts steps.
    fn straight_stepping(
        &mut self,
        slot: &Slot,
        places: Range<usize>,
        base: Cycle,
        sink: &mut dyn Sink,
    ) -> (usize, Step) {
        let run = &*slot.run;
        let (first, last) = (places.start, places.end);
        // Whether only the instruction itself is emitted; the first one may carry earlier events.
        let mut alone = false;
        let instructions = run.ops[places.clone()].iter().zip(&run.sides[places.clone()]);
        for (index, (op, side)) in places.zip(instructions) {
            self.remember_frame();
            let mut step = (op.exec)(self, op);
            if step != Step::Next {
                step = self.tell_accesses(op, step, sink);
            }
            if step != Step::Next {
                self.step_through(slot, first..index);
                return (index, step);
            }
            if alone {
                self.step(op, base + side.before.free(), (base, &side.straight), sink);
            } else {
                let served = self.served_by(slot, side.asked[1]);
                self.announce_worked_out(run, index, base, false, served, sink);
                alone = self.told.is_alone();
            }
            if self.told.paused {
                self.step_through(slot, first..index + 1);
                return (index + 1, Step::Next);
            }
        }
        self.step_through(slot, first..last);
        (last, Step::Next)
    }

    /// Notes the rules of instructions that were emitted as steps.
    fn step_through(&mut self, slot: &Slot, places: Range<usize>) {
        let (relied, asked) = slot.run.relied_on(places);
        self.told.since = self.told.since.union(relied).union(self.served_by(slot, asked));
    }

    /// Executes the first `length` instructions and emits only the first one.
    fn straight_watched(
        &mut self,
        slot: &Slot,
        length: usize,
        base: Cycle,
        sink: &mut dyn Sink,
    ) -> (usize, Step) {
        let (_, step) = self.straight_telling(slot, 0..1, base, sink);
        if step != Step::Next {
            return (0, step);
        }
        if self.told.paused {
            return (1, Step::Next);
        }
        let (index, step) = self.straight(&slot.run.ops[1..length]);
        (index + 1, step)
    }

    /// Executes instructions up to the first that does more than go on; says how many went on.
    #[inline(always)]
    pub(super) fn straight(&mut self, ops: &[MicroOp]) -> (usize, Step) {
        for (index, op) in ops.iter().enumerate() {
            let step = (op.exec)(self, op);
            if step != Step::Next {
                return (index, step);
            }
        }
        (ops.len(), Step::Next)
    }
}
