//! The fast path: whole blocks at their known cost.

use super::cursor::{BlockCursor, BlockPosition, Executed, RunLimits, StepCursor, Stop, Unaccounted};
use crate::state::Flow;
use bus::{Flash, FlashResponse};
use events::{RuleSet, Sink};

use crate::access::may_run_blocks_at;
use crate::block::{Block, CachedBlock, CodeCache, Edge, Link, PendingLink, REQUEST};
use crate::core::Core;
use crate::engine::chain::ChainExit;
use crate::engine::memoised::StepStop;
use crate::microop::{MicroOp, Step};
use crate::state::Deviation;
use crate::timing::{Cycle, Jump};

/// Why no further block is executed.
#[expect(
    clippy::large_enum_variant,
    reason = "it is looked at once and dropped; a box would allocate on the way of an instruction"
)]
enum BlockStop {
    /// No block can begin with the instruction at R15.
    Otherwise,
    /// An instruction of a block did something unexpected.
    Unaccounted(Unaccounted),
    /// This instruction of a block, whose time began in this cycle, needs a step of its own.
    Step(u32, usize, Cycle),
    /// The MPU may forbid the fetch at R15.
    Checked,
    /// The program changed a condition of the fast path. Execution continues at R15.
    Changed,
}

/// Why a block is not executed; as in [`BlockStop`].
enum NotEntered {
    /// The next instruction needs a step of its own.
    Before,
    Checked,
    Changed,
}

/// What the engine does next.
pub(super) enum NextAction {
    /// Take the slow path for the instruction at R15, reached by `Core::flow`.
    SlowPath,
    /// Account for an executed instruction on the slow path.
    Account(Box<Unaccounted>),
    /// Continue at R15, after a due event.
    Look,
}

impl Core {
    /// Executes blocks and memoised steps while nothing is due.
    pub(super) fn fast_path(
        &mut self,
        cache: &mut CodeCache,
        until: Cycle,
        sink: &mut dyn Sink,
    ) -> Result<NextAction, Stop> {
        if !self.may_use_blocks() {
            return Ok(NextAction::SlowPath);
        }
        let deadline = self.deadline(until);
        let mut limits = RunLimits { until, deadline };
        self.fetched_by = RuleSet::EMPTY;
        if cache.evict(self.bus.flash().is_some_and(Flash::is_timed)) {
            self.pending_link = None;
        }
        let mut from = None;
        loop {
            self.in_fast_path = true;
            let out = if self.emitter.all() {
                self.run_blocks::<true>(cache, from.take(), &mut limits, sink)
            } else {
                self.run_blocks::<false>(cache, from.take(), &mut limits, sink)
            };
            self.in_fast_path = false;
            let cursor = match out {
                BlockStop::Unaccounted(left) if self.emitter.paused => {
                    return Ok(NextAction::Account(Box::new(left)));
                }
                _ if self.emitter.paused => return Ok(NextAction::SlowPath),
                BlockStop::Changed => return Ok(NextAction::Look),
                BlockStop::Checked => return Ok(NextAction::SlowPath),
                BlockStop::Otherwise => self.step_cursor(cache),
                BlockStop::Step(block, index, base) => self.cursor_in_block(cache, block, index, base),
                BlockStop::Unaccounted(left) => match self.cursor_after_execution(cache, &left) {
                    Some(cursor) => Some(cursor),
                    None => return Ok(NextAction::Account(Box::new(left))),
                },
            };
            let Some(cursor) = cursor else {
                return Ok(NextAction::SlowPath);
            };
            match self.run_memoised(cache, cursor, &mut limits, sink)? {
                StepStop::Block(block, place, base) => from = Some((block, place, base)),
                StepStop::Elsewhere => return Ok(NextAction::Look),
                StepStop::Checked => return Ok(NextAction::SlowPath),
            }
        }
    }

    /// The step state before an instruction of a block whose time began in cycle `base`.
    fn cursor_in_block(
        &mut self,
        cache: &mut CodeCache,
        block: u32,
        index: usize,
        base: Cycle,
    ) -> Option<StepCursor> {
        let (op, before) = cache.block(block).before(index);
        if let Some(state) = cache.step_state_in(block, index, &self.context()) {
            let base = base + before.free();
            let executed = None;
            return Some(StepCursor {
                state,
                base,
                executed,
            });
        }
        self.resume_before(&op, before.moved_by(base));
        self.step_cursor(cache)
    }

