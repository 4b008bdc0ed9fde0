//! The costs of cycles in cached blocks.

use events::Costs;
use rustc_hash::FxHashMap;

use crate::engine::emit::{EmitPosition, whole};
use crate::engine::program::RetiredInsn;
use crate::timing::rules::RuleSet;

/// Costs by number: most windows have costs that occurred before.
#[derive(Debug)]
pub(super) struct CostTable {
    costs: Vec<Costs>,
    numbers: FxHashMap<Costs, u32>,
}

/// An instruction that retires along a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockRetirement {
    /// Cycle, relative to the block.
    pub(super) at: u32,
    pub(super) rules: RuleSet,
    /// Number of the costs of cycles lost before it, back to the start of the block.
    pub(super) lost: u32,
    /// Number of the costs of its window, unless it is the first of the block.
    pub(super) whole: u32,
}

impl CostTable {
    /// The number of no costs.
    const NONE: u32 = 0;

    pub(super) fn new() -> CostTable {
        CostTable {
            costs: vec![Costs::NONE],
            numbers: FxHashMap::from_iter([(Costs::NONE, CostTable::NONE)]),
        }
    }

    pub(super) fn costs(&self, number: u32) -> &Costs {
        &self.costs[number as usize]
    }

    pub(super) fn number(&mut self, costs: Costs) -> u32 {
        *self.numbers.entry(costs).or_insert_with(|| {
            self.costs.push(costs);
            (self.costs.len() - 1) as u32
        })
    }

    /// The retirements of a block that began in cycle `started`.
    pub(super) fn retirements(
        &mut self,
        noted: &[RetiredInsn],
        started: u64,
        pace: u32,
    ) -> Box<[BlockRetirement]> {
        let mut before = started;
        let retirements = noted.iter().map(|noted| {
            let length = (noted.cycle - std::mem::replace(&mut before, noted.cycle)) as u32;
            BlockRetirement {
                at: (noted.cycle - started) as u32,
                rules: noted.rules,
                lost: self.number(noted.lost),
                whole: self.number(whole(&noted.lost, length, pace)),
            }
        });
        retirements.collect()
    }
}

/// The position of the event stream, brought up to date only when something is emitted.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct DeferredPosition {
    to: u64,
    /// Whether cycles lost before these blocks still count.
    based: bool,
    /// Numbers of the costs of cycles lost since the last window.
    tails: [u32; 4],
    count: usize,
}

impl DeferredPosition {
    pub(super) fn new(position: &EmitPosition) -> DeferredPosition {
        DeferredPosition {
            to: position.to,
            based: true,
            ..DeferredPosition::default()
        }
    }

    /// Adds a block that began in cycle `start` with these retirements and lost `tail` after them. Returns false if it must be settled
    /// first.
    #[inline]
    #[must_use]
    pub(super) fn ran(&mut self, start: u64, retired: &[BlockRetirement], tail: u32) -> bool {
        if let Some(last) = retired.last() {
            self.to = start + u64::from(last.at) + 1;
            (self.based, self.count) = (false, 0);
        }
        if tail != CostTable::NONE {
            self.tails[self.count] = tail;
            self.count += 1;
        }
        self.count < self.tails.len()
    }

    /// Brings the position up to date.
    pub(super) fn settle(&mut self, position: &mut EmitPosition, costs_by_number: &CostTable) {
        position.to = self.to;
        if !self.based {
            position.lost = Costs::NONE;
        }
        for &tail in &self.tails[..self.count] {
            position.lost.join(costs_by_number.costs(tail));
        }
        *self = DeferredPosition::new(position);
    }
}
