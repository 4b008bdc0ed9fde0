//! Caches the pipeline's behaviour along runs of instructions.
//!
//! A pipeline with the same registers at the start of the same run behaves the same, if its environment answers the same: the next run, the
//! loads that miss the cache, the lines that the fetch finds. Each run is clocked once from each set of registers; later only its
//! instructions are executed. If anything differs from the cached behaviour, the run is clocked from the registers at its start.
//!
//! A load that misses is undone, with all younger instructions, while its line is loaded. The run ends there; the next one begins with the
//! load, and the registers include the line under way.

mod exits;
mod ledger;
mod recent;
mod shared;

use std::collections::VecDeque;
use std::hash::Hash;

use events::Pcs;
use exec::{AddressRange, BlockCache, Exits, SplitPoints};

use super::program::{Flight, Program};
use super::run::{Trace, Traces, Unseen};
use super::tell::{Ear, Seen};
use crate::mmu::Guard;
use crate::timing::{Place, Recurrent};
use crate::trap::Privilege;
use exits::{Exit, Recording, State, guard_number};
use ledger::{Late, Ledger};
use recent::{Before, CLOSE, Checks, Meetings, Recent};
use shared::Shared;

/// Cycles before the limit from which it keeps each instruction's effects: more than the instructions under way need to leave the pipeline.
/// A listener that starts at the limit may ask for them.
const NEAR: u64 = 512;

/// With more sets of registers than this, or more ways in which runs go, all are forgotten, so that memory stays bounded.
const MOST: usize = 1 << 15;
const MOST_EXITS: usize = 1 << 17;

/// With more ways in which a run goes all of them are forgotten.
const MOST_EXITS_OF_RUN: u16 = 64;

/// Most fetch guards in the cache.
const MOST_GUARDS: usize = 1 << 8;

/// The registers, the address of the run, at which privilege it is executed, and what decides where its fetches go.
type Key<P> = (P, u32, Privilege, usize);

/// Sets of registers, each with the run that they come to.
type States<P> = BlockCache<Key<P>, State<P>>;

/// The cache of pipeline behaviour.
#[derive(Debug)]
pub(super) struct Memo<P> {
    states: States<P>,
    /// The distinct guards of fetches so far, except the trivial one.
    guards: Vec<Guard>,
    exits: usize,
    ledger: Ledger,
    traces: Traces,
    recent: Recent,
    shared: Shared,
    /// How often somebody else may have changed what the caches hold.
    epoch: u64,
    recording: Option<Recording>,
    splits: SplitPoints,
    late: Late,
    /// Event data of the instructions under way, oldest first; empty if the listener needs none of them.
    trail: VecDeque<Seen>,
    /// Instructions under way that are older than those.
    ahead: usize,
    /// The end of what it may go on for is near.
    is_near: bool,
}

/// A copy remembers nothing.
impl<P: Eq + Hash> Clone for Memo<P> {
    fn clone(&self) -> Self {
        Memo::new()
    }
}

impl<P: Eq + Hash> Memo<P> {
    pub(super) fn new() -> Self {
        Memo {
            states: States::default(),
            guards: Vec::new(),
            exits: 0,
            ledger: Ledger::new(),
            traces: Traces::new(),
            recent: Recent::new(),
            shared: Shared::default(),
            epoch: 1,
            recording: None,
            splits: SplitPoints::default(),
            late: Late::default(),
            trail: VecDeque::new(),
            ahead: 0,
            is_near: false,
        }
    }

    /// Whoever runs the program has changed something, perhaps, and wants to hear of these instructions.
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
        self.exits = 0;
        self.ledger = Ledger::new();
        self.recording = None;
    }
}

impl<P: Recurrent> Memo<P> {
    /// Between two cycles, `now` being the next: goes on as far as is remembered, up to `horizon` at the most, and begins to
    /// remember what comes next. Gives the next cycle.
    #[inline]
    pub(super) fn go_on(
        &mut self,
        pipeline: &mut P,
        program: &mut Program,
        now: u64,
        horizon: u64,
        ear: &mut Ear<'_>,
    ) -> u64 {
        if program.code.take_changed() {
            self.clear();
        }
        if let Some(recording) = &mut self.recording {
            recording.fetches(&program.core, pipeline);
            if !self.record(pipeline, program, now, ear.pace) {
                return now;
            }
        } else {
            program.stop_noting();
            if !program.at_jump() && !program.at_redo() {
                return now;
            }
        }
        if now >= horizon || program.is_disturbed() || !pipeline.is_quiet() {
            return now;
        }
        self.follow(pipeline, program, now, horizon, ear)
    }

