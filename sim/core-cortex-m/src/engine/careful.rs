//! The careful way: one instruction at a time, through the pipeline as it really stands.

use std::sync::Arc;

use events::{Event, Mask, Sink};
use isa_thumb::RegSet;

use super::fast::Left;
use super::interrupted::Interrupted;
use super::{Flow, Place, Stop};
use crate::access::executable_by_default;
use crate::core::{Core, Facts, Trap};
use crate::exec::passes;
use crate::fault::Fault;
use crate::microop::{MicroOp, Step};
use crate::run::{Decoded, Instr, Seen, Told, Went};
use crate::timing::{self, Class, Cycle, Jump, Met, Pipe, Preview, Shape};

/// Whether the careful way goes on with the next instruction of the run.
pub(super) enum Next {
    /// It does.
    Straight,
    /// Execution goes on at R15, by `Core::flow`.
    Elsewhere,
}

impl Core {
    /// Accounts for the instruction at which the fast path stopped, and moves to the next.
    pub(super) fn finish(
        &mut self,
        decoded: &mut Decoded,
        left: &Left,
        until: Cycle,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let Place {
            run: id,
            index,
            mut pipe,
        } = left.place;
        let run = Arc::clone(decoded.run(id));
        let instr = run.instr(index);
        let unmade = if let Trap::Expect(profile) = self.trap {
            Some(profile)
        } else {
            None
        };
        if let Some(profile) = unmade.or(self.facts.profile) {
            decoded.expect(id, index, profile, &self.context());
        }
        let next = if unmade.is_some() || self.trap == Trap::Careful {
            (self.trap, self.facts) = (Trap::None, Facts::default());
            self.one(&instr, &mut pipe, until, sink)?
        } else {
            self.prepare(&instr, &mut pipe);
            self.account(&instr, left.step, &mut pipe, sink)?
        };
        if let Next::Straight = next {
            self.stand_behind(instr.op, pipe);
        }
        Ok(())
    }

