//! The cached outcomes of runs.

use exec::Exits;

use super::ledger::Retirement;
use super::recent::Meetings;
use super::shared::Asked;
use crate::core::Core;
use crate::engine::run::{Outcome, Run};
use crate::mmu::Guard;
use crate::timing::Recurrent;

/// Registers, and the run that they come to.
#[derive(Debug)]
pub(super) struct State<P> {
    pub(super) pipeline: P,
    pub(super) run: Run,
    pub(super) exits: Exits<Exit>,
    /// The most cycles that it is known to take.
    pub(super) longest: u32,
    /// Instructions under way.
    pub(super) flying: usize,
    /// Its first instruction is one of those at which runs are split.
    pub(super) watched: bool,
}

/// The conditions, apart from the fetch, that determine how a run proceeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Way {
    pub(super) outcome: Outcome,
    /// The load at this place misses the data cache, with which the run is over for now.
    pub(super) missed: Option<usize>,
    pub(super) meetings: Meetings,
}

impl Way {
    /// The place in a run at which it is left: a load that misses, or its end.
    #[inline]
    pub(super) fn place(&self, run: &Run) -> usize {
        self.missed.unwrap_or(run.steps.len())
    }
}

/// One outcome of a run.
#[derive(Debug)]
pub(super) struct Exit {
    pub(super) way: Way,
    pub(super) cycles: u32,
    /// How long the transfers to memories took where that depends on all before them, in their order.
    pub(super) asked: Box<[Asked]>,
    pub(super) retired: Box<[Retirement]>,
    /// The cycles lost after the last of them.
    pub(super) tail: u32,
    /// Lines that the fetch looked for, and whether the cache had them then.
    pub(super) lines: Box<[(u32, bool)]>,
    /// When they were all found so last.
    pub(super) found: Moment,
    /// The lines that it loaded, and the number of turns after its start.
    pub(super) loaded: Box<[(u32, u8)]>,
    /// Its cycles in which no line was loaded, of instructions and of data.
    pub(super) turns: [u32; 2],
    pub(super) next: u32,
}

/// A state of what the instruction cache holds: how often that was changed by others, and by the run.
pub(super) type Moment = (u64, u64);

impl Exit {
    /// Whether it is the way that a run goes whose instructions came to this.
    #[inline]
    fn is<P: Recurrent>(&mut self, way: &Way, pipeline: &P, epoch: u64) -> bool {
        self.way == *way && self.finds_lines(pipeline, (epoch, pipeline.fetch_changes()))
    }

    #[inline]
    fn finds_lines<P: Recurrent>(&mut self, pipeline: &P, now: Moment) -> bool {
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

impl<P: Recurrent> State<P> {
    /// The way that its run goes whose instructions came to this, if its transfers take as long as they did.
    #[inline]
    pub(super) fn exit(
        &mut self,
        way: &Way,
        pipeline: &P,
        epoch: u64,
        mut takes: impl FnMut(&[Asked]) -> bool,
    ) -> Option<usize> {
        let fits =
            |exit: &mut Exit| exit.is(way, pipeline, epoch) && (exit.asked.is_empty() || takes(&exit.asked));
        self.exits.position(way.place(&self.run), fits)
    }
}

/// A run that is being clocked.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) state: u32,
    pub(super) way: Way,
    pub(super) started: u64,
    pub(super) issued: u64,
    pub(super) lines: Vec<(u32, bool)>,
    pub(super) turns: [u64; 2],
}

impl Recording {
    /// Notes whether the cache has the line of each address that the fetch looks up. An unknown translation needs a walk, which is not
    /// cached.
    pub(super) fn fetches(&mut self, core: &Core, pipeline: &impl Recurrent) {
        for pc in pipeline.fetched().into_iter().chain([pipeline.fetch_pc()]) {
            if let Some(physical) = core.locate_fetch(pc).physical {
                self.looks(physical >> 5, pipeline);
            }
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
