//! What a pipeline does along runs of instructions, remembered.
//!
//! A pipeline whose registers are the same at the beginning of the same run does the same, if what it asks of the outside
//! comes out the same: where the run goes on, which of its loads misses the cache, which lines the fetch meets. So each run is
//! clocked once from each set of registers, and from then on only its instructions are executed. Whatever is not as
//! remembered is clocked, from the registers at the beginning of the run.
//!
//! A load that misses is taken back, with all behind it, while its line is loaded. The run is over with that; the next one
//! begins with the load, and a line on its way among the registers.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use super::program::{Flight, Program};
use super::run::{LONGEST, Outcome, Run, Straight, Traces};
use crate::timing::{Load, Place, Recurrent};
use crate::trap::Privilege;

/// Cycles by which it stays away from what comes next: more than what is under way needs to leave the pipeline.
const MARGIN: u64 = 512;

/// With more sets of registers than this all are forgotten, so that memory stays bounded.
const MOST: usize = 1 << 15;

/// Accesses of instructions that are kept: a power of two, at least [`CLOSE`].
const RECENT: usize = 4;

/// In place of a state: there was no run.
const NO_STATE: u32 = u32::MAX;

/// With more ways in which a run goes all of them are forgotten.
const MOST_EXITS: usize = 64;

/// A load that follows a store to the same word so closely may meet it in the cache.
const CLOSE: u64 = 3;

type Deterministic = BuildHasherDefault<DefaultHasher>;

/// The registers, the address of the run, and at which privilege it is executed.
type Key<P> = (P, u32, Privilege);

/// What is remembered.
#[derive(Debug)]
pub(super) struct Memo<P> {
    states: Vec<State<P>>,
    numbers: HashMap<Key<P>, u32, Deterministic>,
    traces: Traces,
    recent: Recent,
    recording: Option<Recording>,
}

/// A copy remembers nothing.
impl<P> Clone for Memo<P> {
    fn clone(&self) -> Self {
        Memo::new()
    }
}

#[derive(Debug)]
struct State<P> {
    pipeline: P,
    run: Run,
    exits: Vec<Exit>,
    /// The most cycles that it is known to take.
    longest: u32,
}

/// How a run goes.
#[derive(Debug)]
struct Exit {
    outcome: Outcome,
    /// The load at this place misses the data cache, with which the run is over for now.
    missed: Option<usize>,
    cycles: u32,
    retired: u32,
    /// Lines that the fetch looked for, and whether the cache had them then.
    lines: Box<[(u32, bool)]>,
    /// Those that it loaded.
    loaded: Box<[u32]>,
    next: u32,
}

/// A run that is being clocked.
#[derive(Debug)]
struct Recording {
    state: u32,
    outcome: Outcome,
    missed: Option<usize>,
    started: u64,
    issued: u64,
    retired: u64,
    lines: Vec<(u32, bool)>,
}

/// The last stores, and what was executed last.
#[derive(Clone, Debug)]
struct Recent {
    /// Instructions counted so far.
    count: u64,
    stores: [(u32, u64); 4],
    oldest: usize,
    /// The states of the last runs, the youngest first.
    states: [u32; CLOSE as usize],
    /// What the last instructions accessed, by their count.
    addresses: [u32; RECENT],
    /// What was executed before the first of these runs, the youngest first.
    before: [Flight; CLOSE as usize],
    /// The line that the data cache loads, if it does.
    loading: u32,
}

struct Checks<'a, P> {
    pipeline: &'a P,
    code: &'a super::code::Code,
    recent: &'a mut Recent,
    /// The first load that misses, and its line.
    missed: Option<(usize, u32)>,
}

impl<P: Recurrent> Straight for Checks<'_, P> {
    #[inline]
    fn load(&mut self, at: usize, address: u32) -> bool {
        let load = self.pipeline.load(address);
        if load == Load::Misses && self.missed.is_none() {
            self.missed = Some((at, address >> 5));
        }
        let now = self.recent.count + at as u64;
        let meets = |&(word, when): &(u32, u64)| word == address >> 2 && now - when <= CLOSE;
        load != Load::Else && !(P::STORES_COLLIDE && self.recent.stores.iter().any(meets))
    }

    #[inline]
    fn store(&mut self, at: usize, address: u32) -> bool {
        if P::STORES_COLLIDE {
            self.recent.stored(address >> 2, at as u64);
        }
        self.pipeline.stores_at_once(address) && !self.code.is_run(address)
    }
}

/// What is executed again up to a load that misses goes as it went.
struct Before;

impl Straight for Before {
    fn load(&mut self, _: usize, _: u32) -> bool {
        true
    }

    fn store(&mut self, _: usize, _: u32) -> bool {
        true
    }
}

impl<P> Memo<P> {
    pub(super) fn new() -> Self {
        Memo {
            states: Vec::new(),
            numbers: HashMap::default(),
            traces: Traces::new(),
            recent: Recent {
                count: 0,
                stores: [(u32::MAX, 0); 4],
                oldest: 0,
                states: [NO_STATE; CLOSE as usize],
                addresses: [0; RECENT],
                before: [Flight::NONE; CLOSE as usize],
                loading: 0,
            },
            recording: None,
        }
    }

