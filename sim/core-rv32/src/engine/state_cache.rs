//! Caches the behaviour of a pipeline along blocks of instructions.
//!
//! A pipeline with the same registers at the start of the same block behaves the same, if its environment answers the same: the next
//! block, the loads that miss the cache, the lines that the fetch finds. Each block is clocked once for each set of registers; after that
//! only its instructions are executed. If anything differs from the cached behaviour, the block is clocked from the registers at its
//! start.
//!
//! A load that misses is undone together with all younger instructions while its line is loaded. The block ends there; the next one
//! begins with the load, and the registers include the line being loaded.

mod cost_table;
mod links;
mod recent;
mod shared_transfers;

use std::collections::VecDeque;
use std::hash::Hash;

use events::Pcs;
use exec::{AddressRange, BlockCache, LinkTable, SplitPoints};

use super::block::{InsnObserver, NoObserver, UndoLog};
use super::emit::{Listener, RetireData};
use super::program::{Program, Unretired};
use crate::mmu::Guard;
use crate::timing::{AccessPlace, Memoizable};
use crate::trap::Privilege;
use cost_table::{CostTable, DeferredPosition};
use links::{CachedState, Link, Recording, guard_number};
use recent::{AccessCheck, CLOSE, RecentInsns, Replay, StoreCollisions};
use shared_transfers::SharedTransfers;

/// From this many cycles before the deadline on, the event data of each instruction is kept: more than the instructions in flight need to
/// retire. A listener that starts at the deadline may ask for them.
const NEAR: u64 = 512;

/// Maximum number of states, and of links of all states. Beyond it all are dropped, to bound memory.
const MOST: usize = 1 << 15;
const MOST_EXITS: usize = 1 << 17;

/// Maximum number of links of a state; beyond it all of them are dropped.
const MOST_EXITS_OF_RUN: u16 = 64;

/// Most fetch guards in the cache.
const MOST_GUARDS: usize = 1 << 8;

/// Pipeline registers, address of the block, privilege, and the number of the [`Guard`] that decides where fetches go.
type StateKey<P> = (P, u32, Privilege, usize);

/// The cached states by key.
type StateMap<P> = BlockCache<StateKey<P>, CachedState<P>>;

/// The cache of pipeline behaviour.
#[derive(Debug)]
pub(super) struct StateCache<P> {
    states: StateMap<P>,
    /// The distinct guards so far, except the trivial one.
    guards: Vec<Guard>,
    links: usize,
    costs_by_number: CostTable,
    undo_log: UndoLog,
    recent: RecentInsns,
    shared: SharedTransfers,
    /// Counts possible changes of the caches' contents by others.
    epoch: u64,
    recording: Option<Recording>,
    splits: SplitPoints,
    deferred: DeferredPosition,
    /// Event data of the instructions in flight, oldest first; empty if no listener needs any.
    trail: VecDeque<RetireData>,
    /// Number of older instructions in flight.
    ahead: usize,
    /// Whether the deadline is near.
    is_near: bool,
}

/// A copy starts empty.
impl<P: Eq + Hash> Clone for StateCache<P> {
    fn clone(&self) -> Self {
        StateCache::new()
    }
}

impl<P: Eq + Hash> StateCache<P> {
    pub(super) fn new() -> Self {
        StateCache {
            states: StateMap::default(),
            guards: Vec::new(),
            links: 0,
            costs_by_number: CostTable::new(),
            undo_log: UndoLog::new(),
            recent: RecentInsns::new(),
            shared: SharedTransfers::default(),
            epoch: 1,
            recording: None,
            splits: SplitPoints::default(),
            deferred: DeferredPosition::default(),
            trail: VecDeque::new(),
            ahead: 0,
            is_near: false,
        }
    }

