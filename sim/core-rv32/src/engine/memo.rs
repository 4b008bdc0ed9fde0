//! What a pipeline does along runs of instructions, remembered.
//!
//! A pipeline whose registers are the same at the beginning of the same run does the same, if what it asks of the outside
//! comes out the same: where the run goes on, that its accesses hit the cache, which lines the fetch meets. So each run is
//! clocked once from each set of registers, and from then on only its instructions are executed. Whatever is not as
//! remembered is clocked, from the registers at the beginning of the run.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use super::program::{Flight, Program};
use super::run::{LONGEST, Outcome, Run, Straight, Traces};
use crate::timing::{Place, Recurrent};

/// Cycles by which it stays away from what comes next: more than what is under way needs to leave the pipeline.
const MARGIN: u64 = 512;

/// Runs that take longer are clocked each time.
const LONGEST_TIME: u64 = 256;

/// With more sets of registers than this all are forgotten, so that memory stays bounded.
const MOST: usize = 1 << 15;

/// A load that follows a store to the same word so closely may meet it in the cache.
const CLOSE: u64 = 3;

type Deterministic = BuildHasherDefault<DefaultHasher>;

/// What is remembered.
#[derive(Debug)]
pub(super) struct Memo<P> {
    states: Vec<State<P>>,
    numbers: HashMap<(P, u32), u32, Deterministic>,
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
}

/// How a run goes.
#[derive(Debug)]
struct Exit {
    outcome: Outcome,
    cycles: u32,
    retired: u32,
    /// Lines that the fetch looked for, with what was in their places.
    lines: Box<[(u32, Option<u32>)]>,
    next: u32,
}

/// A run that is being clocked.
#[derive(Debug)]
struct Recording {
    state: u32,
    outcome: Outcome,
    started: u64,
    issued: u64,
    retired: u64,
    lines: Vec<u32>,
}

/// The last stores, and what was executed last.
#[derive(Clone, Debug)]
struct Recent {
    /// Instructions counted so far.
    count: u64,
    stores: [(u32, u64); 4],
    oldest: usize,
    flights: [Flight; CLOSE as usize],
}

struct Checks<'a, P> {
    pipeline: &'a P,
    code: &'a super::code::Code,
    recent: &'a mut Recent,
}

