//! The code cache: blocks, decoded instructions and memoised steps of a core.

use std::ops::Range;
use std::sync::Arc;

use bus::{ExpectedLatency, Flash, FlashResponse, ProfileId};
use events::{Pcs, RuleSet};
use exec::BlockCache;
use rustc_hash::FxHashMap;

use crate::exception::continuation;
use crate::microop::MicroOp;
use crate::timing::{self, Class, Cycle, EarlyRequest, PipelineState};

use super::step_cache::{NO_NODE, StepCache};
use super::{
    Block, BlockKey, CORRECTIONS, CachedBlock, DecodeContext, InsnCache, Links, NO_BLOCK, TABLE, UNKNOWN,
    lowered,
};

/// Everything decoded and timed so far.
#[derive(Clone, Default)]
pub(crate) struct CodeCache {
    pub(super) blocks: BlockCache<BlockKey, CachedBlock>,
    /// Pipeline states inside blocks, so that code after them is computed only once.
    inner_states: FxHashMap<BlockKey, (u32, usize)>,
    /// The block at each jump target, hashed by address; empty at first.
    by_target: Vec<u32>,
    /// Decoded instructions, and where blocks begin.
    pub(super) lowered: InsnCache,
    /// Memoised steps.
    pub steps: StepCache,
    /// States in [`CodeCache::steps`], by pipeline state and by the rules by which a flash served earlier requests for that instruction.
    step_states: FxHashMap<(BlockKey, RuleSet), u32>,
    /// Whether a flash had wait states when these were entered.
    timed: bool,
}

impl CodeCache {
    /// Sets where blocks begin; clears the cache if blocks may cross one of these addresses.
    pub(crate) fn set_split_points(&mut self, pcs: &Pcs, halts: &[u32]) {
        if self.lowered.set_split_points(pcs, halts) {
            self.clear();
        }
    }

    /// Clears all but the addresses where blocks begin.
    pub(crate) fn clear(&mut self) {
        *self = CodeCache {
            lowered: self.lowered.take_split_points(),
            timed: self.timed,
            ..CodeCache::default()
        };
    }

    /// The block at a jump target, if it is known.
    #[inline(always)]
    pub(crate) fn block_at_target(&self, pc: u32, early: EarlyRequest) -> Option<u32> {
        let id = *self.by_target.get(target_slot(pc, early))?;
        let block = &self.blocks.get(id)?.block;
        (block.pc == pc && block.early == early).then_some(id)
    }

    /// A block by its number.
    #[inline(always)]
    pub(crate) fn block(&self, id: u32) -> &Arc<Block> {
        &self.blocks[id].block
    }

    /// A block with its cached data.
    #[inline(always)]
    pub(crate) fn cached(&self, id: u32) -> &CachedBlock {
        &self.blocks[id]
    }

    /// A block with its cached data, to change.
    #[inline(always)]
    pub(crate) fn cached_mut(&mut self, id: u32) -> &mut CachedBlock {
        &mut self.blocks[id]
    }

    /// The number of the block with this key.
    pub(crate) fn find(&self, key: &BlockKey) -> Option<u32> {
        self.blocks.find(key)
    }

    /// Decodes the first instruction of the block with this key.
    pub(crate) fn decode(&mut self, key: &BlockKey, context: &DecodeContext) -> u32 {
        let block = Block::decode(key, context, &mut self.lowered);
        let id = self.blocks.add(*key, CachedBlock::new(block));
        self.end_at_known_state(id, context);
        id
    }

    /// Closes a block that was extended to a state in which another block continues; otherwise registers its end, for other blocks to
    /// continue there.
    fn end_at_known_state(&mut self, id: u32, context: &DecodeContext) {
        let place = self.blocks[id].block.ops.len();
        self.index_inner_states(id, place - 1..place, context);
        let block = &self.blocks[id].block;
        if !block.open || !block.varies_before(place) {
            return;
        }
        let (pc, it, pipe) = (block.end, block.end_it, block.after);
        let key = self.key(pc, it, &pipe, context);
        if self.blocks.find(&key).is_some() || self.inner_states.contains_key(&key) {
            Arc::make_mut(&mut self.blocks[id].block).open = false;
        } else {
            self.inner_states.insert(key, (id, place));
        }
    }

