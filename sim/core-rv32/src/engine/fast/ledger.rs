//! The costs of cycles in cached runs.

use events::Costs;
use rustc_hash::FxHashMap;

use crate::engine::program::Noted;
use crate::engine::tell::{Told, whole};
use crate::timing::rules::RuleSet;

/// Costs by number: most windows are like others.
#[derive(Debug)]
pub(super) struct Ledger {
    costs: Vec<Costs>,
    numbers: FxHashMap<Costs, u32>,
}

/// An instruction that retires along a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retirement {
    /// In this cycle of the run, the first being 0.
    pub(super) at: u32,
    pub(super) rules: RuleSet,
    /// Cycles lost before it, back to the start of the run.
    pub(super) lost: u32,
    /// Costs of its window, unless it is the first of the run.
    pub(super) whole: u32,
}

impl Ledger {
    /// The number of no costs.
    const NONE: u32 = 0;

    pub(super) fn new() -> Ledger {
        Ledger {
            costs: vec![Costs::NONE],
            numbers: FxHashMap::from_iter([(Costs::NONE, Ledger::NONE)]),
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

    /// The instructions that retired along a run that began in cycle `started`.
    pub(super) fn retirements(&mut self, noted: &[Noted], started: u64, pace: u32) -> Box<[Retirement]> {
        let mut before = started;
        let retirements = noted.iter().map(|noted| {
            let length = (noted.cycle - std::mem::replace(&mut before, noted.cycle)) as u32;
            Retirement {
                at: (noted.cycle - started) as u32,
                rules: noted.rules,
                lost: self.number(noted.lost),
                whole: self.number(whole(&noted.lost, length, pace)),
            }
        });
        retirements.collect()
    }
}

/// The pending position of the event stream while nothing listens.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Late {
    to: u64,
    /// Cycles lost before these runs still count.
    based: bool,
    /// Cycles lost since the last window of the runs, by index.
    tails: [u32; 4],
    count: usize,
}

impl Late {
    pub(super) fn new(told: &Told) -> Late {
        Late {
            to: told.to,
            based: true,
            ..Late::default()
        }
    }

    /// Adds a run that began in cycle `start` with these retirements and lost `tail` after them. Returns false if it must settle first.
    #[inline]
    #[must_use]
    pub(super) fn ran(&mut self, start: u64, retired: &[Retirement], tail: u32) -> bool {
        if let Some(last) = retired.last() {
            self.to = start + u64::from(last.at) + 1;
            (self.based, self.count) = (false, 0);
        }
        if tail != Ledger::NONE {
            self.tails[self.count] = tail;
            self.count += 1;
        }
        self.count < self.tails.len()
    }

    /// Brings it up to date.
    pub(super) fn settle(&mut self, told: &mut Told, ledger: &Ledger) {
        told.to = self.to;
        if !self.based {
            told.lost = Costs::NONE;
        }
        for &tail in &self.tails[..self.count] {
            told.lost.join(ledger.costs(tail));
        }
        *self = Late::new(told);
    }
}
