//! Executes the instructions of a block, and emits those with a listener.

use std::ops::Range;

use bus::Flash;
use events::{RuleSet, Sink};

use crate::block::CachedBlock;
use crate::core::Core;
use crate::microop::{MicroOp, Step};
use crate::timing::Cycle;

impl Core {
    /// Executes instructions of a block up to the first that does more than continue. Emits those with a listener, or every one if `ALL`.
    #[inline(always)]
    pub(super) fn execute_block<const ALL: bool>(
        &mut self,
        cached: &CachedBlock,
        places: Range<usize>,
        base: Cycle,
        sink: &mut dyn Sink,
    ) -> (usize, Step) {
        let block = &*cached.block;
        let first = places.start;
        let (index, step) = if ALL && self.emitter.emits_steps() {
            self.execute_emitting_steps(cached, places, base, sink)
        } else if ALL {
            self.execute_emitting(cached, places, base, sink)
        } else if first == 0 && self.observes_start_of(block) {
            self.execute_emitting_first(cached, places.end, base, sink)
        } else {
            self.drop_carried();
            let (count, step) = self.execute_straight(&block.ops[places]);
            (first + count, step)
        };
        self.emitter.instructions += (index - first) as u64;
        if !ALL {
            self.note_rules(cached, first..index);
        }
        (index, step)
    }

    /// Notes the rules of these instructions, except of those emitted. Returns whether all rules of the block are then noted.
    #[inline]
    pub(super) fn note_rules(&mut self, cached: &CachedBlock, places: Range<usize>) -> bool {
        // Most often they are all noted already.
        let all = cached.block.rules_used.union(cached.served_by(true));
        let known = self.emitter.since.has_all(all);
        if !known {
            self.note_rules_of_part(cached, places);
        }
        known
    }

    #[inline(never)]
    fn note_rules_of_part(&mut self, cached: &CachedBlock, places: Range<usize>) {
        let (rules_used, asked) = cached.block.rules_of(places);
        self.emitter.since = self
            .emitter
            .since
            .union(rules_used)
            .union(self.served_by(cached, asked));
    }

    /// The rules by which a flash with wait states served the words, if any were `asked` for.
    #[inline]
    fn served_by(&self, cached: &CachedBlock, asked: bool) -> RuleSet {
        let timed = self.bus.flash().is_some_and(Flash::is_timed);
        cached.served_by(asked && timed)
    }

    /// An instruction jumped at its computed cost. `TIMED`: from a flash with wait states.
    #[inline]
    pub(super) fn take_computed_jump<const TIMED: bool>(
        &mut self,
        cached: &CachedBlock,
        index: usize,
        base: Cycle,
        sink: Option<&mut (dyn Sink + '_)>,
    ) {
        let insn = &cached.block.insns[index];
        let served = cached.served_by(TIMED && insn.asked[2]);
        self.emitter.instructions += 1;
        match sink {
            Some(sink) => self.emit_computed(&cached.block, index, base, true, served, sink),
            None => self.emitter.since = self.emitter.since.union(insn.jumped.rules).union(served),
        }
        if TIMED {
            cached.touch(insn.next_word, self.bus.flash_mut());
        }
        self.note_jump();
    }

    /// Executes like [`Core::execute_straight`] and emits each instruction. Stops when the sink pauses.
    fn execute_emitting(
        &mut self,
        cached: &CachedBlock,
        places: Range<usize>,
        base: Cycle,
        sink: &mut dyn Sink,
    ) -> (usize, Step) {
        let block = &*cached.block;
        let last = places.end;
        for (index, op) in places.clone().zip(&block.ops[places]) {
            self.remember_frame();
            let step = (op.exec)(self, op);
            let step = self.emit_observed_accesses(op, step, sink);
            if step != Step::Next {
                return (index, step);
            }
            let served = self.served_by(cached, block.insns[index].asked[1]);
            self.emit_computed(block, index, base, false, served, sink);
            if self.emitter.paused {
                return (index + 1, Step::Next);
            }
        }
        (last, Step::Next)
    }

    /// Executes instructions for a sink that takes steps.
    fn execute_emitting_steps(
        &mut self,
        cached: &CachedBlock,
        places: Range<usize>,
        base: Cycle,
        sink: &mut dyn Sink,
    ) -> (usize, Step) {
        let block = &*cached.block;
        let (first, last) = (places.start, places.end);
        // Whether nothing else is pending for emission; the first instruction may carry earlier events.
        let mut alone = false;
        let instructions = block.ops[places.clone()].iter().zip(&block.insns[places.clone()]);
        for (index, (op, insn)) in places.zip(instructions) {
            self.remember_frame();
            let mut step = (op.exec)(self, op);
            if step != Step::Next {
                step = self.emit_observed_accesses(op, step, sink);
            }
            if step != Step::Next {
                self.note_stepped_rules(cached, first..index);
                return (index, step);
            }
            if alone {
                self.step(op, base + insn.before.free(), (base, &insn.straight), sink);
            } else {
                let served = self.served_by(cached, insn.asked[1]);
                self.emit_computed(block, index, base, false, served, sink);
                alone = self.emitter.is_alone();
            }
            if self.emitter.paused {
                self.note_stepped_rules(cached, first..index + 1);
                return (index + 1, Step::Next);
            }
        }
        self.note_stepped_rules(cached, first..last);
        (last, Step::Next)
    }

    /// Notes the rules of instructions emitted as steps.
    fn note_stepped_rules(&mut self, cached: &CachedBlock, places: Range<usize>) {
        let (rules_used, asked) = cached.block.rules_of(places);
        self.emitter.since = self
            .emitter
            .since
            .union(rules_used)
            .union(self.served_by(cached, asked));
    }

    /// Executes the first `length` instructions and emits only the first.
    fn execute_emitting_first(
        &mut self,
        cached: &CachedBlock,
        length: usize,
        base: Cycle,
        sink: &mut dyn Sink,
    ) -> (usize, Step) {
        let (_, step) = self.execute_emitting(cached, 0..1, base, sink);
        if step != Step::Next {
            return (0, step);
        }
        if self.emitter.paused {
            return (1, Step::Next);
        }
        let (index, step) = self.execute_straight(&cached.block.ops[1..length]);
        (index + 1, step)
    }

    /// Executes instructions up to the first that does more than continue. Returns the number that did.
    #[inline(always)]
    pub(super) fn execute_straight(&mut self, ops: &[MicroOp]) -> (usize, Step) {
        for (index, op) in ops.iter().enumerate() {
            let step = (op.exec)(self, op);
            if step != Step::Next {
                return (index, step);
            }
        }
        (ops.len(), Step::Next)
    }
}
