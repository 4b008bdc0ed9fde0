//! Basic blocks: straight-line code, decoded once, with a cost that is computed once and reused.
//!
//! A block begins at a jump target, where a full pipeline starts, or where another block reached its maximum length. It follows the path
//! on which no branch is taken. Its [`BlockKey`] fixes the pipeline state, so the cost of its instructions follows from the expected
//! facts: wait states, operands and conditions are as each [`MicroOp`] expects. At the first instruction that meets something else the
//! engine leaves the block and continues from [`InsnTiming::before`], the exact pipeline state there.
//!
//! An instruction is added to a block just before its first execution there. So nothing is computed that is never reached, and the first
//! execution sets the expectations.

mod cached;
mod code_cache;
mod facts;
mod insn_cache;
mod links;
mod step_cache;
#[cfg(test)]
mod tests;
mod trace;

use std::ops::Range;

use bus::{Bus, ExpectedLatency, ProfileId};
use events::{Costs, RuleSet};
use isa_thumb::{Cond, Isa, Reg};

use crate::exception::{continuation, words_from};
use crate::microop::{Decoder, MicroOp};
use crate::state::Deviation;
use crate::state::Flow;
pub(crate) use cached::CachedBlock;
pub(crate) use code_cache::CodeCache;
use insn_cache::{InsnCache, fetch, lowered};
pub(crate) use links::{Edge, Link, Links, PendingLink};
pub(crate) use step_cache::{
    EffectTimes, NO_NODE, StepCache, StepKey, StepNode, StepOutcome, StepRecord, StepResult, StepState,
};
pub(crate) use trace::{ExecutedStep, Trace, TraceRequest, TraceStep};

use crate::timing::{
    self, Class, Cycle, EarlyRequest, FlashRead, Jump, Model, PipelineState, ReadPrediction, RuntimeFacts,
    Shape, Supply, Timing,
};

/// Maximum number of instructions in a block.
const LONGEST: usize = 128;
/// Initial capacity in instructions.
const SHORT: usize = 8;
/// Entries of the table that maps jump targets to blocks.
const TABLE: usize = 1 << 14;
pub(crate) const NO_BLOCK: u32 = u32::MAX;
/// Marks a step state that nobody has asked for yet.
const UNKNOWN: u32 = u32::MAX - 1;
/// Maximum number of corrected expectations in a block. An instruction that keeps alternating between memories gains nothing from more.
const CORRECTIONS: u32 = 8;

/// Cycle, relative to the block, by which the target of the jump to it must be requested.
pub(crate) const REQUEST: Cycle = -1;

/// The identity of a block: address, ITSTATE and pipeline state at its start.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BlockKey {
    pub pc: u32,
    pub it: u8,
    pub pipe: PipelineState,
}

/// Timing of one instruction of a block. All cycles are relative to the block.
#[derive(Clone)]
pub(crate) struct InsnTiming {
    pub shape: Shape,
    /// Pipeline state before it.
    pub before: PipelineState,
    /// Event data if execution continues with the next instruction.
    pub straight: EventTiming,
    /// Event data if it jumps.
    pub jumped: EventTiming,
    /// Rules of all instructions before it.
    pub rules_used: RuleSet,
    /// Whether words are requested: by any earlier instruction; by this one; by this one if it jumps.
    pub asked: [bool; 3],
    /// How the target of a jump from here is fetched.
    pub jump: Option<Jump>,
    /// Jumps from here to addresses below this one leave a clean pipeline: nothing else is in flight.
    pub clean_below: u32,
    /// Number of the word after the last one requested by the end of the instruction, or by the request of its jump target.
    pub next_word: u32,
    /// Number of the word after the last one requested, jump or not.
    furthest: u32,
}

impl InsnTiming {
    /// Whether a jump from here to this address leaves a clean pipeline.
    #[inline]
    pub(crate) fn is_clean(&self, target: u32) -> bool {
        target < self.clean_below
    }
}