    /// The block and index at which this state occurs inside a block, and the cycle at which that block's time begins if it occurs in
    /// cycle `now`.
    pub(crate) fn position_within(
        &mut self,
        key: &BlockKey,
        now: Cycle,
        context: &DecodeContext,
    ) -> Option<(u32, usize, Cycle)> {
        if self.blocks.find(key).is_some() {
            return None;
        }
        let &(id, place) = self.inner_states.get(key)?;
        if place == self.block(id).ops.len() {
            if !self.block(id).open {
                return None;
            }
            self.extend(id, context);
        }
        Some((id, place, now - self.block(id).pipe_at(place).free()))
    }

    /// The block that begins in this state or contains it, and at which index.
    pub(crate) fn position_of(&self, key: &BlockKey) -> Option<(u32, usize)> {
        let begins = self.blocks.find(key).map(|id| (id, 0));
        let known = begins.or_else(|| self.inner_states.get(key).copied());
        known.filter(|&(id, place)| place < self.block(id).ops.len())
    }

    /// The key of the instruction at `pc` with this pipeline state.
    pub(crate) fn key(&mut self, pc: u32, it: u8, pipe: &PipelineState, context: &DecodeContext) -> BlockKey {
        let timed = context.bus.flash().is_some_and(Flash::is_timed);
        let known = lowered(&mut self.lowered, pc, it, context);
        let pipe = match known {
            Ok((_, shape)) => timing::state_before(pipe, context.model, &shape, timed),
            Err(_) => pipe.relative_to(pipe.free()),
        };
        BlockKey { pc, it, pipe }
    }

    /// Notes that a block is entered at this index.
    pub(crate) fn enter_at(&mut self, id: u32, index: usize, flash: Option<&Flash>) {
        let cached = &mut self.blocks[id];
        cached.skipped = flash.map_or(0, |flash| cached.lines_before(index, flash));
    }

    /// Adds an instruction to a block.
    #[cold]
    pub(crate) fn extend(&mut self, id: u32, context: &DecodeContext) {
        self.blocks[id].extend(context, &mut self.lowered);
        self.end_at_known_state(id, context);
    }

    /// The step state for this key; `early` if a jump led there and nothing else is in flight. `None` for an instruction that cannot be
    /// memoised.
    pub(crate) fn step_state(
        &mut self,
        key: &BlockKey,
        fetched: RuleSet,
        early: Option<EarlyRequest>,
        context: &DecodeContext,
    ) -> Option<u32> {
        if let Some(&known) = self.step_states.get(&(*key, fetched)) {
            return Some(known).filter(|&known| known != NO_NODE);
        }
        let new = self.new_step_state(key, early, context);
        if let Some(new) = new {
            let state = &mut self.steps.states[new as usize];
            (state.fetched, state.split) = (fetched, self.lowered.splits(key.pc));
        }
        self.step_states.insert((*key, fetched), new.unwrap_or(NO_NODE));
        new
    }

    fn new_step_state(
        &mut self,
        key: &BlockKey,
        early: Option<EarlyRequest>,
        context: &DecodeContext,
    ) -> Option<u32> {
        let code = context.bus.profile_at(key.pc)?;
        let (mut op, shape) = lowered(&mut self.lowered, key.pc, key.it, context).ok()?;
        let slow = shape.class == Class::Multiply && context.model.multiplies_slowly();
        if slow || self.lowered.halts(key.pc) || continuation(key.it).is_some() {
            return None;
        }
        if op.profile == ProfileId::NONE {
            op.profile = context.profile_met(&op);
        }
        Some(self.steps.add(key, early, (op, shape), code))
    }