    /// Called when a run begins: whoever called may have changed something, and observes these instructions.
    pub(super) fn begin(&mut self, pcs: &Pcs) {
        self.recording = None;
        self.epoch += 1;
        if self.splits.add(pcs.addresses()) {
            self.clear();
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.states.clear();
        self.guards.clear();
        self.links = 0;
        self.costs_by_number = CostTable::new();
        self.recording = None;
    }
}

impl<P: Memoizable> StateCache<P> {
    /// Called between two cycles, the next being `now`: runs cached blocks up to `deadline` at the most, and begins to record what
    /// follows. Returns the next cycle.
    #[inline]
    pub(super) fn run_cached(
        &mut self,
        pipeline: &mut P,
        program: &mut Program,
        now: u64,
        deadline: u64,
        listener: &mut Listener<'_>,
    ) -> u64 {
        if program.code.take_changed() {
            self.clear();
        }
        if let Some(recording) = &mut self.recording {
            recording.fetches(&program.core, pipeline);
            if !self.record(pipeline, program, now, listener.pace) {
                return now;
            }
        } else {
            program.stop_noting();
            if !program.at_jump() && !program.at_redo() {
                return now;
            }
        }
        if now >= deadline || program.is_disturbed() || !pipeline.is_quiet() {
            return now;
        }
        self.replay(pipeline, program, now, deadline, listener)
    }

    /// Whether the block that is being recorded has ended.
    fn record(&mut self, pipeline: &mut P, program: &mut Program, now: u64, pace: u32) -> bool {
        let Some(recording) = &self.recording else {
            return false;
        };
        let (state, missed) = (recording.state, recording.edge.missed);
        let block = &self.states[state].block;
        // Negative if instructions in flight were undone.
        let issued = program.issued().wrapping_sub(recording.issued) as i64;
        let length = block.steps.len() as i64;
        // A load that collides with a store is retried at once, and the block continues.
        let misses = program.at_redo() && pipeline.loading().is_some();
        // Instructions before an undone load belong to its block.
        let goes_on = if missed.is_some() {
            !misses && issued <= length
        } else {
            issued < length
        };
        if program.is_disturbed() || !pipeline.is_calm() || misses != (missed.is_some() && !goes_on) {
            self.recording = None;
            return program.at_redo();
        }
        if goes_on {
            return false;
        }
        let place = missed.map_or(recording.edge.outcome.next, |at| block.steps[at].pc);
        let Some(recording) = self.recording.take().filter(|_| pipeline.is_quiet()) else {
            return false;
        };
        let known = self.states.len();
        let next = self.number(pipeline, program);
        if self.states.len() < known {
            return true;
        }
        assert_eq!(place, program.core.pc, "clocked and executed alike");
        self.keep(recording, pipeline, program, (now, pace), next);
        true
    }

    /// Stores the behaviour of a recorded block that ended before cycle `now`.
    fn keep(
        &mut self,
        recording: Recording,
        pipeline: &P,
        program: &Program,
        (now, pace): (u64, u32),
        next: u32,
    ) {
        let Recording {
            state,
            edge,
            started,
            lines,
            turns,
            ..
        } = recording;
        let Ok(cycles) = u32::try_from(now - started) else {
            return;
        };
        let Some(transfers) = self.shared.timed(&program.notes.transfers, started) else {
            return;
        };
        let loaded = |&&(line, had): &&(u32, bool)| !had && pipeline.fetches(line);
        let loaded: Box<[u32]> = lines.iter().filter(loaded).map(|&(line, _)| line).collect();
        let competes = |&line: &u32| {
            let others = lines.iter().filter(|other| other.0 != line);
            others.into_iter().any(|other| pipeline.compete(line, other.0))
        };
        // Which of them stays does not depend on this block alone.
        if loaded.iter().any(competes) {
            return;
        }
        let came = |&line: &u32| (line, pipeline.came_later(line, turns[0]));
        let loaded = loaded.iter().map(came).collect();
        let [instructions, data] = pipeline.turns();
        let turns = [instructions - turns[0], data - turns[1]].map(|turns| turns as u32);
        let retired = self
            .costs_by_number
            .retirements(&program.notes.retired, started, pace);
        let tail = self.costs_by_number.number(program.notes.lost);
        let state = &mut self.states[state];
        state.longest = state.longest.max(cycles);
        let link = Link {
            edge,
            cycles,
            transfers,
            retired,
            tail,
            loaded,
            turns,
            lines: lines.into(),
            found: (0, 0),
            next,
        };
        let place = edge.place(&state.block);
        self.links = self.links + 1 - state.links.add(place, link, MOST_EXITS_OF_RUN);
    }

