//! The slow path: one instruction at a time, with the actual pipeline state.

use super::cursor::{BlockPosition, Continuation, Stop, Unaccounted};
use crate::state::Flow;
use std::sync::Arc;

use events::{Event, Mask, RuleSet, Sink};
use isa_thumb::RegSet;

use super::interrupted::Interrupted;
use crate::access::executable_by_default;
use crate::block::{CodeCache, EffectTimes, EventTiming, Instr, StepOutcome};
use crate::core::{Core, Trap};
use crate::exec::passes;
use crate::fault::Fault;
use crate::microop::{MicroOp, Step};
use crate::state::Deviation;
use crate::timing::{self, Class, Cycle, Jump, PipelineState, Preview, RuntimeFacts, Shape};

impl Core {
    /// Accounts for the instruction at which the fast path stopped, and moves to the next.
    pub(super) fn account_and_advance(
        &mut self,
        cache: &mut CodeCache,
        left: &Unaccounted,
        until: Cycle,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let BlockPosition {
            block: id,
            index,
            mut pipe,
        } = left.place;
        let block = Arc::clone(cache.block(id));
        let instr = block.instr(index);
        let unmade = if let Trap::Expect(profile) = self.trap {
            Some(profile)
        } else {
            None
        };
        if let Some(profile) = unmade.or(self.deviation.profile) {
            cache.expect_profile(id, index, profile, &self.context());
        }
        let next = if unmade.is_some() || self.trap == Trap::SlowPath {
            (self.trap, self.deviation) = (Trap::None, Deviation::default());
            self.slow_step(&instr, &mut pipe, until, sink)?
        } else {
            self.prepare(&instr, &mut pipe);
            self.account(&instr, left.step, &mut pipe, sink)?
        };
        if let Continuation::Straight = next {
            self.resume_after(instr.op, pipe);
        }
        Ok(())
    }