/// Timing and costs of an instruction, as its event needs them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventTiming {
    /// First cycle in the execute stage.
    pub start: Cycle,
    /// First cycle in which the next instruction can start.
    pub end: Cycle,
    pub costs: Costs,
    pub rules: RuleSet,
}

impl EventTiming {
    /// No event data.
    pub(crate) const NONE: EventTiming = EventTiming {
        start: 0,
        end: 0,
        costs: Costs::NONE,
        rules: RuleSet::EMPTY,
    };

    /// Makes its cycles relative to cycle `base`.
    pub(crate) fn since(self, base: Cycle) -> EventTiming {
        EventTiming {
            start: self.start - base,
            end: self.end - base,
            ..self
        }
    }

    /// The event data of an instruction, including its refill if it `jumped`.
    pub(crate) fn new(timing: &Timing, jumped: bool) -> EventTiming {
        let jump = timing.jump.filter(|_| jumped);
        EventTiming {
            start: timing.start,
            end: jump.map_or(timing.free, Jump::end),
            costs: timing.costs(jump.is_some()),
            rules: timing.rules,
        }
    }
}

/// An instruction with everything that its timing needs.
#[derive(Clone, Copy)]
pub(crate) struct Instr<'a> {
    pub op: &'a MicroOp,
    pub shape: &'a Shape,
    /// The memory that it is fetched from.
    pub code: ProfileId,
}

/// A basic block. All cycles are relative to the block.
#[derive(Clone)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub(crate) struct Block {
    pub pc: u32,
    /// Address after its last instruction, and ITSTATE there.
    pub end: u32,
    pub end_it: u8,
    pub ops: Vec<MicroOp>,
    pub insns: Vec<InsnTiming>,
    /// Pipeline state after its last instruction.
    pub after: PipelineState,
    /// First cycle after its last instruction.
    pub span: Cycle,
    /// Rules of all its instructions.
    pub rules_used: RuleSet,
    /// Whether any instruction requests words.
    pub requests_words: bool,
    /// Number of the word after the last one requested.
    reach: u32,
    /// Whether a sink asks, or once asked, for its first instruction.
    pub split: bool,
    /// Whether the debugger halts before its first instruction.
    pub halts: bool,
    /// The memory that it is fetched from.
    pub code: ProfileId,
    /// How early the jump to it requested its target ([`Jump::early`]).
    early: EarlyRequest,
    /// Whether a jump leads here.
    pub jumped: bool,
    /// Number of corrected expectations.
    corrections: u32,
    /// Whether it can still grow.
    pub open: bool,
}

/// The decoded code of a core. The engine takes the cache out while it executes, so that handlers can report writes to code.
#[derive(Clone, Default)]
pub(crate) struct Code {
    cache: CodeCache,
    /// First and last byte written where code may have been decoded.
    written: Option<(u32, u32)>,
}

impl Code {
    /// Marks all code as possibly changed. The engine drops all blocks before the next instruction.
    pub(crate) fn invalidate(&mut self) {
        self.written = Some((0, u32::MAX));
    }

    /// Marks bytes of a memory that holds code as written.
    pub(crate) fn write(&mut self, address: u32, size: u32) {
        let last = address.saturating_add(size - 1);
        let (first, end) = self.written.unwrap_or((address, last));
        self.written = Some((first.min(address), end.max(last)));
    }

    /// Whether code may have been written.
    pub(crate) fn is_stale(&self) -> bool {
        self.written.is_some()
    }

    /// Clears a cache that was taken out, if its code was written.
    pub(crate) fn refresh(&mut self, cache: &mut CodeCache) {
        if let Some((first, last)) = self.written.take()
            && cache.lowered.code.touches(first, last)
        {
            cache.clear();
        }
    }

    /// Takes the cache out.
    pub(crate) fn take(&mut self) -> CodeCache {
        let mut cache = std::mem::take(&mut self.cache);
        self.refresh(&mut cache);
        cache
    }