    /// The step state before an instruction that was executed.
    fn cursor_after_execution(&mut self, cache: &mut CodeCache, left: &Unaccounted) -> Option<StepCursor> {
        let usual = matches!(left.step, Step::Irregular | Step::Branch | Step::Attention);
        let usual = usual && self.deviation.profile.is_none();
        if !usual {
            return None;
        }
        let BlockPosition { block, index, pipe } = &left.place;
        let state = cache.step_state_in(*block, *index, &self.context())?;
        // Its deviation is relative to the block's expectation.
        let expected = cache.block(*block).ops[*index].profile;
        if !cache.steps.expects_profile(state, expected) {
            return None;
        }
        Some(StepCursor {
            state,
            base: pipe.free(),
            executed: Some(Executed {
                step: left.step,
                key: None,
            }),
        })
    }

    /// Executes blocks while each ends before an event is due. `from`: the first block, the index to start at, and the cycle at which its
    /// time began. `ALL`: emits every instruction.
    fn run_blocks<const ALL: bool>(
        &mut self,
        cache: &mut CodeCache,
        mut from: Option<(u32, usize, Cycle)>,
        limits: &mut RunLimits,
        sink: &mut dyn Sink,
    ) -> BlockStop {
        loop {
            let Some(mut at) = self.first_block(cache, from.take()) else {
                return BlockStop::Otherwise;
            };
            let epoch = self.bus.flash().map_or(0, Flash::epoch);
            let timed = self.bus.flash().is_some_and(Flash::is_timed);
            loop {
                let (index, step) = match self.run_from::<ALL>(cache, &mut at, (timed, epoch), limits, sink) {
                    Ok(left) => left,
                    Err(NotEntered::Changed) => return BlockStop::Changed,
                    Err(NotEntered::Checked) => return BlockStop::Checked,
                    Err(NotEntered::Before) => return BlockStop::Step(at.block, at.first, at.base),
                };
                let BlockCursor { block: id, base, .. } = at;
                let cached = cache.cached_mut(id);
                let block = &*cached.block;
                if step == Step::Next {
                    if index < block.ops.len() {
                        return self.leave_for_step(cached, (id, index), base);
                    }
                    if block.open && !self.emitter.paused {
                        cache.extend(id, &self.context_at(base));
                        (at.first, at.skipped) = (index, None);
                        continue;
                    }
                }
                let emits = ALL || index == 0 && self.observes_start_of(block);
                let (limit, tells) = ((base, limits.deadline), (emits, &mut *sink));
                let next = if timed {
                    self.next_block::<true>(cache, (id, index), step, limit, tells)
                } else {
                    self.next_block::<false>(cache, (id, index), step, limit, tells)
                };
                if let Some(next) = next {
                    at = next;
                    if let Some(skipped) = at.skipped.take() {
                        cache.cached_mut(at.block).skipped = skipped;
                    }
                    let attends = step == Step::Attention;
                    if attends && !self.may_continue_at(cache.block(at.block), at.first, at.base, limits) {
                        return BlockStop::Changed;
                    }
                    continue;
                }
                let since = timed.then_some(epoch);
                match self.leave_block(cache, (id, index, base), step, since, emits.then_some(&mut *sink)) {
                    Some(left) => return BlockStop::Unaccounted(left),
                    None => break,
                }
            }
        }
    }

    /// The first block to execute, which may be given by [`Core::run_blocks`]; links the block that was left to it.
    fn first_block(
        &mut self,
        cache: &mut CodeCache,
        from: Option<(u32, usize, Cycle)>,
    ) -> Option<BlockCursor> {
        // The index skips instructions of the block that were executed already.
        let (block, first, base) = match from {
            Some(from) => from,
            None if !may_run_blocks_at(self.regs.r[15]) || self.waits_for_flash() => return None,
            None => self.enter_block(cache),
        };
        if let Some(left) = self.pending_link.take() {
            cache.add_link(&left, (block, first), base, &self.context_at(left.base));
        }
        cache.enter_at(block, first, self.bus.flash());
        Some(BlockCursor {
            block,
            first,
            base,
            skipped: None,
        })
    }

