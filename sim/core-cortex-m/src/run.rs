//! Straight runs of instructions: decoded once, their cost worked out once, then reused.
//!
//! A run begins where a jump leads (or where a full pipeline starts, or where another run ended for its length) and
//! goes on along the path on which no branch is taken. Its [`Entry`] fixes the state of the pipeline; what its
//! instructions cost then follows from the nominal facts: no wait state, operand or condition differs from what each
//! [`MicroOp`] expects. The engine leaves the run at the first instruction for which that does not hold, and goes on
//! from [`Side::before`], the exact state of the pipeline there.
//!
//! An instruction is added to a run when it is about to be executed there for the first time, so that nothing is worked out that is
//! never reached; and what it meets then is what it is expected to meet.

mod decoded;
mod exits;
mod lowering;
mod met;
mod slot;
mod stands;
mod strands;
#[cfg(test)]
mod tests;

use std::ops::Range;

use bus::{Bus, ProfileId, Usual};
use events::{Costs, RuleSet};
use isa_thumb::{Cond, Isa, Reg};

use crate::core::Facts;
use crate::engine::Flow;
use crate::exception::{continuation, resume, words_from};
use crate::exec;
use crate::microop::MicroOp;
pub(crate) use decoded::Decoded;
pub(crate) use exits::{Exit, Exits, Leaving, Way};
use lowering::{Lowered, fetch, lowered};
pub(crate) use slot::Slot;
pub(crate) use stands::{Key, Leaf, NOWHERE, Node, Noted, Seen, Stand, Tree, Went};
pub(crate) use strands::{Ask, Gone, Knot, Strand};

use crate::timing::{
    self, Class, Cycle, Early, FlashRead, Foresight, Jump, Met, Model, Pipe, Shape, Supply, Timing,
};

/// Instructions in a run at the most.
const LONGEST: usize = 128;
/// Initial capacity in instructions.
const SHORT: usize = 8;
/// Entries of the table that finds a run from a jump's target.
const TABLE: usize = 1 << 14;
pub(crate) const NO_RUN: u32 = u32::MAX;
/// Of a stand that was not asked for.
const UNKNOWN: u32 = u32::MAX - 1;
/// Corrections of a run at the most: where an instruction meets now this memory and now that, none helps.
const CORRECTIONS: u32 = 8;

/// Cycle, in a run's own time, in which the target of the jump that leads to it must be requested.
pub(crate) const REQUEST: Cycle = -1;

/// How a run is entered: two equal entries are the same run.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Entry {
    pub pc: u32,
    pub it: u8,
    pub pipe: Pipe,
}

/// Timing data of one instruction of a run.
#[derive(Clone)]
pub(crate) struct Side {
    pub shape: Shape,
    /// The pipeline before it, in the run's own time.
    pub before: Pipe,
    /// Its event data in the run's own time, if execution continues straight.
    pub straight: Told,
    /// Its event data if it jumps.
    pub jumped: Told,
    /// The rules of all instructions before it.
    pub relied: RuleSet,
    /// Whether any instruction before it had words requested, whether it has, and whether it has if it jumps.
    pub asked: [bool; 3],
    /// How the target of a jump from here is fetched, in the run's own time.
    pub jump: Option<Jump>,
    /// After a jump from here to an address below this one the pipeline is as after any other jump.
    pub clean_below: u32,
    /// The word after the last one that is requested until it ends, or until the target of a jump from it is requested.
    pub next_word: u32,
    /// The word after the last one that is requested, whether it jumps or not.
    furthest: u32,
}

impl Side {
    /// Whether the pipeline is as after any other jump, after one from here to this address.
    #[inline]
    pub(crate) fn is_clean(&self, target: u32) -> bool {
        target < self.clean_below
    }
}

/// Event data of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// When it starts to execute.
    pub start: Cycle,
    /// When the next one can start.
    pub end: Cycle,
    pub costs: Costs,
    pub rules: RuleSet,
}

impl Told {
    /// No event data.
    pub(crate) const NONE: Told = Told {
        start: 0,
        end: 0,
        costs: Costs::NONE,
        rules: RuleSet::EMPTY,
    };

    /// Moves it to the time that begins in this cycle.
    pub(crate) fn since(self, base: Cycle) -> Told {
        Told {
            start: self.start - base,
            end: self.end - base,
            ..self
        }
    }

    /// The event data of an instruction that jumps, or does not.
    pub(crate) fn new(timing: &Timing, jumped: bool) -> Told {
        let jump = timing.jump.filter(|_| jumped);
        Told {
            start: timing.start,
            end: jump.map_or(timing.free, Jump::end),
            costs: timing.costs(jump.is_some()),
            rules: timing.rules,
        }
    }
}