    /// The number of the present state.
    fn number(&mut self, pipeline: &mut P, program: &mut Program) -> u32 {
        if self.guards.len() > MOST_GUARDS {
            self.clear();
        }
        let bus = &program.core.bus;
        let class = |address: u32| bus.profile_at(address).map_or(u32::MAX, |id| u32::from(id.0));
        let core = &program.core;
        let guard = if core.indirect {
            guard_number(&mut self.guards, core.guard())
        } else {
            0
        };
        let key = (pipeline.stripped(&class), core.pc, core.privilege, guard);
        if let Some(number) = self.states.find(&key) {
            return number;
        }
        if self.states.len() >= MOST || self.links >= MOST_EXITS {
            self.clear();
            return self.number(pipeline, program);
        }
        let splits = |pc: u32| self.splits.contains(pc);
        let block = program.block_at(key.1, P::RELEVANT_OPERAND, splits);
        let state = CachedState {
            pipeline: key.0.clone(),
            watched: splits(block.pc),
            block,
            links: LinkTable::default(),
            longest: 0,
            flying: pipeline.under_way(),
        };
        self.states.add(key, state)
    }

    fn replay(
        &mut self,
        pipeline: &mut P,
        program: &mut Program,
        now: u64,
        deadline: u64,
        listener: &mut Listener<'_>,
    ) -> u64 {
        program.core.indirect = !program.core.is_direct();
        let mut number = self.number(pipeline, program);
        let loading = pipeline.loading();
        if let Some(line) = loading {
            pipeline.hold(line);
        }
        self.recent.begin(program, loading);
        self.shared.begin(program, pipeline);
        if program.core.indirect {
            program.core.forget_places();
        }
        self.deferred = DeferredPosition::new(&listener.position);
        (self.ahead, self.trail) = (0, std::mem::take(&mut self.trail));
        self.trail.clear();
        self.is_near = now + NEAR > deadline;
        if listener.selects || self.is_near {
            self.trail.extend(program.seen());
            self.drop_trail(listener);
        }
        let (mut cycle, mut due) = (now, true);
        while cycle + u64::from(self.states[number].longest) <= deadline {
            self.is_near |= cycle + u64::from(self.states[number].longest) + NEAR > deadline;
            let Some((cycles, next)) = self.step(number, pipeline, program, cycle, listener) else {
                due = false;
                break;
            };
            cycle += u64::from(cycles);
            number = next;
        }
        self.deferred
            .settle(&mut listener.position, &self.costs_by_number);
        if cycle != now {
            let unretired = self.recent.unretired(&self.states, &self.undo_log);
            let places: [AccessPlace; CLOSE as usize] = unretired.map(Unretired::place);
            let state = &self.states[number];
            pipeline.resume(&state.pipeline, &places, self.recent.loading);
            if let Some(address) = self.shared.next() {
                pipeline.wait_for(address);
            }
            program.resume(&unretired, pipeline.under_way(), self.trail.make_contiguous());
        }
        // The next event would end a cached block early.
        if !listener.paused && (!due || self.states[number].links.is_empty()) {
            self.begin_recording(number, pipeline, program, cycle);
        }
        cycle
    }