    /// Leaves a block without a link, at this instruction or its end. `since`: the epoch of a flash with wait states. Returns an
    /// instruction that is still to be accounted for.
    fn leave_block(
        &mut self,
        cache: &mut CodeCache,
        (id, index, base): (u32, usize, Cycle),
        step: Step,
        since: Option<u64>,
        sink: Option<&mut (dyn Sink + '_)>,
    ) -> Option<Unaccounted> {
        let cached = cache.cached_mut(id);
        if let Some(jump) = self.computed_jump(&cached.block, index, step) {
            if since.is_some() {
                self.take_computed_jump::<true>(cached, index, base, sink);
            } else {
                self.take_computed_jump::<false>(cached, index, base, sink);
            }
            self.cycle = (base + jump.end()) as u64;
            self.flow = Flow::Jumped(Jump {
                request: base + jump.request,
                ..jump
            });
            return None;
        }
        let edge = self.edge(&cached.block, index, step);
        if let Some(Edge::Read(served)) = edge
            && cached.is_read_differently(index, served)
        {
            return Some(self.expect_read(cache, (id, index), served, base));
        }
        self.pending_link = edge.map(|edge| PendingLink::new(id, index, edge, base, since));
        let Some(insn) = cached.block.insns.get(index) else {
            self.resume_after_block(cached, base);
            return None;
        };
        if since.is_some() {
            cached.touch(insn.before.next_word(), self.bus.flash_mut());
        }
        let place = BlockPosition {
            block: id,
            index,
            pipe: insn.before.moved_by(base),
        };
        Some(Unaccounted { place, step })
    }

    /// Continues after a block whose time began in cycle `base`.
    fn resume_after_block(&mut self, cached: &CachedBlock, base: Cycle) {
        let block = &*cached.block;
        cached.touch(block.after.next_word(), self.bus.flash_mut());
        (self.regs.r[15], self.regs.it) = (block.end, block.end_it);
        self.flow = Flow::Through(block.after.moved_by(base));
        self.cycle = (base + block.span) as u64;
    }

    /// Executes blocks from `at` on, if possible. Returns the index and result of the instruction in the last block that did more than
    /// continue, or the end of that block.
    #[inline]
    fn run_from<const ALL: bool>(
        &mut self,
        cache: &mut CodeCache,
        at: &mut BlockCursor,
        (timed, epoch): (bool, u64),
        limits: &mut RunLimits,
        sink: &mut dyn Sink,
    ) -> Result<(usize, Step), NotEntered> {
        cache.cached_mut(at.block).count_entry(at.first);
        let glided = match (!ALL && self.can_chain(), timed) {
            (false, _) => ChainExit::Before,
            (true, false) => self.chain::<false>(cache, at, epoch, limits, sink),
            (true, true) => self.chain::<true>(cache, at, epoch, limits, sink),
        };
        match glided {
            ChainExit::At(index, step) => return Ok((index, step)),
            ChainExit::Changed => return Err(NotEntered::Changed),
            ChainExit::Before => {}
        }
        let BlockCursor {
            block: id,
            first,
            base,
            skipped,
        } = *at;
        let cached = cache.cached_mut(id);
        cached.skipped = skipped.unwrap_or(cached.skipped);
        if cached.epoch != epoch {
            cached.look_up(self.bus.flash());
        }
        if !self.may_run(cached.block.pc, cached.block.end, &mut cached.checked) {
            self.resume_in_block(cached, first, base);
            return Err(NotEntered::Checked);
        }
        let (block, at_once) = (&*cached.block, cached.at_once as usize);
        // A BKPT takes no time: the last instruction may start where the block ends.
        if base + block.span >= limits.deadline || at_once <= first || block.halts || self.emitter.paused {
            self.stop_before(cached, first, base);
            return Err(NotEntered::Before);
        }
        self.base = base as u64;
        Ok(self.execute_block::<ALL>(cached, first..at_once, base, sink))
    }

    /// Corrects how an instruction of a block is expected to be served by the flash.
    fn expect_read(
        &mut self,
        cache: &mut CodeCache,
        (block, index): (u32, usize),
        served: FlashResponse,
        base: Cycle,
    ) -> Unaccounted {
        let cached = cache.cached_mut(block);
        let before = cached.block.insns[index].before;
        cached.touch(before.next_word(), self.bus.flash_mut());
        cache.expect_read(block, index, served, &self.context());
        self.pending_link = None;
        let pipe = before.moved_by(base);
        Unaccounted {
            place: BlockPosition { block, index, pipe },
            step: Step::Irregular,
        }
    }

    /// Leaves a block before an instruction that needs a step of its own, unless the sink pauses.
    fn leave_for_step(
        &mut self,
        cached: &CachedBlock,
        (block, index): (u32, usize),
        base: Cycle,
    ) -> BlockStop {
        if self.emitter.paused {
            let before = cached.block.insns[index].before.moved_by(base);
            self.resume_before(&cached.block.ops[index], before);
            return BlockStop::Otherwise;
        }
        cached.touch(cached.block.insns[index].before.next_word(), self.bus.flash_mut());
        BlockStop::Step(block, index, base)
    }

    /// The jump of an instruction in a block, if nothing else is then in flight or to be emitted.
    #[inline]
    pub(super) fn computed_jump(&self, block: &Block, index: usize, step: Step) -> Option<Jump> {
        if step != Step::Branch {
            return None;
        }
        let jump = block.insns[index]
            .jump
            .filter(|_| block.insns[index].is_clean(self.regs.r[15]));
        jump.filter(|_| self.jumps_as_computed(block, index, step))
    }

    /// Stops before this instruction of a block whose time begins in cycle `base`.
    fn stop_before(&mut self, cached: &CachedBlock, first: usize, base: Cycle) {
        if first == 0 || self.emitter.paused {
            return self.resume_in_block(cached, first, base);
        }
        cached.touch(cached.block.insns[first].before.next_word(), self.bus.flash_mut());
    }

    /// Continues before this instruction of a block whose time begins in cycle `base`.
    fn resume_in_block(&mut self, cached: &CachedBlock, first: usize, base: Cycle) {
        let block = &*cached.block;
        if first != 0 {
            let before = block.insns[first].before;
            cached.touch(before.next_word(), self.bus.flash_mut());
            return self.resume_before(&block.ops[first], before.moved_by(base));
        }
        self.flow = block.flow_at(base);
        self.cycle = (base + block.start()) as u64;
        (self.regs.r[15], self.regs.it) = (block.pc, block.it());
    }

    /// Whether an instruction jumped at its computed cost. (A jump to itself may loop for ever.)
    #[inline]
    fn jumps_as_computed(&self, block: &Block, index: usize, step: Step) -> bool {
        // Only an instruction that accesses memory can deviate in more than its target.
        let as_expected = block.insns[index].shape.words == 0 || self.deviation == Deviation::NONE;
        let jumps = step == Step::Branch && as_expected && self.regs.thumb;
        jumps && self.regs.r[15] != block.ops[index].pc
    }

    /// The edge by which a block is left at this instruction; `None` if it cannot be cached or is an ordinary jump.
    #[inline]
    pub(super) fn edge(&mut self, block: &Block, index: usize, step: Step) -> Option<Edge> {
        let Some(insn) = block.insns.get(index) else {
            return Some(Edge::End);
        };
        match step {
            Step::Branch if !insn.is_clean(self.regs.r[15]) && self.jumps_as_computed(block, index, step) => {
                Some(Edge::Jumped(self.regs.r[15]))
            }
            Step::Attention => self.attention_edge(),
            Step::Irregular if self.deviation.skipped => Some(Edge::Skipped(self.deviation.aside)),
            Step::Irregular if self.deviation.flash.is_some() => self.read_edge(&block.ops[index]),
            // Multiplications and divisions deviate in nothing else.
            Step::Irregular => self.deviation.operands.map(|_| Edge::Slow(self.deviation.cycles)),
            _ => None,
        }
    }

    /// The edge of an instruction that read from a flash with wait states and deviated in nothing else.
    #[inline(never)]
    pub(super) fn read_edge(&mut self, op: &MicroOp) -> Option<Edge> {
        let read = self
            .deviation
            .flash
            .filter(|_| self.config.model.predicts_reads())?;
        let only = Deviation {
            flash: Some(read),
            ..Deviation::NONE
        };
        let at = self.access_cycle(op) as Cycle;
        let flash = self.bus.flash().filter(|_| self.deviation == only)?;
        self.predicted_read = flash.predict_read(read.address, read.bytes, at);
        Edge::reading(self.predicted_read?.served)
    }

    /// Makes the predicted read of the instruction in flight.
    #[inline]
    pub(super) fn make_predicted_read(&mut self, op: &MicroOp) {
        let at = self.access_cycle(op) as Cycle;
        if let (Some(read), Some(flash)) = (self.predicted_read, self.bus.flash_mut()) {
            flash.make_predicted_read(read, at);
        }
    }

    /// The edge of an instruction whose effects the rest of the core must see, if it deviated in nothing else.
    pub(super) fn attention_edge(&self) -> Option<Edge> {
        let usual =
            self.deviation == Deviation::NONE && !self.code.is_stale() && self.stop_requested().is_none();
        usual.then(|| Edge::Attended(self.raised_a_mask()))
    }

    /// Recognises what the program changed, before this instruction of a block whose time begins in cycle `base`. Returns whether blocks
    /// may continue; otherwise the core stands there.
    #[inline]
    pub(super) fn may_continue_at(
        &mut self,
        block: &Block,
        index: usize,
        base: Cycle,
        limits: &mut RunLimits,
    ) -> bool {
        let before = block.pipe_at(index);
        self.recognise_own_changes(base + before.free(), limits);
        let goes_on = self.may_use_blocks();
        if !goes_on {
            self.flow = Flow::Through(before.moved_by(base));
            self.cycle = (base + before.free()) as u64;
        }
        goes_on
    }

    /// Whether the next requested word may have to wait for the flash.
    fn waits_for_flash(&self) -> bool {
        let Some(flash) = self.bus.flash().filter(|flash| flash.is_timed()) else {
            return false;
        };
        let address = match &self.flow {
            Flow::Jumped(_) => self.regs.r[15],
            Flow::Through(pipe) if pipe.lags() || !self.earlier_rules.is_empty() => return true,
            Flow::Through(pipe) => pipe.next_word() << 2,
        };
        !flash.serves_at_once(address)
    }

    /// Makes the requests along a link, if the flash's cache has all the words. Returns whether it has.
    pub(super) fn fetch_along_link(&mut self, cached: &CachedBlock, link: &Link, index: usize) -> bool {
        if let Some(lines) = link.lines.filter(|_| cached.is_fully_cached()) {
            if let Some(flash) = self.bus.flash_mut() {
                cached.touch_lines(lines.into(), flash);
            }
            if let (Edge::Read(_), Some(op)) = (link.edge, cached.block.ops.get(index)) {
                self.make_predicted_read(op);
            }
            return true;
        }
        self.fetch_outside_block(cached, link, index)
    }

    /// As [`Core::fetch_along_link`], with words beyond those of the block itself.
    fn fetch_outside_block(&mut self, cached: &CachedBlock, link: &Link, index: usize) -> bool {
        let requested = match (link.edge, cached.block.insns.get(index)) {
            (Edge::Jumped(_), Some(insn)) => insn.next_word,
            (_, Some(insn)) => insn.before.next_word(),
            (_, None) => cached.block.after.next_word(),
        };
        let Some(flash) = self.bus.flash_mut() else {
            return false;
        };
        let (first, end) = link.words;
        // The block's own later requests are known to hit.
        let known = first == requested && cached.has_words(first, end);
        if !known && !flash.holds(first, end) {
            return false;
        }
        cached.touch(
            if known { requested.max(end) } else { requested },
            Some(&mut *flash),
        );
        if let (Edge::Read(_), Some(op)) = (link.edge, cached.block.ops.get(index)) {
            self.make_predicted_read(op);
        }
        if let Some(flash) = self.bus.flash_mut().filter(|_| !known) {
            flash.touch_words(first, end);
        }
        true
    }

    /// The block that begins with, or contains, the next instruction in the present pipeline state; the index, and when its time began.
    fn enter_block(&mut self, cache: &mut CodeCache) -> (u32, usize, Cycle) {
        match self.flow {
            Flow::Jumped(jump) => {
                let key = self.target_key(self.regs.r[15], self.regs.it, jump.early);
                let id = self.find_or_decode(cache, &key);
                cache.set_target(&key, jump.early, id);
                (id, 0, jump.request - REQUEST)
            }
            Flow::Through(pipe) => {
                let base = pipe.free();
                let (pc, it) = (self.regs.r[15], self.regs.it);
                self.bus.mark_code(pc);
                let key = cache.key(pc, it, &pipe, &self.context());
                let midst = cache.position_within(&key, base, &self.context_at(base));
                midst.unwrap_or_else(|| (self.find_or_decode(cache, &key), 0, base))
            }
        }
    }
}