    /// The step state before an instruction of a block.
    pub(crate) fn step_state_in(&mut self, block: u32, index: usize, context: &DecodeContext) -> Option<u32> {
        let cached = &self.blocks[block];
        if let Some(&known) = cached.states.get(index)
            && known != UNKNOWN
        {
            return Some(known).filter(|&known| known != NO_NODE);
        }
        let (op, pipe) = (&cached.block.ops[index], cached.block.insns[index].before);
        let early = (index == 0 && cached.block.jumped).then_some(cached.block.early);
        let (pc, it) = (op.pc, op.it);
        let key = self.key(pc, it, &pipe, context);
        let usual = !self.timed || !pipe.lags();
        let state = if usual {
            self.step_state(&key, RuleSet::EMPTY, early, context)
        } else {
            None
        };
        let states = &mut self.blocks[block].states;
        if states.len() <= index {
            states.resize(index + 1, UNKNOWN);
        }
        states[index] = state.unwrap_or(NO_NODE);
        state
    }

    /// Clears everything when the flash gained or lost its wait states, and the steps when there are too many. Returns whether block
    /// numbers have changed.
    pub(crate) fn evict(&mut self, timed: bool) -> bool {
        if timed != self.timed {
            self.clear();
            self.timed = timed;
            return true;
        }
        if self.steps.is_full() {
            self.steps = StepCache::default();
            self.step_states.clear();
            for cached in self.blocks.iter_mut() {
                cached.states.clear();
            }
        }
        false
    }

    /// Registers a block for [`CodeCache::block_at_target`].
    pub(crate) fn set_target(&mut self, key: &BlockKey, early: EarlyRequest, id: u32) {
        if key.it == 0 {
            self.by_target.resize(TABLE, NO_BLOCK);
            self.by_target[target_slot(key.pc, early)] = id;
            if let Some(block) = Arc::get_mut(&mut self.blocks[id].block) {
                (block.early, block.jumped) = (early, true);
            }
        }
    }

    /// Corrects the memory that an instruction is expected to access.
    pub(crate) fn expect_profile(
        &mut self,
        id: u32,
        index: usize,
        profile: ProfileId,
        context: &DecodeContext,
    ) {
        let op = MicroOp {
            profile,
            reads: ExpectedLatency::NONE,
            ..self.block(id).ops[index]
        };
        self.correct(id, index, op, context);
    }

    /// Corrects how an instruction is expected to be served by the flash.
    pub(crate) fn expect_read(
        &mut self,
        id: u32,
        index: usize,
        served: FlashResponse,
        context: &DecodeContext,
    ) {
        let op = MicroOp {
            reads: ExpectedLatency::of(served),
            ..self.block(id).ops[index]
        };
        self.correct(id, index, op, context);
    }

    fn correct(&mut self, id: u32, index: usize, op: MicroOp, context: &DecodeContext) {
        let cached = &mut self.blocks[id];
        if cached.block.corrections < CORRECTIONS {
            *cached = CachedBlock::new(cached.block.corrected(index, op, context));
            self.forget_inner_states(id);
            let places = 0..self.block(id).ops.len();
            self.index_inner_states(id, places, context);
        }
    }

    /// Forgets the pipeline states inside a block.
    fn forget_inner_states(&mut self, id: u32) {
        self.inner_states.retain(|_, &mut (block, _)| block != id);
        self.steps.forget_inner_states(id);
        for cached in self.blocks.iter_mut() {
            if cached.links.lead_into(id) {
                cached.links = Links::default();
            }
        }
    }

    /// Registers the pipeline states inside a block, except those known elsewhere.
    fn index_inner_states(&mut self, id: u32, places: Range<usize>, context: &DecodeContext) {
        for place in places.start.max(1)..places.end {
            let block = self.block(id);
            let (pc, it, pipe) = (
                block.ops[place].pc,
                block.ops[place].it,
                block.insns[place].before,
            );
            let key = self.key(pc, it, &pipe, context);
            self.inner_states.entry(key).or_insert((id, place));
        }
    }
}

fn target_slot(pc: u32, early: EarlyRequest) -> usize {
    ((pc >> 1) as usize ^ usize::from(early.cycles) << 10) & (TABLE - 1)
}