impl<P: Recurrent> Straight for Checks<'_, P> {
    #[inline]
    fn load(&self, at: usize, address: u32) -> bool {
        let now = self.recent.count + at as u64;
        let meets = |&(word, when): &(u32, u64)| word == address >> 2 && now - when <= CLOSE;
        self.pipeline.loads_at_once(address) && !(P::STORES_COLLIDE && self.recent.stores.iter().any(meets))
    }

    #[inline]
    fn store(&mut self, at: usize, address: u32) -> bool {
        let recent = &mut *self.recent;
        recent.stores[recent.oldest] = (address >> 2, recent.count + at as u64);
        recent.oldest = (recent.oldest + 1) % recent.stores.len();
        self.pipeline.stores_at_once(address) && !self.code.is_run(address)
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
                flights: [Flight::NONE; CLOSE as usize],
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
            if !recording.lines.contains(&line) {
                recording.lines.push(line);
            }
            if !self.record(pipeline, program, now) {
                return now;
            }
        } else if !program.at_jump() {
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
        if program.is_disturbed() || !pipeline.is_calm() {
            self.recording = None;
            return false;
        }
        let (state, length) = (
            recording.state,
            self.states[recording.state as usize].run.steps.len(),
        );
        if program.issued() - recording.issued < length as u64 {
            return false;
        }
        let Some(recording) = self.recording.take().filter(|_| pipeline.is_quiet()) else {
            return false;
        };
        let (cycles, known) = (now - recording.started, self.states.len());
        let next = self.number(pipeline, program);
        if cycles > LONGEST_TIME || self.states.len() < known {
            return true;
        }
        assert_eq!(
            recording.outcome.next, program.core.pc,
            "clocked and executed alike"
        );
        let lines = recording
            .lines
            .iter()
            .map(|&line| (line, pipeline.fetch_line(line)));
        self.states[state as usize].exits.push(Exit {
            outcome: recording.outcome,
            cycles: cycles as u32,
            retired: (program.core.csrs.instret - recording.retired) as u32,
            lines: lines.collect(),
            next,
        });
        true
    }

    /// The number of the registers as they are, at the run that comes next.
    fn number(&mut self, pipeline: &mut P, program: &mut Program) -> u32 {
        let bus = &program.core.bus;
        let class = |address: u32| bus.profile_at(address).map_or(u32::MAX, |id| u32::from(id.0));
        let key = (pipeline.stripped(&class), program.core.pc);
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        if self.states.len() >= MOST {
            self.clear();
        }
        let run = program.run_at(key.1, P::AMOUNTS_MATTER);
        let number = self.states.len() as u32;
        self.states.push(State {
            pipeline: key.0.clone(),
            run,
            exits: Vec::new(),
        });
        self.numbers.insert(key, number);
        number
    }

    fn follow(&mut self, pipeline: &mut P, program: &mut Program, now: u64, horizon: u64) -> u64 {
        let mut number = self.number(pipeline, program);
        self.recent.begin(program);
        let mut cycle = now;
        while cycle + MARGIN <= horizon {
            let Some((cycles, next)) = self.step(number, pipeline, program) else {
                break;
            };
            cycle += u64::from(cycles);
            number = next;
        }
        if cycle != now {
            let places: [Place; CLOSE as usize] = self.recent.flights.map(Flight::place);
            let state = &self.states[number as usize];
            pipeline.resume(&state.pipeline, &places);
            program.resume(&self.recent.flights, pipeline.under_way());
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
        };
        let Some(outcome) = run.execute(&mut program.core, &mut self.traces, &mut checks) else {
            program.core.pc = run.pc;
            return;
        };
        self.traces.undo(&mut program.core);
        program.core.pc = run.pc;
        self.recording = Some(Recording {
            state,
            outcome,
            started,
            issued: program.issued(),
            retired: program.core.csrs.instret,
            lines: Vec::new(),
        });
    }

    /// Executes the run at which these registers are, if it is remembered how it goes.
    #[inline]
    fn step(&mut self, number: u32, pipeline: &P, program: &mut Program) -> Option<(u32, u32)> {
        let state = &self.states[number as usize];
        if state.exits.is_empty() {
            return None;
        }
        let stores = (self.recent.stores, self.recent.oldest);
        let mut checks = Checks {
            pipeline,
            code: &program.code,
            recent: &mut self.recent,
        };
        let outcome = state
            .run
            .execute(&mut program.core, &mut self.traces, &mut checks);
        let exit = outcome.and_then(|outcome| {
            let same = |exit: &&Exit| {
                let there = |&(line, held): &(u32, Option<u32>)| pipeline.fetch_line(line) == held;
                exit.outcome == outcome && exit.lines.iter().all(there)
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
        self.recent.ran(&state.run, &self.traces);
        let csrs = &mut program.core.csrs;
        csrs.instret = csrs.instret.wrapping_add(u64::from(exit.retired));
        program.retired += u64::from(exit.retired);
        Some((exit.cycles, exit.next))
    }
}

impl Recent {
    /// Begins behind what was clocked.
    fn begin(&mut self, program: &Program) {
        self.count = CLOSE + LONGEST as u64;
        self.stores = [(u32::MAX, 0); 4];
        self.flights = [Flight::NONE; CLOSE as usize];
        for flight in program.flights() {
            self.flights.rotate_right(1);
            self.flights[0] = flight;
            if let Some(word) = flight.stored() {
                self.stores[self.oldest] = (word, self.count - 1);
                self.oldest = (self.oldest + 1) % self.stores.len();
            }
        }
    }

    #[inline]
    fn ran(&mut self, run: &Run, traces: &Traces) {
        let first = run.steps.len().saturating_sub(CLOSE as usize);
        for (at, step) in run.steps.iter().enumerate().skip(first) {
            self.flights.rotate_right(1);
            self.flights[0] = Flight::new(step.pc, step.insn, traces.addresses[at]);
        }
        self.count += run.steps.len() as u64;
    }
}