/// An instruction as the pipeline and its handler see it.
#[derive(Clone, Copy)]
pub(crate) struct Instr<'a> {
    pub op: &'a MicroOp,
    pub shape: &'a Shape,
    /// The memory that it lies in.
    pub code: ProfileId,
}

/// A straight run.
#[derive(Clone)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub(crate) struct Run {
    pub pc: u32,
    /// Address after its last instruction, and ITSTATE there.
    pub end: u32,
    pub end_it: u8,
    pub ops: Vec<MicroOp>,
    pub sides: Vec<Side>,
    /// The pipeline after its last instruction.
    pub after: Pipe,
    /// First cycle after it, in its own time, if it is executed to the end.
    pub span: Cycle,
    /// The rules of all its instructions, if it is executed to the end.
    pub relied: RuleSet,
    /// Whether any of them has words requested.
    pub asks: bool,
    /// The word after the last one that is requested.
    reach: u32,
    /// A sink may want to hear of its first instruction: one did at some time.
    pub split: bool,
    /// The debugger halts the core before its first instruction.
    pub halts: bool,
    /// The memory that it lies in.
    pub code: ProfileId,
    /// If a jump leads here: how early it asked for its target ([`Jump::early`]).
    early: Early,
    /// A jump leads here.
    pub jumped: bool,
    /// Number of times that an instruction of it met another memory than expected.
    corrections: u32,
    /// Whether another instruction may be added to it.
    pub open: bool,
}

/// A core's runs. The engine takes them out while it executes, so that a handler can say that code was written.
#[derive(Clone, Default)]
pub(crate) struct Runs {
    decoded: Decoded,
    /// The first and the last byte that were written, where instructions may have been decoded from.
    written: Option<(u32, u32)>,
}

impl Runs {
    /// Marks all code as possibly changed; the engine forgets all runs before the next instruction.
    pub(crate) fn invalidate(&mut self) {
        self.written = Some((0, u32::MAX));
    }

    /// Marks these bytes of a memory with code as written, and so the code there as changed.
    pub(crate) fn write(&mut self, address: u32, size: u32) {
        let last = address.saturating_add(size - 1);
        let (first, end) = self.written.unwrap_or((address, last));
        self.written = Some((first.min(address), end.max(last)));
    }

    /// Whether code may have been written.
    pub(crate) fn is_stale(&self) -> bool {
        self.written.is_some()
    }

    /// Forgets runs that were taken out, if their code was written.
    pub(crate) fn refresh(&mut self, decoded: &mut Decoded) {
        if let Some((first, last)) = self.written.take()
            && decoded.lowered.code.touches(first, last)
        {
            decoded.forget();
        }
    }

    /// Takes the runs out.
    pub(crate) fn take(&mut self) -> Decoded {
        let mut decoded = std::mem::take(&mut self.decoded);
        self.refresh(&mut decoded);
        decoded
    }

    /// Memory was put back to what it was at some time.
    pub(crate) fn check(&mut self, bus: &Bus) {
        let word = |address| bus.peek_word(address).unwrap_or_default();
        if !self.decoded.lowered.code.is_same(word) {
            self.invalidate();
        }
    }

    pub(crate) fn put_back(&mut self, decoded: Decoded) {
        self.decoded = decoded;
    }
}

/// The inputs of decoding besides the bytes.
pub(crate) struct Context<'a> {
    pub bus: &'a Bus,
    /// The instructions that the core has.
    pub isa: Isa,
    pub model: Model,
    /// The registers: decoded code is about to execute.
    pub registers: &'a [u32; 16],
    /// The cycle in which the time of the run began that is about to execute, if any.
    pub base: Option<Cycle>,
}

impl Context<'_> {
    /// The memory that a load or store is about to access; the stack's memory if unknown.
    fn met_by(&self, op: &MicroOp) -> ProfileId {
        let address = op.address(self.registers);
        let places = [
            address,
            address.wrapping_sub(4),
            self.registers[13].wrapping_sub(4),
        ];
        let mut met = places.iter().filter_map(|&place| self.bus.profile_at(place));
        met.next().unwrap_or_default()
    }

    /// How a flash with wait states is expected to serve what a load reads from it; of one that was expected to be served in some way,
    /// that.
    fn foresight(&self, op: &MicroOp, shape: &Shape) -> Option<Foresight<'_>> {
        let flash = self.bus.flash().filter(|flash| flash.is_timed())?;
        let single = shape.class == Class::Load && shape.words == 1;
        if !single || !self.model.foresees_reads() || !self.bus.is_of_flash(op.profile) {
            return None;
        }
        if op.reads.is_some() {
            return Some(Foresight::As(op.reads));
        }
        // A literal is in the cache, but for the first time.
        if op.rn == Reg::PC.0 && flash.settings().data_cache {
            return Some(Foresight::As(Usual::CACHED));
        }
        let address = op.address(self.registers);
        Some(Foresight::From(flash, address, self.base?))
    }

    /// Cycles that the operands are about to decide.
    fn operand_cycles(&self, op: &MicroOp) -> u8 {
        let operand = |n: u8| self.registers[usize::from(n & 15)];
        op.by_operands.cycles([operand(op.rn), operand(op.rm)])
    }
}

