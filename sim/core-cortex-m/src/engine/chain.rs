//! Block chaining: executes cached blocks back to back while no listener, interrupt or deadline needs attention.
//!
//! It handles the common cases: a block ends, jumps, or is left at an instruction that is skipped or takes another time, and the next
//! block is known. [`super::fast_path`] handles the rest.

use super::cursor::{BlockCursor, RunLimits};
use events::{RuleSet, Sink};

use crate::block::{Block, CodeCache, Edge, Link, REQUEST};
use crate::core::Core;
use crate::microop::Step;
use crate::state::Deviation;
use crate::timing::Cycle;

/// Where chaining ended.
pub(super) enum ChainExit {
    /// Before the block, from [`BlockCursor::first`] on, was executed.
    Before,
    /// At this index, with a result for which there is no link.
    At(usize, Step),
    /// The program changed a condition of the fast path. Execution continues at R15.
    Changed,
}

impl Core {
    /// Whether blocks can be chained: the sink does not pause, and the MPU needs no check of fetches.
    pub(super) fn can_chain(&self) -> bool {
        !self.emitter.paused && !self.sys.checks_fetches()
    }

    /// Executes blocks from `at` on, in this epoch of the flash. `TIMED`: the flash has wait states; only blocks that are fully cached
    /// run.
    #[inline(never)]
    pub(super) fn chain<const TIMED: bool>(
        &mut self,
        cache: &mut CodeCache,
        at: &mut BlockCursor,
        epoch: u64,
        limits: &mut RunLimits,
        sink: &mut dyn Sink,
    ) -> ChainExit {
        let BlockCursor {
            block: mut id,
            mut first,
            mut base,
            mut skipped,
        } = *at;
        let left = loop {
            let cached = cache.cached_mut(id);
            if cached.epoch != epoch {
                cached.look_up(self.bus.flash());
            }
            if TIMED && let Some(skipped) = skipped {
                cached.skipped = skipped;
                cached.count_entry(first);
            }
            let block = &*cached.block;
            let heard = block.halts || self.observes_start_of(block);
            if heard || TIMED && !cached.is_fully_cached() || base + block.span >= limits.deadline {
                break ChainExit::Before;
            }
            let Some(ops) = block.ops.get(first..) else {
                break ChainExit::Before;
            };
            // Not earlier: events before the next emitted instruction belong to it.
            self.drop_carried();
            self.base = base as u64;
            let (count, step) = self.execute_straight(ops);
            let index = first + count;
            self.emitter.instructions += count as u64;
            if cached.counted != self.emitter.round && self.note_rules(cached, first..index) {
                cached.counted = self.emitter.round;
            }
            let limit = (base, limits.deadline);
            let next = self.next_block::<TIMED>(cache, (id, index), step, limit, (false, &mut *sink));
            let Some(next) = next else {
                break ChainExit::At(index, step);
            };
            if step == Step::Attention
                && !self.may_continue_at(cache.block(next.block), next.first, next.base, limits)
            {
                break ChainExit::Changed;
            }
            (id, first, base, skipped) = (next.block, next.first, next.base, next.skipped);
            if step == Step::Attention && self.emitter.paused {
                break ChainExit::Before;
            }
        };
        *at = BlockCursor {
            block: id,
            first,
            base,
            skipped,
        };
        left
    }

    /// The next block after the instruction at this index, if it did more than continue, or after the block; `None` if unknown. `emits`:
    /// emits the instruction.
    #[inline(always)]
    pub(super) fn next_block<const TIMED: bool>(
        &mut self,
        cache: &mut CodeCache,
        (id, index): (u32, usize),
        step: Step,
        (base, deadline): (Cycle, Cycle),
        (emits, sink): (bool, &mut (dyn Sink + '_)),
    ) -> Option<BlockCursor> {
        if step == Step::Branch {
            let jumps = self.computed_target::<TIMED>(cache, (id, index), base, emits.then_some(&mut *sink));
            if jumps.is_some() {
                return jumps;
            }
        }
        let cached = cache.cached_mut(id);
        if step == Step::Next && cached.block.open {
            return None;
        }
        let edge = self.edge(&cached.block, index, step)?;
        if let Edge::Read(served) = edge
            && cached.is_read_differently(index, served)
        {
            return None;
        }
        let cached = &*cached;
        let link = cached.links.get(index, edge, TIMED)?;
        if base + link.event.end >= deadline {
            return None;
        }
        if TIMED {
            // A block's own requests are counted when it is left; its lines are then used in the same order.
            if link.next == id && link.from == index + 1 {
                if let Edge::Read(_) = edge {
                    self.make_predicted_read(&cached.block.ops[index]);
                }
            } else if !self.fetch_along_link(cached, link, index) {
                return None;
            }
        }
        if edge != Edge::End {
            self.follow_link(&cached.block, (index, link), base, emits, sink);
        }
        Some(BlockCursor {
            block: link.next,
            first: link.from,
            base: base + link.later,
            skipped: link.skipped,
        })
    }

    /// The next block after a jump with nothing else in flight.
    #[inline(always)]
    fn computed_target<const TIMED: bool>(
        &mut self,
        cache: &CodeCache,
        (id, index): (u32, usize),
        base: Cycle,
        sink: Option<&mut (dyn Sink + '_)>,
    ) -> Option<BlockCursor> {
        let cached = cache.cached(id);
        let jump = self.computed_jump(&cached.block, index, Step::Branch)?;
        let block = cache.block_at_target(self.regs.r[15], jump.early)?;
        self.take_computed_jump::<TIMED>(cached, index, base, sink);
        Some(BlockCursor {
            block,
            first: 0,
            base: base + jump.request - REQUEST,
            skipped: Some(0),
        })
    }

    /// Leaves a block by a link and applies the effects of its last instruction.
    #[inline(always)]
    fn follow_link(
        &mut self,
        block: &Block,
        (index, link): (usize, &Link),
        base: Cycle,
        emits: bool,
        sink: &mut dyn Sink,
    ) {
        self.deviation = Deviation::NONE;
        self.emitter.instructions += 1;
        if emits {
            self.emit_in_block(block, index, base, (&link.event, RuleSet::EMPTY), sink);
        } else {
            self.emitter.since = self.emitter.since.union(link.event.rules);
        }
        match link.edge {
            Edge::Jumped(_) => self.note_jump(),
            Edge::Attended(_) => {
                let op = &block.ops[index];
                (self.regs.r[15], self.regs.it) = (op.pc.wrapping_add(u32::from(op.size)), op.it_after);
                self.handle_attention(op.pc, base + link.event.start, link.seen.since(-base), sink);
            }
            _ => {}
        }
    }
}
