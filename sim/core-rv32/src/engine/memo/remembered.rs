//! What is kept of runs.

use super::ledger::Retirement;
use crate::core::Core;
use crate::engine::run::{Outcome, Run};
use crate::mmu::Guard;
use crate::timing::Recurrent;

/// Registers, and the run that they come to.
#[derive(Debug)]
pub(super) struct State<P> {
    pub(super) pipeline: P,
    pub(super) run: Run,
    pub(super) exits: Vec<Exit>,
    /// The most cycles that it is known to take.
    pub(super) longest: u32,
    /// Instructions under way.
    pub(super) flying: usize,
    /// Its first instruction is one of those at which runs are split.
    pub(super) watched: bool,
}

/// How a run goes.
#[derive(Debug)]
pub(super) struct Exit {
    pub(super) outcome: Outcome,
    /// The load at this place misses the data cache, with which the run is over for now.
    pub(super) missed: Option<usize>,
    pub(super) cycles: u32,
    pub(super) retired: Box<[Retirement]>,
    /// What was lost behind the last of them.
    pub(super) tail: u32,
    /// Lines that the fetch looked for, and whether the cache had them then.
    pub(super) lines: Box<[(u32, bool)]>,
    /// Those that it loaded.
    pub(super) loaded: Box<[u32]>,
    pub(super) next: u32,
}

impl Exit {
    /// Whether it is the way that a run goes whose instructions came to this.
    #[inline]
    pub(super) fn is<P: Recurrent>(&self, outcome: Outcome, missed: Option<usize>, pipeline: &P) -> bool {
        let there = |&(line, had): &(u32, bool)| pipeline.fetches(line) == had;
        self.outcome == outcome && self.missed == missed && self.lines.iter().all(there)
    }
}

/// A run that is being clocked.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) state: u32,
    pub(super) outcome: Outcome,
    pub(super) missed: Option<usize>,
    pub(super) started: u64,
    pub(super) issued: u64,
    pub(super) lines: Vec<(u32, bool)>,
}

impl Recording {
    /// The fetch looks for an address, if the cache has its line or not. What is not known of that is walked for, which is not
    /// remembered.
    pub(super) fn fetches(&mut self, core: &Core, pipeline: &impl Recurrent) {
        if let Some(physical) = core.locate_fetch(pipeline.fetch_pc()).physical {
            self.looks(physical >> 5, pipeline);
        }
    }

    /// The fetch looks for a line.
    pub(super) fn looks(&mut self, line: u32, pipeline: &impl Recurrent) {
        if self.lines.iter().all(|&(known, _)| known != line) {
            self.lines.push((line, pipeline.fetches(line)));
        }
    }
}

/// The number of what decides about fetches, from 1 on.
pub(super) fn guard_number(guards: &mut Vec<Guard>, guard: Guard) -> usize {
    let place = guards.iter().position(|known| *known == guard);
    place.unwrap_or_else(|| {
        guards.push(guard);
        guards.len() - 1
    }) + 1
}