impl Run {
    /// The run with this entry, with its first instruction.
    fn decode(entry: &Entry, context: &Context, known: &mut Lowered) -> Run {
        let code = context.bus.profile_at(entry.pc).unwrap_or_default();
        let (pc, pipe) = (entry.pc, entry.pipe);
        let mut run = Run {
            pc,
            end: pc,
            end_it: entry.it,
            ops: Vec::with_capacity(SHORT),
            sides: Vec::with_capacity(SHORT),
            after: pipe,
            span: 0,
            relied: RuleSet::EMPTY,
            asks: false,
            reach: pipe.next_word(),
            split: known.splits(pc),
            halts: known.halts(pc),
            code,
            early: Early::default(),
            jumped: false,
            corrections: 0,
            open: true,
        };
        if context.bus.region(pc).is_some() {
            run.grow(context, known);
        } else {
            run.push(context, Shape::undecodable(pc, 2), exec::lower_unmapped(pc));
            run.open = false;
        }
        run
    }

    /// Adds the instruction at its end.
    fn grow(&mut self, context: &Context, known: &mut Lowered) {
        self.open = !self.add_next(context, known) && self.goes_on(context, known);
    }

    /// Whether what stands at its end may belong to it.
    fn goes_on(&self, context: &Context, known: &Lowered) -> bool {
        // A run stays within one eighth of the address space, which is executable or not as a whole. An instruction at its very end, which
        // may reach into the next one, is a run of its own.
        let same_eighth = (self.end.wrapping_add(2) ^ self.pc) >> 29 == 0;
        let begins_anew = known.splits(self.end) || known.halts(self.end);
        let region = context.bus.region(self.pc);
        let inside = region.is_some_and(|region| region.contains(self.end));
        self.ops.len() < LONGEST && same_eighth && !begins_anew && inside
    }

    /// Decodes the instruction at the end; true if nothing can follow it in this run.
    fn add_next(&mut self, context: &Context, known: &mut Lowered) -> bool {
        let (pc, it) = (self.end, self.end_it);
        match lowered(known, pc, it, context) {
            Ok((mut op, mut shape)) => {
                if op.profile == ProfileId::NONE {
                    op.profile = context.met_by(&op);
                }
                op.expected = context.operand_cycles(&op);
                if let Some(from) = continuation(it)
                    && let Ok(insn) = fetch(context, pc)
                {
                    op.exec = resume;
                    shape.words = words_from(&insn, from);
                }
                self.push(context, shape, op);
                shape.class.always_jumps() && op.cond == Cond::Al as u8
            }
            Err((raw, size, error)) => {
                self.push(
                    context,
                    Shape::undecodable(pc, size),
                    exec::lower_error(raw, pc, size, &error),
                );
                true
            }
        }
    }

    /// Adds an instruction and works out its nominal cost, and that of jumping from it.
    fn push(&mut self, context: &Context, shape: Shape, mut op: MicroOp) {
        let before = self.after;
        let instr = Instr {
            op: &op,
            shape: &shape,
            code: self.code,
        };
        let foresight = context.foresight(&op, &shape);
        let facts = Facts {
            flash: foresight.map(|_| FlashRead { address: 0, bytes: 1 }),
            ..Facts::NONE
        };
        let met = instr.met((context.bus, context.model), &facts);
        let mut supply = Supply::at_once_from(context.bus.flash(), foresight);
        timing::prepare(&mut self.after, context.model, &shape, &mut supply);
        let ready = self.after;
        let timing = timing::step(&mut self.after, context.model, &shape, &met, &mut supply);
        op.reads = supply.foreseen();
        if op.reads.is_some()
            && let Ok(insn) = fetch(context, op.pc)
        {
            exec::lower_from_flash(&mut op, &insn);
        }
        op.start = timing.start as i32;
        op.access = (timing.access - timing.start) as u8;
        let straight = Told::new(&timing, timing.jump.is_some());
        let (mut jump, mut clean_below, mut jumped) = (None, 0, straight);
        let mut next_word = self.after.next_word();
        let asks = next_word != before.next_word();
        let mut asks_jumping = asks;
        if shape.class.may_jump() {
            let (leaving, clean, pipe) = jump_from(ready, context, &shape, &met);
            asks_jumping = pipe.next_word() != before.next_word();
            (jump, clean_below, jumped) = (leaving.jump, clean, Told::new(&leaving, true));
            next_word = jump.map_or(next_word, |jump| pipe.next_word_at(jump));
        }
        self.end = op.pc.wrapping_add(u32::from(op.size));
        self.end_it = op.it_after;
        self.span = timing.free;
        let (asked, relied) = (self.asks, self.relied);
        self.asks |= asks;
        self.relied = relied.union(straight.rules);
        let furthest = next_word.max(self.after.next_word());
        self.reach = self.reach.max(furthest);
        self.sides.push(Side {
            shape,
            before,
            straight,
            jumped,
            relied,
            asked: [asked, asks, asks_jumping],
            jump,
            clean_below,
            next_word,
            furthest,
        });
        self.ops.push(op);
    }