    /// Checks the decoded code after memory was restored to an earlier state.
    pub(crate) fn check(&mut self, bus: &Bus) {
        let word = |address| bus.peek_word(address).unwrap_or_default();
        if !self.cache.lowered.code.is_same(word) {
            self.invalidate();
        }
    }

    pub(crate) fn put_back(&mut self, cache: CodeCache) {
        self.cache = cache;
    }
}

/// Everything besides the code bytes that decoding depends on.
pub(crate) struct DecodeContext<'a> {
    pub bus: &'a Bus,
    /// The handlers of instructions.
    pub decoder: &'static Decoder,
    /// The core's instruction set.
    pub isa: Isa,
    pub model: Model,
    /// The registers. Decoded code is about to execute, so these are its inputs.
    pub registers: &'a [u32; 16],
    /// The cycle at which the time of the block that is about to execute begins, if there is one.
    pub base: Option<Cycle>,
}

impl DecodeContext<'_> {
    /// The memory that a load or store is about to access, or that of the stack if unknown.
    fn profile_met(&self, op: &MicroOp) -> ProfileId {
        let address = op.address(self.registers);
        let places = [
            address,
            address.wrapping_sub(4),
            self.registers[13].wrapping_sub(4),
        ];
        let mut facts = places.iter().filter_map(|&place| self.bus.profile_at(place));
        facts.next().unwrap_or_default()
    }

    /// How a flash with wait states is expected to serve a load: as it was expected before, or else as it would be served now.
    fn prediction(&self, op: &MicroOp, shape: &Shape) -> Option<ReadPrediction<'_>> {
        let flash = self.bus.flash().filter(|flash| flash.is_timed())?;
        let single = shape.class == Class::Load && shape.words == 1;
        if !single || !self.model.predicts_reads() || !self.bus.is_of_flash(op.profile) {
            return None;
        }
        if op.reads.is_some() {
            return Some(ReadPrediction::As(op.reads));
        }
        // Literals are cached after their first use.
        if op.rn == Reg::PC.0 && flash.settings().data_cache {
            return Some(ReadPrediction::As(ExpectedLatency::CACHED));
        }
        let address = op.address(self.registers);
        Some(ReadPrediction::From(flash, address, self.base?))
    }

    /// The cycles of an instruction whose duration depends on its operands.
    fn operand_cycles(&self, op: &MicroOp) -> u8 {
        let operand = |n: u8| self.registers[usize::from(n & 15)];
        op.by_operands.cycles([operand(op.rn), operand(op.rm)])
    }
}

impl Block {
    /// Decodes the first instruction of the block with this key.
    fn decode(entry: &BlockKey, context: &DecodeContext, known: &mut InsnCache) -> Block {
        let code = context.bus.profile_at(entry.pc).unwrap_or_default();
        let (pc, pipe) = (entry.pc, entry.pipe);
        let mut block = Block {
            pc,
            end: pc,
            end_it: entry.it,
            ops: Vec::with_capacity(SHORT),
            insns: Vec::with_capacity(SHORT),
            after: pipe,
            span: 0,
            rules_used: RuleSet::EMPTY,
            requests_words: false,
            reach: pipe.next_word(),
            split: known.splits(pc),
            halts: known.halts(pc),
            code,
            early: EarlyRequest::default(),
            jumped: false,
            corrections: 0,
            open: true,
        };
        if context.bus.region(pc).is_some() {
            block.extend(context, known);
        } else {
            block.push(
                context,
                Shape::undecodable(pc, 2),
                (context.decoder.lower_unmapped)(pc),
            );
            block.open = false;
        }
        block
    }

    /// Decodes and adds the next instruction.
    fn extend(&mut self, context: &DecodeContext, known: &mut InsnCache) {
        self.open = !self.add_next(context, known) && self.may_extend(context, known);
    }