    /// Whether a run that is being clocked is over.
    fn record(&mut self, pipeline: &mut P, program: &mut Program, now: u64, pace: u32) -> bool {
        let Some(recording) = &self.recording else {
            return false;
        };
        let (state, missed) = (recording.state, recording.way.missed);
        let run = &self.states[state].run;
        // Less than none if what was under way before was taken back.
        let issued = program.issued().wrapping_sub(recording.issued) as i64;
        let length = run.steps.len() as i64;
        // A load that met a store comes again at once, and the run goes on.
        let misses = program.at_redo() && pipeline.loading().is_some();
        // Instructions before an undone load belong to its run.
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
        let place = missed.map_or(recording.way.outcome.next, |at| run.steps[at].pc);
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

    /// Keeps how a run went that is over with cycle `now`.
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
            way,
            started,
            lines,
            turns,
            ..
        } = recording;
        let Ok(cycles) = u32::try_from(now - started) else {
            return;
        };
        let Some(asked) = self.shared.asked(&program.notes.transfers, started) else {
            return;
        };
        let loaded = |&&(line, had): &&(u32, bool)| !had && pipeline.fetches(line);
        let loaded: Box<[u32]> = lines.iter().filter(loaded).map(|&(line, _)| line).collect();
        let competes = |&line: &u32| {
            let others = lines.iter().filter(|other| other.0 != line);
            others.into_iter().any(|other| pipeline.compete(line, other.0))
        };
        // Which of them stays is no matter of this run alone.
        if loaded.iter().any(competes) {
            return;
        }
        let came = |&line: &u32| (line, pipeline.came_later(line, turns[0]));
        let loaded = loaded.iter().map(came).collect();
        let [instructions, data] = pipeline.turns();
        let turns = [instructions - turns[0], data - turns[1]].map(|turns| turns as u32);
        let retired = self.ledger.retirements(&program.notes.retired, started, pace);
        let tail = self.ledger.number(program.notes.lost);
        let state = &mut self.states[state];
        state.longest = state.longest.max(cycles);
        let exit = Exit {
            way,
            cycles,
            asked,
            retired,
            tail,
            loaded,
            turns,
            lines: lines.into(),
            found: (0, 0),
            next,
        };
        let place = way.place(&state.run);
        self.exits = self.exits + 1 - state.exits.add(place, exit, MOST_EXITS_OF_RUN);
    }

    /// The number of the registers as they are, at the run that comes next.
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
        if self.states.len() >= MOST || self.exits >= MOST_EXITS {
            self.clear();
            return self.number(pipeline, program);
        }
        let splits = |pc: u32| self.splits.contains(pc);
        let run = program.run_at(key.1, P::MATTERS, splits);
        let state = State {
            pipeline: key.0.clone(),
            watched: splits(run.pc),
            run,
            exits: Exits::default(),
            longest: 0,
            flying: pipeline.under_way(),
        };
        self.states.add(key, state)
    }

    fn follow(
        &mut self,
        pipeline: &mut P,
        program: &mut Program,
        now: u64,
        horizon: u64,
        ear: &mut Ear<'_>,
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
        self.late = Late::new(&ear.told);
        (self.ahead, self.trail) = (0, std::mem::take(&mut self.trail));
        self.trail.clear();
        self.is_near = now + NEAR > horizon;
        if ear.selects || self.is_near {
            self.trail.extend(program.seen());
            self.drop_trail(ear);
        }
        let (mut cycle, mut due) = (now, true);
        while cycle + u64::from(self.states[number].longest) <= horizon {
            self.is_near |= cycle + u64::from(self.states[number].longest) + NEAR > horizon;
            let Some((cycles, next)) = self.step(number, pipeline, program, cycle, ear) else {
                due = false;
                break;
            };
            cycle += u64::from(cycles);
            number = next;
        }
        self.late.settle(&mut ear.told, &self.ledger);
        if cycle != now {
            let flights = self.recent.flights(&self.states, &self.traces);
            let places: [Place; CLOSE as usize] = flights.map(Flight::place);
            let state = &self.states[number];
            pipeline.resume(&state.pipeline, &places, self.recent.loading);
            if let Some(address) = self.shared.next() {
                pipeline.wait_for(address);
            }
            program.resume(&flights, pipeline.under_way(), self.trail.make_contiguous());
        }
        // The next event would end a cached run early.
        if !ear.paused && (!due || self.states[number].exits.is_empty()) {
            self.begin_recording(number, pipeline, program, cycle);
        }
        cycle
    }

    /// Executes the next run to learn its outcome, undoes it, and has it clocked.
    fn begin_recording(&mut self, state: u32, pipeline: &P, program: &mut Program, started: u64) {
        let run = &self.states[state].run;
        if run.steps.is_empty() {
            return;
        }
        let mut recent = self.recent.clone();
        let mut checks = Checks {
            pipeline,
            code: &program.code,
            recent: &mut recent,
            ranges: [AddressRange::NONE; 2],
            heard: false,
            missed: None,
            meetings: Meetings::NONE,
        };
        let length = run.steps.len();
        let (core, traces) = (&mut program.core, &mut self.traces);
        let Some(outcome) = run.execute(length, core, traces, &mut checks, &mut Unseen) else {
            program.core.pc = run.pc;
            return;
        };
        let way = checks.way(outcome);
        self.shared.ran(run, &self.traces, checks.missed);
        self.traces.undo(&mut program.core);
        program.core.pc = run.pc;
        program.note(true);
        let mut recording = Recording {
            state,
            way,
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

    /// Executes the run at which these registers are, if it is remembered how it goes.
    #[inline]
    fn step(
        &mut self,
        number: u32,
        pipeline: &mut P,
        program: &mut Program,
        cycle: u64,
        ear: &mut Ear<'_>,
    ) -> Option<(u32, u32)> {
        let state = &mut self.states[number];
        if state.exits.is_empty() {
            return None;
        }
        let tells = self.is_near
            || ear.hears_all()
            || !self.trail.is_empty()
            || state.watched && ear.interest.pcs.contains(state.run.pc);
        if tells {
            return self.step_telling(number, pipeline, program, cycle, ear);
        }
        let (exit, missed) = match self.execute(number, pipeline, program, (cycle, ear.ranges), &mut Unseen) {
            Ok(went) => went,
            Err(true) => return self.step_telling(number, pipeline, program, cycle, ear),
            Err(false) => return None,
        };
        let Exit { retired, tail, .. } = &self.states[number].exits[exit];
        if !self.late.ran(cycle, retired, *tail) {
            self.late.settle(&mut ear.told, &self.ledger);
        }
        Some(self.went(number, exit, missed, pipeline, program))
    }

    /// Executes a run that begins in cycle `start`. Gives how it goes, and its first load that misses; or else whether it met an access in
    /// these ranges, and then all is as before.
    #[inline]
    fn execute(
        &mut self,
        number: u32,
        pipeline: &P,
        program: &mut Program,
        (start, ranges): (u64, [AddressRange; 2]),
        trace: &mut impl Trace,
    ) -> Result<(usize, Option<(usize, u32)>), bool> {
        let stores = self.recent.stores();
        let state = &mut self.states[number];
        let mut checks = Checks {
            pipeline,
            code: &program.code,
            recent: &mut self.recent,
            ranges,
            heard: false,
            missed: None,
            meetings: Meetings::NONE,
        };
        let (length, core) = (state.run.steps.len(), &mut program.core);
        let outcome = state
            .run
            .execute(length, core, &mut self.traces, &mut checks, trace);
        let (missed, heard) = (checks.missed, checks.heard);
        let way = outcome.map(|outcome| checks.way(outcome));
        let exit = way.and_then(|way| {
            self.shared.ran(&state.run, &self.traces, missed);
            let takes = |asked: &[_]| self.shared.takes(asked, start, &mut core.bus);
            state.exit(&way, pipeline, self.epoch, takes)
        });
        exit.map(|exit| (exit, missed)).ok_or_else(|| {
            self.take_back(number, program, outcome.is_some(), stores);
            heard
        })
    }

    /// Like [`Memo::step`], and emits events of the instructions that retire.
    fn step_telling(
        &mut self,
        number: u32,
        pipeline: &mut P,
        program: &mut Program,
        cycle: u64,
        ear: &mut Ear<'_>,
    ) -> Option<(u32, u32)> {
        self.late.settle(&mut ear.told, &self.ledger);
        if self.trail.is_empty() {
            self.ahead = self.states[number].flying;
        }
        let (stores, known) = (self.recent.stores(), self.trail.len());
        let mut trail = std::mem::take(&mut self.trail);
        let silent = (cycle, [AddressRange::NONE; 2]);
        let executed = self.execute(number, pipeline, program, silent, &mut trail);
        self.trail = trail;
        let Ok((exit, missed)) = executed else {
            self.trail.truncate(known);
            return None;
        };
        // Instructions that a missing load undoes do not retire.
        let kept = missed.map_or(self.trail.len(), |(at, _)| known + at);
        self.trail.truncate(kept);
        let Some(told) = self.tell((number, exit), cycle, ear) else {
            if !self.states[number].exits[exit].asked.is_empty() {
                program.core.bus.take_back_transfers();
            }
            self.trail.truncate(known);
            self.take_back(number, program, true, stores);
            return None;
        };
        self.trail.drain(..told);
        self.drop_trail(ear);
        self.late = Late::new(&ear.told);
        Some(self.went(number, exit, missed, pipeline, program))
    }

    /// Tells of what retires along a run that begins in cycle `start`; how many of the trail did. None if the sink asks for a
    /// pause: then all is as before the run, which has to be clocked to where it paused.
    fn tell(&mut self, (state, exit): (u32, usize), start: u64, ear: &mut Ear<'_>) -> Option<usize> {
        let exit = &self.states[state].exits[exit];
        let (before, mut ahead, mut place) = (ear.told, self.ahead, 0);
        for (index, retirement) in exit.retired.iter().enumerate() {
            let (now, rules) = (start + u64::from(retirement.at), retirement.rules);
            if ahead > 0 {
                ahead -= 1;
                ear.pass(now + 1);
                continue;
            }
            let seen = &self.trail[place];
            place += 1;
            if index == 0 {
                ear.told.lost.join(self.ledger.costs(retirement.lost));
                ear.retired(now, seen, rules);
            } else {
                ear.retired_again(now, seen, rules, self.ledger.costs(retirement.whole));
            }
            if ear.paused {
                (ear.told, ear.deaf_until) = (before, Some(now + 1));
                return None;
            }
        }
        ear.told.lost.join(self.ledger.costs(exit.tail));
        self.ahead = ahead;
        Some(place)
    }

    /// Drops the trail if the listener needs none of the instructions under way.
    fn drop_trail(&mut self, ear: &Ear<'_>) {
        if !self.is_near && !ear.hears_all() && !self.trail.iter().any(|seen| ear.wants(seen)) {
            self.trail.clear();
        }
    }

    /// A run was executed that does not go as any that is remembered.
    fn take_back(&mut self, number: u32, program: &mut Program, executed: bool, stores: recent::Stores) {
        if executed {
            self.traces.undo(&mut program.core);
        }
        program.core.pc = self.states[number].run.pc;
        self.recent.put_back(stores);
        self.shared.take_back();
    }

    /// A run went this way. Gives its cycles and the next one.
    #[inline]
    fn went(
        &mut self,
        number: u32,
        exit: usize,
        missed: Option<(usize, u32)>,
        pipeline: &mut P,
        program: &mut Program,
    ) -> (u32, u32) {
        let state = &self.states[number];
        let exit = &state.exits[exit];
        for &(line, later) in &exit.loaded {
            pipeline.hold_fetched(line, later);
        }
        pipeline.turn_by(exit.turns);
        self.shared.went(&exit.asked);
        match missed {
            None => self
                .recent
                .ran(number, state.run.steps.len(), self.traces.advance()),
            Some((at, line)) => {
                self.traces.undo(&mut program.core);
                let (core, traces) = (&mut program.core, &mut self.traces);
                state.run.execute(at, core, traces, &mut Before, &mut Unseen);
                pipeline.hold(line);
                self.recent.redo(line);
            }
        }
        program.retire_again(exit.retired.len() as u32);
        (exit.cycles, exit.next)
    }
}