    /// Whoever runs the program has changed something, perhaps.
    pub(super) fn begin(&mut self) {
        self.recording = None;
    }
}

impl<P: Recurrent> Memo<P> {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.states.clear();
        self.numbers.clear();
        self.recording = None;
    }

    /// Between two cycles, `now` being the next: goes on as far as is remembered, up to `horizon` at the most, and begins to
    /// remember what comes next. Gives the next cycle.
    #[inline]
    pub(super) fn go_on(&mut self, pipeline: &mut P, program: &mut Program, now: u64, horizon: u64) -> u64 {
        if program.code.take_changed() {
            self.clear();
        }
        if let Some(recording) = &mut self.recording {
            let line = pipeline.fetch_pc() >> 5;
            if recording.lines.iter().all(|&(known, _)| known != line) {
                recording.lines.push((line, pipeline.fetches(line)));
            }
            if !self.record(pipeline, program, now) {
                return now;
            }
        } else if !program.at_jump() && !program.at_redo() {
            return now;
        }
        if now + MARGIN > horizon || program.is_disturbed() || !pipeline.is_quiet() {
            return now;
        }
        self.follow(pipeline, program, now, horizon)
    }

    /// Whether a run that is being clocked is over.
    fn record(&mut self, pipeline: &mut P, program: &mut Program, now: u64) -> bool {
        let Some(recording) = &self.recording else {
            return false;
        };
        let (state, missed) = (recording.state, recording.missed);
        let run = &self.states[state as usize].run;
        let (length, issued) = (run.steps.len() as u64, program.issued() - recording.issued);
        // What is executed before a load is taken back is to be of its run.
        let goes_on = if missed.is_some() {
            !program.at_redo() && issued <= length
        } else {
            issued < length
        };
        if program.is_disturbed()
            || !pipeline.is_calm()
            || program.at_redo() != (missed.is_some() && !goes_on)
        {
            self.recording = None;
            return program.at_redo();
        }
        if goes_on {
            return false;
        }
        let place = missed.map_or(recording.outcome.next, |at| run.steps[at].pc);
        let Some(recording) = self.recording.take().filter(|_| pipeline.is_quiet()) else {
            return false;
        };
        let (cycles, known) = (now - recording.started, self.states.len());
        let next = self.number(pipeline, program);
        let Ok(cycles) = u32::try_from(cycles) else {
            return true;
        };
        if self.states.len() < known {
            return true;
        }
        assert_eq!(place, program.core.pc, "clocked and executed alike");
        let loaded = |&&(line, had): &&(u32, bool)| !had && pipeline.fetches(line);
        let loaded = recording.lines.iter().filter(loaded).map(|&(line, _)| line);
        let state = &mut self.states[state as usize];
        if state.exits.len() == MOST_EXITS {
            state.exits.clear();
        }
        state.longest = state.longest.max(cycles);
        state.exits.push(Exit {
            outcome: recording.outcome,
            missed,
            cycles,
            retired: (program.retired - recording.retired) as u32,
            loaded: loaded.collect(),
            lines: recording.lines.into(),
            next,
        });
        true
    }

    /// The number of the registers as they are, at the run that comes next.
    fn number(&mut self, pipeline: &mut P, program: &mut Program) -> u32 {
        let bus = &program.core.bus;
        let class = |address: u32| bus.profile_at(address).map_or(u32::MAX, |id| u32::from(id.0));
        let core = &program.core;
        let key = (pipeline.stripped(&class), core.pc, core.privilege);
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        if self.states.len() >= MOST {
            self.clear();
        }
        let run = program.run_at(key.1, P::MATTERS);
        let number = self.states.len() as u32;
        self.states.push(State {
            pipeline: key.0.clone(),
            run,
            exits: Vec::new(),
            longest: 0,
        });
        self.numbers.insert(key, number);
        number
    }

    fn follow(&mut self, pipeline: &mut P, program: &mut Program, now: u64, horizon: u64) -> u64 {
        let mut number = self.number(pipeline, program);
        let loading = pipeline.loading();
        if let Some(line) = loading {
            pipeline.hold(line);
        }
        self.recent.begin(program, loading);
        let mut cycle = now;
        while cycle + u64::from(self.states[number as usize].longest) + MARGIN <= horizon {
            let Some((cycles, next)) = self.step(number, pipeline, program) else {
                break;
            };
            cycle += u64::from(cycles);
            number = next;
        }
        if cycle != now {
            let flights = self.flights();
            let places: [Place; CLOSE as usize] = flights.map(Flight::place);
            let state = &self.states[number as usize];
            pipeline.resume(&state.pipeline, &places, self.recent.loading);
            program.resume(&flights, pipeline.under_way(), &[]);
        }
        self.begin_recording(number, pipeline, program, cycle);
        cycle
    }

    /// Executes the next run to see what comes of it, takes that back, and has it clocked.
    fn begin_recording(&mut self, state: u32, pipeline: &P, program: &mut Program, started: u64) {
        let run = &self.states[state as usize].run;
        if run.steps.is_empty() {
            return;
        }
        let mut recent = self.recent.clone();
        let mut checks = Checks {
            pipeline,
            code: &program.code,
            recent: &mut recent,
            missed: None,
        };
        let length = run.steps.len();
        let Some(outcome) = run.execute(length, &mut program.core, &mut self.traces, &mut checks) else {
            program.core.pc = run.pc;
            return;
        };
        let missed = checks.missed.map(|(at, _)| at);
        let line = pipeline.fetch_pc() >> 5;
        self.traces.undo(&mut program.core);
        program.core.pc = run.pc;
        self.recording = Some(Recording {
            state,
            outcome,
            missed,
            started,
            issued: program.issued(),
            retired: program.retired,
            // It may be on its way to being missed, and never be fetched from again.
            lines: vec![(line, pipeline.fetches(line))],
        });
    }

    /// Executes the run at which these registers are, if it is remembered how it goes.
    #[inline]
    fn step(&mut self, number: u32, pipeline: &mut P, program: &mut Program) -> Option<(u32, u32)> {
        let state = &self.states[number as usize];
        if state.exits.is_empty() {
            return None;
        }
        let stores = (self.recent.stores, self.recent.oldest);
        let mut checks = Checks {
            pipeline,
            code: &program.code,
            recent: &mut self.recent,
            missed: None,
        };
        let length = state.run.steps.len();
        let outcome = state
            .run
            .execute(length, &mut program.core, &mut self.traces, &mut checks);
        let missed = checks.missed;
        let exit = outcome.and_then(|outcome| {
            let same = |exit: &&Exit| {
                let there = |&(line, had): &(u32, bool)| pipeline.fetches(line) == had;
                let goes = exit.outcome == outcome && exit.missed == missed.map(|(at, _)| at);
                goes && exit.lines.iter().all(there)
            };
            state.exits.iter().find(same)
        });
        let Some(exit) = exit else {
            if outcome.is_some() {
                self.traces.undo(&mut program.core);
            }
            program.core.pc = state.run.pc;
            (self.recent.stores, self.recent.oldest) = stores;
            return None;
        };
        for &line in &exit.loaded {
            pipeline.hold_fetched(line);
        }
        match missed {
            None => self.recent.ran(number, length, &self.traces),
            Some((at, line)) => {
                self.traces.undo(&mut program.core);
                state
                    .run
                    .execute(at, &mut program.core, &mut self.traces, &mut Before);
                pipeline.hold(line);
                self.recent.redo(line);
            }
        }
        program.retire_again(exit.retired);
        Some((exit.cycles, exit.next))
    }

    /// What was executed last, the youngest first.
    fn flights(&self) -> [Flight; CLOSE as usize] {
        let recent = &self.recent;
        let runs = recent.states.iter().take_while(|&&state| state != NO_STATE);
        let steps = runs.flat_map(|&state| self.states[state as usize].run.steps.iter().rev());
        let ran = steps.zip(1..).map(|(step, back)| {
            let address = recent.addresses[(recent.count - back) as usize % RECENT];
            Flight::new(step.pc, step.insn, address)
        });
        let mut flights = ran.take(CLOSE as usize).chain(recent.before);
        std::array::from_fn(|_| flights.next().unwrap_or(Flight::NONE))
    }
}