    /// Whether the instruction at its end may still belong to it.
    fn may_extend(&self, context: &DecodeContext, known: &InsnCache) -> bool {
        // A block stays within one eighth of the address space, which is executable as a whole or not at all. An instruction that may
        // cross such a boundary is a block of its own.
        let same_eighth = (self.end.wrapping_add(2) ^ self.pc) >> 29 == 0;
        let begins_anew = known.splits(self.end) || known.halts(self.end);
        let region = context.bus.region(self.pc);
        let inside = region.is_some_and(|region| region.contains(self.end));
        self.ops.len() < LONGEST && same_eighth && !begins_anew && inside
    }

    /// Decodes the instruction at the end. Returns whether the block ends with it.
    fn add_next(&mut self, context: &DecodeContext, known: &mut InsnCache) -> bool {
        let (pc, it) = (self.end, self.end_it);
        match lowered(known, pc, it, context) {
            Ok((mut op, mut shape)) => {
                if op.profile == ProfileId::NONE {
                    op.profile = context.profile_met(&op);
                }
                op.expected = context.operand_cycles(&op);
                if let Some(from) = continuation(it)
                    && let Ok(insn) = fetch(context, pc)
                {
                    op.exec = context.decoder.resume;
                    shape.words = words_from(&insn, from);
                }
                self.push(context, shape, op);
                shape.class.always_jumps() && op.cond == Cond::Al as u8
            }
            Err((raw, size, error)) => {
                self.push(
                    context,
                    Shape::undecodable(pc, size),
                    (context.decoder.lower_error)(raw, pc, size, &error),
                );
                true
            }
        }
    }

    /// Adds an instruction and computes its expected cost, with and without a jump.
    fn push(&mut self, context: &DecodeContext, shape: Shape, mut op: MicroOp) {
        let before = self.after;
        let instr = Instr {
            op: &op,
            shape: &shape,
            code: self.code,
        };
        let prediction = context.prediction(&op, &shape);
        let deviation = Deviation {
            flash: prediction.map(|_| FlashRead { address: 0, bytes: 1 }),
            ..Deviation::NONE
        };
        let facts = instr.runtime_facts((context.bus, context.model), &deviation);
        let mut supply = Supply::immediate_from(context.bus.flash(), prediction);
        timing::prepare(&mut self.after, context.model, &shape, &mut supply);
        let ready = self.after;
        let timing = timing::step(&mut self.after, context.model, &shape, &facts, &mut supply);
        op.reads = supply.predicted();
        if op.reads.is_some()
            && let Ok(insn) = fetch(context, op.pc)
        {
            (context.decoder.expect_flash)(&mut op, &insn);
        }
        op.start = timing.start as i32;
        op.access = (timing.access - timing.start) as u8;
        let straight = EventTiming::new(&timing, timing.jump.is_some());
        let (mut jump, mut clean_below, mut jumped) = (None, 0, straight);
        let mut next_word = self.after.next_word();
        let requests_words = next_word != before.next_word();
        let mut asks_jumping = requests_words;
        if shape.class.may_jump() {
            let (pending, clean, pipe) = jump_from(ready, context, &shape, &facts);
            asks_jumping = pipe.next_word() != before.next_word();
            (jump, clean_below, jumped) = (pending.jump, clean, EventTiming::new(&pending, true));
            next_word = jump.map_or(next_word, |jump| pipe.next_word_at(jump));
        }
        self.end = op.pc.wrapping_add(u32::from(op.size));
        self.end_it = op.it_after;
        self.span = timing.free;
        let (asked, rules_used) = (self.requests_words, self.rules_used);
        self.requests_words |= requests_words;
        self.rules_used = rules_used.union(straight.rules);
        let furthest = next_word.max(self.after.next_word());
        self.reach = self.reach.max(furthest);
        self.insns.push(InsnTiming {
            shape,
            before,
            straight,
            jumped,
            rules_used,
            asked: [asked, requests_words, asks_jumping],
            jump,
            clean_below,
            next_word,
            furthest,
        });
        self.ops.push(op);
    }

