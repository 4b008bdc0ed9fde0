//! The cached outcomes of blocks.

use exec::LinkTable;

use super::cost_table::BlockRetirement;
use super::recent::StoreCollisions;
use super::shared_transfers::TimedTransfer;
use crate::core::Core;
use crate::engine::block::{Block, Outcome};
use crate::mmu::Guard;
use crate::timing::Memoizable;

/// Pipeline registers at a block.
#[derive(Debug)]
pub(super) struct CachedState<P> {
    pub(super) pipeline: P,
    pub(super) block: Block,
    pub(super) links: LinkTable<Link>,
    /// The most cycles of its known outcomes.
    pub(super) longest: u32,
    /// Number of instructions in flight.
    pub(super) flying: usize,
    /// Whether blocks are split before its first instruction.
    pub(super) watched: bool,
}

/// What decides, apart from the fetch, how a block proceeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge {
    pub(super) outcome: Outcome,
    /// Index of the load that misses the data cache and ends the block.
    pub(super) missed: Option<usize>,
    pub(super) collisions: StoreCollisions,
}

impl Edge {
    /// The index at which the block is left: the load that misses, or its end.
    #[inline]
    pub(super) fn place(&self, block: &Block) -> usize {
        self.missed.unwrap_or(block.steps.len())
    }
}

/// A known outcome of a block and its successor.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) edge: Edge,
    pub(super) cycles: u32,
    /// Transfers whose duration depends on all earlier ones, in order.
    pub(super) transfers: Box<[TimedTransfer]>,
    pub(super) retired: Box<[BlockRetirement]>,
    /// Number of the costs of cycles lost after the last retirement.
    pub(super) tail: u32,
    /// Lines that the fetch looked for, and whether the cache had them.
    pub(super) lines: Box<[(u32, bool)]>,
    /// When all of them were last found so.
    pub(super) found: FetchCacheVersion,
    /// Lines loaded, and the number of turns from its start to each.
    pub(super) loaded: Box<[(u32, u8)]>,
    /// Cycles in which no line was loaded, of instructions and of data.
    pub(super) turns: [u32; 2],
    pub(super) next: u32,
}

/// The contents of the instruction cache: how often others have changed it, and how often the pipeline has.
pub(super) type FetchCacheVersion = (u64, u64);

impl Link {
    /// Whether it applies to a block with this outcome.
    #[inline]
    fn is<P: Memoizable>(&mut self, edge: &Edge, pipeline: &P, epoch: u64) -> bool {
        self.edge == *edge && self.finds_lines(pipeline, (epoch, pipeline.fetch_changes()))
    }

    #[inline]
    fn finds_lines<P: Memoizable>(&mut self, pipeline: &P, now: FetchCacheVersion) -> bool {
        if self.found == now {
            return true;
        }
        let there = |&(line, had): &(u32, bool)| pipeline.fetches(line) == had;
        let found = self.lines.iter().all(there);
        if found {
            self.found = now;
        }
        found
    }
}

impl<P: Memoizable> CachedState<P> {
    /// The index of the link for a block with this outcome, if its transfers take as long as before.
    #[inline]
    pub(super) fn link(
        &mut self,
        edge: &Edge,
        pipeline: &P,
        epoch: u64,
        mut takes: impl FnMut(&[TimedTransfer]) -> bool,
    ) -> Option<usize> {
        let fits = |link: &mut Link| {
            link.is(edge, pipeline, epoch) && (link.transfers.is_empty() || takes(&link.transfers))
        };
        self.links.position(edge.place(&self.block), fits)
    }
}

/// A block that is being clocked and recorded.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) state: u32,
    pub(super) edge: Edge,
    pub(super) started: u64,
    pub(super) issued: u64,
    pub(super) lines: Vec<(u32, bool)>,
    pub(super) turns: [u64; 2],
}

impl Recording {
    /// Notes whether the cache has the lines that the fetch looks up. An unknown translation needs a walk, which is not cached.
    pub(super) fn fetches(&mut self, core: &Core, pipeline: &impl Memoizable) {
        for pc in pipeline.fetched().into_iter().chain([pipeline.fetch_pc()]) {
            if let Some(physical) = core.locate_fetch(pc).physical {
                self.looks(physical >> 5, pipeline);
            }
        }
    }

    /// Notes whether the cache has a line.
    pub(super) fn looks(&mut self, line: u32, pipeline: &impl Memoizable) {
        if self.lines.iter().all(|&(known, _)| known != line) {
            self.lines.push((line, pipeline.fetches(line)));
        }
    }
}

/// The number of a guard, from 1 on.
pub(super) fn guard_number(guards: &mut Vec<Guard>, guard: Guard) -> usize {
    let place = guards.iter().position(|known| *known == guard);
    place.unwrap_or_else(|| {
        guards.push(guard);
        guards.len() - 1
    }) + 1
}