    /// Executes the next block to learn its outcome, undoes it, and has it clocked and recorded.
    fn begin_recording(&mut self, state: u32, pipeline: &P, program: &mut Program, started: u64) {
        let block = &self.states[state].block;
        if block.steps.is_empty() {
            return;
        }
        let mut recent = self.recent.clone();
        let mut check = AccessCheck {
            pipeline,
            code: &program.code,
            recent: &mut recent,
            ranges: [AddressRange::NONE; 2],
            observed: false,
            missed: None,
            collisions: StoreCollisions::NONE,
        };
        let length = block.steps.len();
        let (core, undo_log) = (&mut program.core, &mut self.undo_log);
        let Some(outcome) = block.execute(length, core, undo_log, &mut check, &mut NoObserver) else {
            program.core.pc = block.pc;
            return;
        };
        let edge = check.edge(outcome);
        self.shared.ran(block, &self.undo_log, check.missed);
        self.undo_log.undo(&mut program.core);
        program.core.pc = block.pc;
        program.note(true);
        let mut recording = Recording {
            state,
            edge,
            started,
            issued: program.issued(),
            lines: Vec::new(),
            turns: pipeline.turns(),
        };
        // A line of the current fetch may be about to miss and never be fetched again; a line being loaded may arrive.
        recording.fetches(&program.core, pipeline);
        if let Some(line) = pipeline.loading_fetched() {
            recording.looks(line, pipeline);
        }
        self.recording = Some(recording);
    }

    /// Executes the block in this state, if its behaviour is cached. Returns its cycles and the next state.
    #[inline]
    fn step(
        &mut self,
        number: u32,
        pipeline: &mut P,
        program: &mut Program,
        cycle: u64,
        listener: &mut Listener<'_>,
    ) -> Option<(u32, u32)> {
        let state = &mut self.states[number];
        if state.links.is_empty() {
            return None;
        }
        let emits = self.is_near
            || listener.observes_all()
            || !self.trail.is_empty()
            || state.watched && listener.interest.pcs.contains(state.block.pc);
        if emits {
            return self.step_emitting(number, pipeline, program, cycle, listener);
        }
        let (link, missed) = match self.execute(
            number,
            pipeline,
            program,
            (cycle, listener.ranges),
            &mut NoObserver,
        ) {
            Ok(taken) => taken,
            Err(true) => return self.step_emitting(number, pipeline, program, cycle, listener),
            Err(false) => return None,
        };
        let Link { retired, tail, .. } = &self.states[number].links[link];
        if !self.deferred.ran(cycle, retired, *tail) {
            self.deferred
                .settle(&mut listener.position, &self.costs_by_number);
        }
        Some(self.take_link(number, link, missed, pipeline, program))
    }

    /// Executes a block that begins in cycle `start`. Returns its link and its first load that misses. Otherwise everything is as before,
    /// and the error says whether an access was observed.
    #[inline]
    fn execute(
        &mut self,
        number: u32,
        pipeline: &P,
        program: &mut Program,
        (start, ranges): (u64, [AddressRange; 2]),
        observer: &mut impl InsnObserver,
    ) -> Result<(usize, Option<(usize, u32)>), bool> {
        let stores = self.recent.stores();
        let state = &mut self.states[number];
        let mut check = AccessCheck {
            pipeline,
            code: &program.code,
            recent: &mut self.recent,
            ranges,
            observed: false,
            missed: None,
            collisions: StoreCollisions::NONE,
        };
        let (length, core) = (state.block.steps.len(), &mut program.core);
        let outcome = state
            .block
            .execute(length, core, &mut self.undo_log, &mut check, observer);
        let (missed, observed) = (check.missed, check.observed);
        let edge = outcome.map(|outcome| check.edge(outcome));
        let link = edge.and_then(|edge| {
            self.shared.ran(&state.block, &self.undo_log, missed);
            let takes = |transfers: &[_]| self.shared.takes(transfers, start, &mut core.bus);
            state.link(&edge, pipeline, self.epoch, takes)
        });
        link.map(|link| (link, missed)).ok_or_else(|| {
            self.undo(number, program, outcome.is_some(), stores);
            observed
        })
    }