impl Recent {
    /// Nothing is under way, and a line is loaded.
    fn redo(&mut self, loading: u32) {
        self.count = CLOSE + LONGEST as u64;
        self.stores = [(u32::MAX, 0); 4];
        self.states = [NO_STATE; CLOSE as usize];
        self.before = [Flight::NONE; CLOSE as usize];
        self.loading = loading;
    }

    /// Begins behind what was clocked.
    fn begin(&mut self, program: &Program, loading: Option<u32>) {
        self.redo(loading.unwrap_or_default());
        self.count -= 1;
        for flight in program.flights() {
            self.before.rotate_right(1);
            self.before[0] = flight;
            if let Some(word) = flight.stored() {
                self.stored(word, 0);
            }
        }
        self.count += 1;
    }

    /// The instruction so many behind the next one stores to this word.
    #[inline]
    fn stored(&mut self, word: u32, ahead: u64) {
        self.stores[self.oldest] = (word, self.count + ahead);
        self.oldest = (self.oldest + 1) % self.stores.len();
    }

    /// A run of so many instructions was executed.
    #[inline]
    fn ran(&mut self, state: u32, length: usize, traces: &Traces) {
        for at in length.saturating_sub(CLOSE as usize)..length {
            self.addresses[(self.count + at as u64) as usize % RECENT] = traces.addresses[at];
        }
        let [first, second, _] = self.states;
        self.states = [state, first, second];
        self.count += length as u64;
    }
}