    /// The rules of these instructions, if each goes straight on, and whether any of them has words requested.
    #[inline]
    pub(crate) fn relied_on(&self, places: Range<usize>) -> (RuleSet, bool) {
        if places.start == 0 {
            let side = self.sides.get(places.end);
            return side.map_or((self.relied, self.asks), |side| (side.relied, side.asked[0]));
        }
        let sides = &self.sides[places];
        let rules = sides.iter().map(|side| side.straight.rules);
        (
            rules.fold(RuleSet::EMPTY, RuleSet::union),
            sides.iter().any(|side| side.asked[1]),
        )
    }

    /// The instruction at this place.
    pub(crate) fn instr(&self, index: usize) -> Instr<'_> {
        Instr {
            op: &self.ops[index],
            shape: &self.sides[index].shape,
            code: self.code,
        }
    }

    /// ITSTATE before its first instruction.
    pub(crate) fn it(&self) -> u8 {
        self.ops.first().map_or(self.end_it, |op| op.it)
    }

    /// The instruction at this place, and the pipeline before it, in the run's own time.
    pub(crate) fn before(&self, index: usize) -> (MicroOp, Pipe) {
        (self.ops[index], self.sides[index].before)
    }

    /// The pipeline before the instruction at this place, or after the last one.
    pub(crate) fn pipe_at(&self, index: usize) -> &Pipe {
        self.sides.get(index).map_or(&self.after, |side| &side.before)
    }

    /// Whether the instruction before this place has a varying duration, so that many exits lead to the rest.
    fn varies_before(&self, place: usize) -> bool {
        let op = place.checked_sub(1).and_then(|before| self.ops.get(before));
        op.is_some_and(|op| op.reads.is_some() || op.by_operands != timing::ByOperands::Not)
    }

    /// The first word that is requested while it is executed.
    pub(crate) fn first_word(&self) -> u32 {
        self.pipe_at(0).next_word()
    }

    /// When its first instruction can start, in its own time.
    pub(crate) fn begins(&self) -> Cycle {
        self.pipe_at(0).free()
    }

    /// How its first instruction is reached, if its time begins in cycle `base`.
    pub(crate) fn entered(&self, base: Cycle) -> Flow {
        Flow::Through(self.pipe_at(0).moved_by(base))
    }

    /// This run, recomputed with this instruction, which has another expectation.
    fn corrected(&self, index: usize, expecting: MicroOp, context: &Context) -> Run {
        let after = *self.pipe_at(0);
        let corrections = self.corrections + 1;
        let mut run = Run {
            end: self.pc,
            after,
            ops: vec![],
            sides: vec![],
            relied: RuleSet::EMPTY,
            asks: false,
            reach: 0,
            corrections,
            ..*self
        };
        for (place, (op, side)) in self.ops.iter().zip(&self.sides).enumerate() {
            run.push(context, side.shape, if place == index { expecting } else { *op });
        }
        run
    }
}

/// The timing of an instruction that jumps, whether nothing else is then under way, and the pipeline after it.
fn jump_from(before: Pipe, context: &Context, shape: &Shape, met: &Met) -> (Timing, u32, Pipe) {
    let (mut pipe, met) = (before, Met { taken: true, ..*met });
    let timing = timing::step(&mut pipe, context.model, shape, &met, &mut Supply::at_once());
    let clean = |path| {
        let mut target = pipe;
        timing.jump.is_some_and(|jump| {
            target.jump(0, jump, path, &mut Supply::at_once());
            target == Pipe::refilled(0, jump, path)
        })
    };
    let below = match (clean(timing::Path::default()), clean(timing::OVER_SYSTEM_BUS)) {
        (false, _) => 0,
        (true, false) => timing::CODE_END,
        (true, true) => u32::MAX,
    };
    (timing, below, pipe)
}