    /// As [`StateCache::step`], and emits events of the instructions that retire.
    fn step_emitting(
        &mut self,
        number: u32,
        pipeline: &mut P,
        program: &mut Program,
        cycle: u64,
        listener: &mut Listener<'_>,
    ) -> Option<(u32, u32)> {
        self.deferred
            .settle(&mut listener.position, &self.costs_by_number);
        if self.trail.is_empty() {
            self.ahead = self.states[number].flying;
        }
        let (stores, known) = (self.recent.stores(), self.trail.len());
        let mut trail = std::mem::take(&mut self.trail);
        let silent = (cycle, [AddressRange::NONE; 2]);
        let executed = self.execute(number, pipeline, program, silent, &mut trail);
        self.trail = trail;
        let Ok((link, missed)) = executed else {
            self.trail.truncate(known);
            return None;
        };
        // Instructions that a missing load undoes do not retire.
        let kept = missed.map_or(self.trail.len(), |(at, _)| known + at);
        self.trail.truncate(kept);
        let Some(emitted) = self.emit_retirements((number, link), cycle, listener) else {
            if !self.states[number].links[link].transfers.is_empty() {
                program.core.bus.take_back_transfers();
            }
            self.trail.truncate(known);
            self.undo(number, program, true, stores);
            return None;
        };
        self.trail.drain(..emitted);
        self.drop_trail(listener);
        self.deferred = DeferredPosition::new(&listener.position);
        Some(self.take_link(number, link, missed, pipeline, program))
    }

    /// Emits what retires along a block that begins in cycle `start`. Returns how many instructions of the trail did; `None` if the sink
    /// asks for a pause: everything is then as before the block, which must be clocked up to the pause.
    fn emit_retirements(
        &mut self,
        (state, link): (u32, usize),
        start: u64,
        listener: &mut Listener<'_>,
    ) -> Option<usize> {
        let link = &self.states[state].links[link];
        let (before, mut ahead, mut place) = (listener.position, self.ahead, 0);
        for (index, retirement) in link.retired.iter().enumerate() {
            let (now, rules) = (start + u64::from(retirement.at), retirement.rules);
            if ahead > 0 {
                ahead -= 1;
                listener.pass(now + 1);
                continue;
            }
            let seen = &self.trail[place];
            place += 1;
            if index == 0 {
                listener
                    .position
                    .lost
                    .join(self.costs_by_number.costs(retirement.lost));
                listener.retired(now, seen, rules);
            } else {
                listener.retired_again(now, seen, rules, self.costs_by_number.costs(retirement.whole));
            }
            if listener.paused {
                (listener.position, listener.emitted_until) = (before, Some(now + 1));
                return None;
            }
        }
        listener.position.lost.join(self.costs_by_number.costs(link.tail));
        self.ahead = ahead;
        Some(place)
    }

    /// Drops the trail if no listener needs an instruction in flight.
    fn drop_trail(&mut self, listener: &Listener<'_>) {
        if !self.is_near && !listener.observes_all() && !self.trail.iter().any(|seen| listener.wants(seen)) {
            self.trail.clear();
        }
    }

    /// Undoes a block whose behaviour is not cached.
    fn undo(&mut self, number: u32, program: &mut Program, executed: bool, stores: recent::RecentStores) {
        if executed {
            self.undo_log.undo(&mut program.core);
        }
        program.core.pc = self.states[number].block.pc;
        self.recent.put_back(stores);
        self.shared.undo();
    }

    /// Applies the behaviour of a block. Returns its cycles and the next state.
    #[inline]
    fn take_link(
        &mut self,
        number: u32,
        link: usize,
        missed: Option<(usize, u32)>,
        pipeline: &mut P,
        program: &mut Program,
    ) -> (u32, u32) {
        let state = &self.states[number];
        let link = &state.links[link];
        for &(line, later) in &link.loaded {
            pipeline.hold_fetched(line, later);
        }
        pipeline.turn_by(link.turns);
        self.shared.complete(&link.transfers);
        match missed {
            None => self
                .recent
                .ran(number, state.block.steps.len(), self.undo_log.advance()),
            Some((at, line)) => {
                self.undo_log.undo(&mut program.core);
                let (core, undo_log) = (&mut program.core, &mut self.undo_log);
                state
                    .block
                    .execute(at, core, undo_log, &mut Replay, &mut NoObserver);
                pipeline.hold(line);
                self.recent.redo(line);
            }
        }
        program.retire_again(link.retired.len() as u32);
        (link.cycles, link.next)
    }
}