    /// The rules of these instructions, if none jumps, and whether any of them requests words.
    #[inline]
    pub(crate) fn rules_of(&self, places: Range<usize>) -> (RuleSet, bool) {
        if places.start == 0 {
            let insn = self.insns.get(places.end);
            return insn.map_or((self.rules_used, self.requests_words), |insn| {
                (insn.rules_used, insn.asked[0])
            });
        }
        let insns = &self.insns[places];
        let rules = insns.iter().map(|insn| insn.straight.rules);
        (
            rules.fold(RuleSet::EMPTY, RuleSet::union),
            insns.iter().any(|insn| insn.asked[1]),
        )
    }

    /// The instruction at this index.
    pub(crate) fn instr(&self, index: usize) -> Instr<'_> {
        Instr {
            op: &self.ops[index],
            shape: &self.insns[index].shape,
            code: self.code,
        }
    }

    /// ITSTATE before the first instruction.
    pub(crate) fn it(&self) -> u8 {
        self.ops.first().map_or(self.end_it, |op| op.it)
    }

    /// The instruction at this index and the pipeline state before it.
    pub(crate) fn before(&self, index: usize) -> (MicroOp, PipelineState) {
        (self.ops[index], self.insns[index].before)
    }

    /// The pipeline state before the instruction at this index, or after the last one.
    pub(crate) fn pipe_at(&self, index: usize) -> &PipelineState {
        self.insns.get(index).map_or(&self.after, |insn| &insn.before)
    }

    /// Whether the instruction before this index varies in duration, so that many pipeline states lead on from there.
    fn varies_before(&self, place: usize) -> bool {
        let op = place.checked_sub(1).and_then(|before| self.ops.get(before));
        op.is_some_and(|op| op.reads.is_some() || op.by_operands != timing::ByOperands::Not)
    }

    /// Number of the first word that it requests.
    pub(crate) fn first_word(&self) -> u32 {
        self.pipe_at(0).next_word()
    }

    /// Cycle in which its first instruction can start.
    pub(crate) fn start(&self) -> Cycle {
        self.pipe_at(0).free()
    }

    /// How its first instruction is reached, if its time begins in cycle `base`.
    pub(crate) fn flow_at(&self, base: Cycle) -> Flow {
        Flow::Through(self.pipe_at(0).moved_by(base))
    }

    /// This block, recomputed with a corrected expectation for one instruction.
    fn corrected(&self, index: usize, expecting: MicroOp, context: &DecodeContext) -> Block {
        let after = *self.pipe_at(0);
        let corrections = self.corrections + 1;
        let mut block = Block {
            end: self.pc,
            after,
            ops: vec![],
            insns: vec![],
            rules_used: RuleSet::EMPTY,
            requests_words: false,
            reach: 0,
            corrections,
            ..*self
        };
        for (place, (op, insn)) in self.ops.iter().zip(&self.insns).enumerate() {
            block.push(context, insn.shape, if place == index { expecting } else { *op });
        }
        block
    }
}

/// The timing of a jump, the address below which its target leaves a clean pipeline, and the pipeline after it.
fn jump_from(
    before: PipelineState,
    context: &DecodeContext,
    shape: &Shape,
    facts: &RuntimeFacts,
) -> (Timing, u32, PipelineState) {
    let (mut pipe, facts) = (
        before,
        RuntimeFacts {
            taken: true,
            ..*facts
        },
    );
    let timing = timing::step(&mut pipe, context.model, shape, &facts, &mut Supply::immediate());
    let clean = |path| {
        let mut target = pipe;
        timing.jump.is_some_and(|jump| {
            target.jump(0, jump, path, &mut Supply::immediate());
            target == PipelineState::refilled(0, jump, path)
        })
    };
    let below = match (clean(timing::Path::default()), clean(timing::OVER_SYSTEM_BUS)) {
        (false, _) => 0,
        (true, false) => timing::CODE_END,
        (true, true) => u32::MAX,
    };
    (timing, below, pipe)
}