    /// Executes from `at` to the end of its run, or to the first jump.
    pub(super) fn careful(
        &mut self,
        decoded: &mut Decoded,
        at: &Place,
        until: Cycle,
        sink: &mut dyn Sink,
    ) -> Result<(), Stop> {
        let mut pipe = at.pipe;
        for index in at.index.. {
            let run = decoded.run(at.run);
            let (op, shape) = (run.ops[index], run.sides[index].shape);
            let instr = Instr {
                op: &op,
                shape: &shape,
                code: run.code,
            };
            if let Next::Elsewhere = self.one(&instr, &mut pipe, until, sink)? {
                return Ok(());
            }
            let ends = self.runs.is_stale() || self.told.paused;
            if ends || !self.goes_on(decoded, at.run, index + 1) {
                self.stand_behind(&op, pipe);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether a run has an instruction at this place, now at least.
    fn goes_on(&mut self, decoded: &mut Decoded, run: u32, index: usize) -> bool {
        let known = decoded.run(run);
        if index == known.ops.len() && known.open {
            decoded.grow(run, &self.context());
        }
        index < decoded.run(run).ops.len()
    }

    /// Executes one instruction, or takes an exception before it.
    pub(super) fn one(
        &mut self,
        instr: &Instr,
        pipe: &mut Pipe,
        until: Cycle,
        sink: &mut dyn Sink,
    ) -> Result<Next, Stop> {
        let Instr { op, shape, .. } = *instr;
        let model = self.config.model;
        self.prepare(instr, pipe);
        let skipped = !passes(op.cond, self.regs.flags);
        let preview = timing::preview(pipe, model, shape, self.area(op), skipped);
        self.count_ahead(&preview, pipe.free());
        let Preview { start, access, .. } = preview;
        let waits = preview.waits(pipe.free(), self.fetched_by);
        self.note_start(instr, &preview);
        if start >= self.next_edge() {
            self.tell_edges(start as u64, sink);
        }
        if start >= until.min(self.next_due()) {
            self.stand_before(op, *pipe);
            if self.exception_before(start, pipe.free(), &waits, sink)? {
                return Ok(Next::Elsewhere);
            }
            if start >= until {
                self.caught = self.fetched_by;
                return Err(Stop::Cycle);
            }
        }
        if self.stops_at(op.pc) {
            self.stand_before(op, *pipe);
            self.caught = self.fetched_by;
            self.told.paused = true;
            return Ok(Next::Elsewhere);
        }
        if self.halts_at(op.pc) {
            self.halt_before(op, shape, pipe);
            return Ok(Next::Elsewhere);
        }
        if let Some(trap) = self.refused_fetch(op) {
            self.trap = trap;
            return self.account(instr, Step::Trap, pipe, sink);
        }
        if op.uses_fp && self.preserve_before(op, pipe, start, &waits, sink)? {
            return Ok(Next::Elsewhere);
        }
        self.base = (access - Cycle::from(op.access) - Cycle::from(op.start)) as u64;
        match self.interrupt_transfers(instr, pipe, sink)? {
            Interrupted::Yes => return Ok(Next::Elsewhere),
            Interrupted::Failed => return self.account(instr, Step::Trap, pipe, sink),
            Interrupted::No => {}
        }
        let replaced = self.to_be_abandoned(op, shape.class);
        self.remember_frame();
        let step = (op.exec)(self, op);
        self.facts.replaced = self.facts.replaced.or(replaced);
        self.account(instr, step, pipe, sink)
    }

    /// Works out what is requested before an instruction can be decoded.
    pub(super) fn prepare(&mut self, instr: &Instr, pipe: &mut Pipe) {
        let model = self.config.model;
        let rules = timing::prepare(pipe, model, instr.shape, &mut self.supply());
        self.fetched_by = rules.union(std::mem::take(&mut self.caught));
    }

    /// The part of the address space that a load or store is about to access; see [`bus::Profile::area`].
    pub(super) fn area(&self, op: &MicroOp) -> u8 {
        let address = op.address(&self.regs.r);
        // A bit-band alias maps to another address of its area.
        let at = match address >> 25 {
            0x11 => 0x2000_0000 | (address & 0x1ff_ffff) >> 5,
            _ => address,
        };
        self.bus.area(at)
    }

    /// Whether the run pauses before this instruction; where it paused last, it goes on.
    fn stops_at(&mut self, pc: u32) -> bool {
        let (stops, last) = &mut self.stops;
        if last.take() == Some(pc) || !stops.contains(&pc) {
            return false;
        }
        *last = Some(pc);
        true
    }

    /// Whether the debugger halts the core here; after it let it go on, it does not.
    fn halts_at(&mut self, pc: u32) -> bool {
        if self.halted_at.take() == Some(pc) || !self.halts.contains(&pc) {
            return false;
        }
        self.halted_at = Some(pc);
        true
    }

    /// As at a BKPT in the instruction's place (rule `halt`), which waits for none of its registers.
    fn halt_before(&mut self, op: &MicroOp, shape: &Shape, pipe: &Pipe) {
        let bkpt = Shape {
            class: Class::Halt,
            address: RegSet::EMPTY,
            ..*shape
        };
        let preview = timing::preview(pipe, self.config.model, &bkpt, 0, false);
        self.stand_before(op, *pipe);
        self.carry(pipe.free(), &preview.waits(pipe.free(), self.fetched_by));
        self.stand_full(preview.start);
    }

    /// As [`Core::halt_before`] the instruction at R15.
    pub(crate) fn halt_here(&mut self, decoded: &mut Decoded) {
        let at = self.place(decoded);
        let instr = decoded.run(at.run).instr(at.index);
        let mut pipe = at.pipe;
        self.prepare(&instr, &mut pipe);
        self.halt_before(instr.op, instr.shape, &pipe);
    }

    /// Why the instruction cannot be fetched.
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

    /// Works out what an executed instruction cost, announces it, and does what it asked for.
    pub(super) fn account(
        &mut self,
        instr: &Instr,
        step: Step,
        pipe: &mut Pipe,
        sink: &mut dyn Sink,
    ) -> Result<Next, Stop> {
        let Instr { op, shape, .. } = *instr;
        let before = *pipe;
        let mut facts = std::mem::take(&mut self.facts);
        facts.raises = step == Step::Attention && self.raised_a_mask();
        let went = Went::new(step, self.regs.r[15], &facts, instr.op);
        facts.taken |= step == Step::Branch;
        let fetched_by = std::mem::take(&mut self.fetched_by);
        let mut met = Met {
            fetched_by,
            ..instr.met((&self.bus, self.config.model), &facts)
        };
        if facts.skipped || step == Step::Trap && self.trap.undid() {
            // It accessed no memory: the expected one must not count.
            met = Met {
                wait: 0,
                held: 0,
                extra_transfers: 0,
                contends: false,
                io_port: false,
                flash: None,
                area: self.area(op),
                ..met
            };
        }
        let model = self.config.model;
        let mut timing = timing::step(pipe, model, shape, &met, &mut self.supply());
        timing.rules = timing.rules.union(fetched_by);
        self.cycle = timing.free as u64;
        if step == Step::Trap {
            self.flow = Flow::Through(*pipe);
            return self.trapped(op, &timing, &before, sink);
        }
        if self.abandon_divide(op, &facts, &timing, &before, sink)? {
            return Ok(Next::Elsewhere);
        }
        let end = timing.jump.map_or(timing.free, Jump::end);
        self.count(shape, &timing, before.free(), end, facts.skipped);
        let told = Told::new(&timing, true);
        if let Some(leaving) = &mut self.leaving {
            leaving.told = told.since(leaving.base);
            leaving.seen = Seen::of(&timing).since(leaving.base);
        }
        let elsewhere = self.regs.thumb && (step != Step::Branch || self.regs.r[15] != op.pc);
        if let Some(noted) = self.noted.as_mut().filter(|_| elsewhere) {
            noted.done = went.map(|went| (went, told, Seen::of(&timing)));
            noted.profile = facts.profile;
        }
        self.announce(op, &timing, (before.free(), end), sink);
        if step == Step::Attention {
            self.attend(op.pc, timing.start, Seen::of(&timing), sink);
            if let Some(stop) = self.ended() {
                self.stand_behind(op, *pipe);
                return Err(stop);
            }
        }
        let Some(jump) = timing.jump else {
            return Ok(Next::Straight);
        };
        if facts.taken {
            self.regs.it = 0;
        } else {
            self.regs.r[15] = op.pc.wrapping_add(u32::from(op.size));
            self.regs.it = op.it_after;
        }
        self.jump(*pipe, jump);
        let spins = facts.taken && self.regs.r[15] == op.pc && shape.class.only_branches();
        if spins && self.next_due() == Cycle::MAX {
            self.cycle = end as u64;
            Err(Stop::Forever)
        } else {
            Ok(Next::Elsewhere)
        }
    }

    /// An instruction jumped to R15 as it did before.
    #[inline(always)]
    pub(super) fn jumped_again(&mut self) {
        // The jump has left an IT block that it stood in.
        self.regs.it = 0;
        self.filled_from = self.regs.r[15];
    }

    /// Execution goes on at R15.
    fn jump(&mut self, mut pipe: Pipe, jump: Jump) {
        self.filled_from = self.regs.r[15];
        let wait = self.fetch_path(self.regs.r[15]);
        pipe.jump(self.regs.r[15], jump, wait, &mut self.supply());
        let fresh = pipe == Pipe::refilled(self.regs.r[15], jump, wait);
        self.flow = if fresh {
            Flow::Jumped(jump)
        } else {
            Flow::Through(pipe)
        };
    }

    pub(super) fn stand_before(&mut self, op: &MicroOp, pipe: Pipe) {
        self.regs.r[15] = op.pc;
        self.regs.it = op.it;
        self.cycle = pipe.free() as u64;
        self.flow = Flow::Through(pipe);
    }

    pub(super) fn stand_behind(&mut self, op: &MicroOp, pipe: Pipe) {
        self.regs.r[15] = op.pc.wrapping_add(u32::from(op.size));
        self.regs.it = op.it_after;
        self.flow = Flow::Through(pipe);
    }

    /// Handles a change of a system register, mask or device, so that the following instructions see it.
    #[inline]
    pub(super) fn attend(&mut self, pc: u32, start: Cycle, seen: Seen, sink: &mut dyn Sink) {
        self.announce_masks(pc, start as u64, sink);
        self.recognise_changes(start as u64, seen);
    }

    /// Emits each mask register that differs from the last emitted value.
    #[inline]
    pub(super) fn announce_masks(&mut self, pc: u32, cycle: u64, sink: &mut dyn Sink) {
        self.basepri_written = 0;
        let now = self.masks();
        if now == self.masks_seen {
            return;
        }
        if self.told.hears_control() {
            self.tell_masks(pc, cycle, now, sink);
        }
        self.masks_seen = now;
    }

    #[inline(never)]
    fn tell_masks(&mut self, pc: u32, cycle: u64, now: [u8; 3], sink: &mut dyn Sink) {
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
                self.tell_control(&change, sink);
            }
        }
    }

    /// Whether a mask lets less in than when it was last announced, or would if all of its bits were implemented.
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