    /// Executes from `at` to the end of its block or the first jump.
    pub(super) fn slow_path(
        &mut self,
        cache: &mut CodeCache,
        at: &BlockPosition,
        until: Cycle,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let mut pipe = at.pipe;
        for index in at.index.. {
            let block = cache.block(at.block);
            let (op, shape) = (block.ops[index], block.insns[index].shape);
            let instr = Instr {
                op: &op,
                shape: &shape,
                code: block.code,
            };
            if let Continuation::Elsewhere = self.slow_step(&instr, &mut pipe, until, sink)? {
                return Ok(());
            }
            let ends = self.code.is_stale() || self.emitter.paused;
            if ends || !self.may_extend(cache, at.block, index + 1) {
                self.resume_after(&op, pipe);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether a block has an instruction at this index; extends it if possible.
    fn may_extend(&mut self, cache: &mut CodeCache, block: u32, index: usize) -> bool {
        let known = cache.block(block);
        if index == known.ops.len() && known.open {
            cache.extend(block, &self.context());
        }
        index < cache.block(block).ops.len()
    }

    /// Executes one instruction, or takes an exception before it.
    pub(super) fn slow_step(
        &mut self,
        instr: &Instr,
        pipe: &mut PipelineState,
        until: Cycle,
        sink: &mut dyn Sink,
    ) -> Result<Continuation, Stop> {
        let Instr { op, shape, .. } = *instr;
        let model = self.config.model;
        self.prepare(instr, pipe);
        let skipped = !passes(op.cond, self.regs.flags);
        let preview = timing::preview(pipe, model, shape, self.area(op), skipped);
        self.count_ahead(&preview, pipe.free());
        let Preview { start, access, .. } = preview;
        let waits = preview.waits(pipe.free(), self.fetched_by);
        self.record_start(instr, &preview);
        if start >= self.next_edge() {
            self.emit_edges(start as u64, sink);
        }
        if start >= until.min(self.next_due()) {
            self.resume_before(op, *pipe);
            if self.exception_before(start, pipe.free(), &waits, sink)? {
                return Ok(Continuation::Elsewhere);
            }
            if start >= until {
                self.earlier_rules = self.fetched_by;
                return Err(Stop::Cycle);
            }
        }
        if self.stops_at(op.pc) {
            self.resume_before(op, *pipe);
            self.earlier_rules = self.fetched_by;
            self.emitter.paused = true;
            return Ok(Continuation::Elsewhere);
        }
        if self.halts_at(op.pc) {
            self.halt_before(op, shape, pipe);
            return Ok(Continuation::Elsewhere);
        }
        if let Some(trap) = self.refused_fetch(op) {
            self.trap = trap;
            return self.account(instr, Step::Trap, pipe, sink);
        }
        if op.uses_fp && self.preserve_before(op, pipe, start, &waits, sink)? {
            return Ok(Continuation::Elsewhere);
        }
        self.base = (access - Cycle::from(op.access) - Cycle::from(op.start)) as u64;
        match self.interrupt_transfers(instr, pipe, sink)? {
            Interrupted::Yes => return Ok(Continuation::Elsewhere),
            Interrupted::Failed => return self.account(instr, Step::Trap, pipe, sink),
            Interrupted::No => {}
        }
        let replaced = self.to_be_abandoned(op, shape.class);
        self.remember_frame();
        let step = (op.exec)(self, op);
        self.deviation.replaced = self.deviation.replaced.or(replaced);
        self.account(instr, step, pipe, sink)
    }

    /// Makes the requests before an instruction can be decoded.
    pub(super) fn prepare(&mut self, instr: &Instr, pipe: &mut PipelineState) {
        let model = self.config.model;
        let rules = timing::prepare(pipe, model, instr.shape, &mut self.supply());
        self.fetched_by = rules.union(std::mem::take(&mut self.earlier_rules));
    }

    /// The area of the address space that a load or store is about to access; see [`bus::Profile::area`].
    pub(super) fn area(&self, op: &MicroOp) -> u8 {
        let address = op.address(&self.regs.r);
        // A bit-band alias maps to another address of its area.
        let at = match address >> 25 {
            0x11 => 0x2000_0000 | (address & 0x1ff_ffff) >> 5,
            _ => address,
        };
        self.bus.area(at)
    }

    /// Whether the run pauses before this instruction. It does not pause twice at the same place.
    fn stops_at(&mut self, pc: u32) -> bool {
        let (stops, last) = &mut self.stops;
        if last.take() == Some(pc) || !stops.contains(&pc) {
            return false;
        }
        *last = Some(pc);
        true
    }

    /// Whether the debugger halts the core here. It does not halt twice at the same place.
    fn halts_at(&mut self, pc: u32) -> bool {
        if self.halted_at.take() == Some(pc) || !self.halts.contains(&pc) {
            return false;
        }
        self.halted_at = Some(pc);
        true
    }

    /// Halts as a BKPT in the instruction's place would (rule `halt`), which waits for no register.
    fn halt_before(&mut self, op: &MicroOp, shape: &Shape, pipe: &PipelineState) {
        let bkpt = Shape {
            class: Class::Halt,
            address: RegSet::EMPTY,
            ..*shape
        };
        let preview = timing::preview(pipe, self.config.model, &bkpt, 0, false);
        self.resume_before(op, *pipe);
        self.carry(pipe.free(), &preview.waits(pipe.free(), self.fetched_by));
        self.resume_full(preview.start);
    }

    /// Halts before the instruction at R15; see [`Core::halt_before`].
    pub(crate) fn halt_here(&mut self, cache: &mut CodeCache) {
        let at = self.next_position(cache);
        let instr = cache.block(at.block).instr(at.index);
        let mut pipe = at.pipe;
        self.prepare(&instr, &mut pipe);
        self.halt_before(instr.op, instr.shape, &pipe);
    }

    /// The fault of an instruction that cannot be fetched.
    fn refused_fetch(&self, op: &MicroOp) -> Option<Trap> {
        if !self.regs.thumb {
            return Some(Trap::Fault(Fault::InvState));
        }
        let last = op.pc.wrapping_add(u32::from(op.size) - 1);
        if !self.sys.checks_fetches() && executable_by_default(op.pc) && executable_by_default(last) {
            return None;
        }
        let allowed = self.may_fetch(op.pc).and_then(|()| self.may_fetch(last));
        allowed.err().map(Trap::Fault)
    }

    /// Times an executed instruction, emits it, and does what it asked for.
    pub(super) fn account(
        &mut self,
        instr: &Instr,
        step: Step,
        pipe: &mut PipelineState,
        sink: &mut dyn Sink,
    ) -> Result<Continuation, Stop> {
        let Instr { op, shape, .. } = *instr;
        let before = *pipe;
        let mut deviation = std::mem::take(&mut self.deviation);
        deviation.raises = step == Step::Attention && self.raised_a_mask();
        let outcome = StepOutcome::new(step, self.regs.r[15], &deviation, instr.op);
        deviation.taken |= step == Step::Branch;
        let fetched_by = std::mem::take(&mut self.fetched_by);
        let facts = self.facts_of(instr, step, &deviation, fetched_by);
        let model = self.config.model;
        let mut timing = timing::step(pipe, model, shape, &facts, &mut self.supply());
        timing.rules = timing.rules.union(fetched_by);
        self.cycle = timing.free as u64;
        if step == Step::Trap {
            self.flow = Flow::Through(*pipe);
            return self.trapped(op, &timing, &before, sink);
        }
        if self.abandon_divide(op, &deviation, &timing, &before, sink)? {
            return Ok(Continuation::Elsewhere);
        }
        let end = timing.jump.map_or(timing.free, Jump::end);
        self.count(shape, &timing, before.free(), end, deviation.skipped);
        let event = EventTiming::new(&timing, true);
        if let Some(pending) = &mut self.pending_link {
            pending.event = event.since(pending.base);
            pending.seen = EffectTimes::of(&timing).since(pending.base);
        }
        let elsewhere = self.regs.thumb && (step != Step::Branch || self.regs.r[15] != op.pc);
        if let Some(record) = self.step_record.as_mut().filter(|_| elsewhere) {
            record.done = outcome.map(|outcome| (outcome, event, EffectTimes::of(&timing)));
            record.profile = deviation.profile;
        }
        self.emit_instruction(op, &timing, (before.free(), end), sink);
        if step == Step::Attention {
            self.handle_attention(op.pc, timing.start, EffectTimes::of(&timing), sink);
            if let Some(stop) = self.stop_requested() {
                self.resume_after(op, *pipe);
                return Err(stop);
            }
        }
        let Some(jump) = timing.jump else {
            return Ok(Continuation::Straight);
        };
        if deviation.taken {
            self.regs.it = 0;
        } else {
            self.regs.r[15] = op.pc.wrapping_add(u32::from(op.size));
            self.regs.it = op.it_after;
        }
        self.jump(*pipe, jump);
        let spins = deviation.taken && self.regs.r[15] == op.pc && shape.class.only_branches();
        if spins && self.next_due() == Cycle::MAX {
            self.cycle = end as u64;
            Err(Stop::Forever)
        } else {
            Ok(Continuation::Elsewhere)
        }
    }

    /// The facts of an executed instruction. `fetched_by`: the rules by which a flash served its fetches.
    fn facts_of(
        &self,
        instr: &Instr,
        step: Step,
        deviation: &Deviation,
        fetched_by: RuleSet,
    ) -> RuntimeFacts {
        let facts = RuntimeFacts {
            fetched_by,
            ..instr.runtime_facts((&self.bus, self.config.model), deviation)
        };
        if !deviation.skipped && (step != Step::Trap || !self.trap.undid()) {
            return facts;
        }
        // It accessed no memory, so the expected access must not count.
        RuntimeFacts {
            wait: 0,
            held: 0,
            extra_transfers: 0,
            contends: false,
            io_port: false,
            flash: None,
            area: self.area(instr.op),
            ..facts
        }
    }

    /// Notes a jump to R15 at its known cost.
    #[inline(always)]
    pub(super) fn note_jump(&mut self) {
        // The jump ends the IT block.
        self.regs.it = 0;
        self.refilled_from = self.regs.r[15];
    }

    /// Continues at R15 after a jump.
    fn jump(&mut self, mut pipe: PipelineState, jump: Jump) {
        self.refilled_from = self.regs.r[15];
        let wait = self.fetch_path(self.regs.r[15]);
        pipe.jump(self.regs.r[15], jump, wait, &mut self.supply());
        let fresh = pipe == PipelineState::refilled(self.regs.r[15], jump, wait);
        self.flow = if fresh {
            Flow::Jumped(jump)
        } else {
            Flow::Through(pipe)
        };
    }

    pub(super) fn resume_before(&mut self, op: &MicroOp, pipe: PipelineState) {
        self.regs.r[15] = op.pc;
        self.regs.it = op.it;
        self.cycle = pipe.free() as u64;
        self.flow = Flow::Through(pipe);
    }

    pub(super) fn resume_after(&mut self, op: &MicroOp, pipe: PipelineState) {
        self.regs.r[15] = op.pc.wrapping_add(u32::from(op.size));
        self.regs.it = op.it_after;
        self.flow = Flow::Through(pipe);
    }

    /// Makes a change of a system register, mask or device visible to the following instructions.
    #[inline]
    pub(super) fn handle_attention(&mut self, pc: u32, start: Cycle, seen: EffectTimes, sink: &mut dyn Sink) {
        self.emit_mask_changes(pc, start as u64, sink);
        self.recognise_changes(start as u64, seen);
    }

    /// Emits each mask register that differs from the last emitted value.
    #[inline]
    pub(super) fn emit_mask_changes(&mut self, pc: u32, cycle: u64, sink: &mut dyn Sink) {
        self.basepri_written = 0;
        let now = self.masks();
        if now == self.masks_seen {
            return;
        }
        if self.emitter.observes_control() {
            self.emit_each_mask_change(pc, cycle, now, sink);
        }
        self.masks_seen = now;
    }

    #[inline(never)]
    fn emit_each_mask_change(&mut self, pc: u32, cycle: u64, now: [u8; 3], sink: &mut dyn Sink) {
        let lifts = self.sys.exceptions.lifted(&self.regs);
        for (mask, (old, new)) in MASKS.into_iter().zip(self.masks_seen.into_iter().zip(now)) {
            if old != new {
                let change = Event::MaskChange {
                    cycle,
                    pc,
                    mask,
                    old,
                    new,
                    lifts,
                };
                self.emit_control(&change, sink);
            }
        }
    }

    /// Whether a mask lets less in than when it was last emitted, or would if all its bits were implemented.
    pub(super) fn raised_a_mask(&self) -> bool {
        let raised = |(before, now): (u8, u8)| now != 0 && (before == 0 || now < before);
        let now = self.masks();
        let lower = now != self.masks_seen && self.masks_seen.into_iter().zip(now).any(raised);
        lower || raised((self.masks_seen[2], self.basepri_written))
    }

    fn masks(&self) -> [u8; 3] {
        [
            u8::from(self.regs.primask),
            u8::from(self.regs.faultmask),
            self.regs.basepri,
        ]
    }
}

const MASKS: [Mask; 3] = [Mask::Primask, Mask::Faultmask, Mask::Basepri];
