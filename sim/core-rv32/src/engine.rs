//! A core in time: the state of [`Core`], and a pipeline that says in which cycle it changes.

mod block;
mod emit;
mod handling;
mod inputs;
mod insn_cache;
mod pipeline;
mod program;
mod record;
mod restart;
mod snapshot;
mod state_cache;
mod stop;

use bus::Bus;
use events::{Event, Sink};

use crate::config::Config;
use crate::core::{Core, NotModelled};

pub use handling::ExceptionRecord;
pub use inputs::Line;
pub use record::{Record, Retirement, Taken, Written};
pub use snapshot::Snapshot;
pub use stop::{Debugger, Stop};

use emit::{EmitPosition, Listener};
use inputs::Inputs;
use pipeline::Pipeline;
use program::Program;

/// An RV32 core with everything on its bus, in time.
#[derive(Clone)]
pub struct Hart {
    /// The reset address.
    reset: u32,
    program: Program,
    pipeline: Box<dyn Pipeline>,
    inputs: Inputs,
    cycle: u64,
    /// The address fetched last, as far as it was emitted.
    fetched: Option<u32>,
    /// The position up to which events were emitted.
    position: EmitPosition,
    /// Cycles that were clocked.
    clocked: u64,
    /// Whether results of the pipeline along runs are cached.
    reuses_timing: bool,
    /// How many instructions had been executed when it paused before one.
    stopped: Option<u64>,
    /// The sink of the last run asked for a pause.
    paused: bool,
    /// An unmodelled feature that the pipeline has passed: the core cannot continue.
    refused: Option<NotModelled>,
    /// A device ended the run and the core stopped. Continuing does not stop for that again.
    ended: bool,
}

impl Hart {
    /// A core as after reset, whose first instruction is at `pc`. How slow memories are is what `bus` says of them.
    ///
    /// # Panics
    /// If it is not known how that core is timed ([`Config::timing`]).
    pub fn new(config: Config, bus: Bus, pc: u32) -> Hart {
        let pipeline = pipeline::of(&config, pc);
        let mut core = Core::new(config, bus, pc);
        core.mmu.is_observed = true;
        Hart {
            reset: pc,
            program: Program::new(core),
            pipeline,
            inputs: Inputs::new(config.family),
            cycle: 0,
            fetched: None,
            position: EmitPosition::default(),
            clocked: 0,
            reuses_timing: true,
            stopped: None,
            paused: false,
            refused: None,
            ended: false,
        }
    }

    /// Sets the receiver of an EBREAK outside of semihosting.
    pub fn set_debugger(&mut self, debugger: Debugger) {
        self.program.set_debugger(debugger);
    }

    /// Whether what the pipeline does along runs of instructions is remembered, as it is unless this says otherwise. Without
    /// that, every cycle is clocked: the same cycles and the same events, slowly. To compare the two.
    pub fn set_cost_reuse(&mut self, reuses_timing: bool) {
        self.reuses_timing = reuses_timing;
    }

    /// Keeps a record of all that it does from now on; every cycle is clocked.
    pub fn record(&mut self) {
        self.reuses_timing = false;
        self.program.recorder = Some(Box::default());
    }

    /// Takes the record since the last call.
    pub fn take_record(&mut self) -> Record {
        let recorder = self.program.recorder.as_mut();
        recorder.map_or_else(Record::default, |recorder| std::mem::take(&mut recorder.record))
    }

    /// Clock cycles since reset.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Cycles clocked one by one, by this core and those that it was restored from; the other cycles came from the cache. For benchmarks
    /// and tests: the simulation's results do not depend on it.
    pub fn clocked(&self) -> u64 {
        self.clocked
    }

    /// Instructions that retired since reset.
    pub fn retired(&self) -> u64 {
        self.program.retired
    }

    /// The address that is fetched in the next cycle.
    pub fn fetch_pc(&self) -> u32 {
        self.pipeline.fetch_pc()
    }

    /// The architectural state. Up to three instructions before it have not retired yet.
    pub fn core(&self) -> &Core {
        &self.program.core
    }

    /// The architectural state, for changes by a host between two instructions.
    pub fn core_mut(&mut self) -> &mut Core {
        &mut self.program.core
    }

    /// Writes memory for a debugger. Returns false if some of the range is no memory.
    pub fn write_memory(&mut self, address: u32, bytes: &[u8]) -> bool {
        self.program.forget_code();
        self.program.core.bus.load(address, bytes)
    }

    /// Sets the level of an interrupt input from cycle `at` on.
    pub fn set_line(&mut self, at: u64, line: Line, level: bool) {
        self.inputs.set(at.max(self.cycle), line, level);
    }

    /// Raises an interrupt input in cycle `at`, and holds it until its interrupt is taken.
    pub fn pulse(&mut self, at: u64, line: Line) {
        self.inputs.pulse(at.max(self.cycle), line);
    }

    /// Gives a source of the interrupt controller on the bus a pulse in cycle `at`.
    pub fn pulse_source(&mut self, at: u64, source: u16) {
        self.inputs.pulse_source(at.max(self.cycle), source);
    }

    /// Whether anything is to come that could interrupt what the program does.
    pub fn can_be_interrupted(&self) -> bool {
        let core = &self.program.core;
        !self.inputs.is_idle() || core.bus.next_event() != u64::MAX || core.pending_interrupt().is_some()
    }

    /// Whether the first instruction of the trap handler met the last exception.
    pub fn traps_forever(&self) -> bool {
        self.program.traps_forever()
    }

    /// Whether it waits in WFI, and no interrupt is pending that would wake it.
    pub fn sleeps(&self) -> bool {
        self.asleep_since().is_some()
    }

    /// Since which cycle it does so.
    pub fn asleep_since(&self) -> Option<u64> {
        self.program.asleep_since()
    }

    /// The cycle in which an input changes next from outside.
    pub fn next_input(&self) -> Option<u64> {
        (!self.inputs.is_idle()).then(|| self.inputs.next_change())
    }

    /// The exception that the program has not returned from; of several, the first. An ECALL is none.
    pub fn exception(&self) -> Option<&ExceptionRecord> {
        self.program.exception()
    }

    /// Until when nothing comes from outside; 0 if something has come that the pipeline has not seen yet.
    fn deadline(&self, until: u64) -> u64 {
        let core = &self.program.core;
        if self.inputs.is_settled(&core.csrs) && core.pending_interrupt().is_none() {
            until.min(self.inputs.next_change()).min(core.bus.next_event())
        } else {
            0
        }
    }

    /// Emits the fetch of cycle `now`, which is over; the fetch register held `held` in it.
    fn emit_fetch(&mut self, now: u64, held: u32, listener: &mut Listener<'_>) {
        if let Some(pc) = self.pipeline.announces(held, self.fetched) {
            self.fetched = Some(pc);
            listener.emit(&Event::Fetch { cycle: now, pc });
        }
    }

    /// Tells of the inputs that rose or fell in cycle `now`, and of the pins and the clock that changed by then.
    #[inline]
    fn emit_edges(&mut self, now: u64, listener: &mut Listener<'_>) {
        while let Some((cycle, news)) = self.program.core.bus.take_host_event() {
            listener.emit_control(&inputs::event_of(cycle, news));
        }
        for edge in self.inputs.edges() {
            listener.emit_control(&edge.event(now));
        }
    }

    /// Clocks until cycle `until`, or until something stops it.
    pub fn run(&mut self, until: u64, sink: &mut dyn Sink) -> Stop {
        if let Some(what) = &self.refused {
            return Stop::NotModelled(what.clone());
        }
        let mut listener = Listener::new(sink, self.position, self.pipeline.pace());
        self.program.core.bus.listen(listener.interest.control);
        let stop = self.run_for(until, &mut listener);
        (self.position, self.paused) = (listener.position, listener.paused);
        if let Stop::NotModelled(what) = &stop {
            self.refused = Some(what.clone());
        }
        self.ended |= matches!(stop, Stop::Exit(_) | Stop::Reset(_));
        stop
    }

    /// Whether the sink of the last run asked for a pause; the run may have stopped for something else before it came to that.
    pub fn pause_requested(&self) -> bool {
        self.paused
    }

    /// Retires the store that ended the program. Call it after [`Stop::Exit`] or [`Stop::Reset`] if the run does not continue: the store
    /// retires in the last cycle, even if it would have left the pipeline later.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        let mut listener = Listener::new(sink, self.position, self.pipeline.pace());
        self.program.finish(self.cycle - 1, &mut listener);
        self.position = listener.position;
    }

    /// Whether the next instruction is one before which the run pauses; where it paused last, it goes on.
    fn stops_before(&mut self, stops: &[u32]) -> bool {
        let issued = Some(self.program.issued());
        let stops = self.stopped != issued && stops.contains(&self.program.core.pc);
        if stops {
            self.stopped = issued;
        }
        stops
    }

    fn run_for(&mut self, until: u64, listener: &mut Listener<'_>) -> Stop {
        let watches_fetch = listener.interest.fetch && self.program.core.config.announces_fetch();
        let stops = listener.interest.stops.addresses().to_vec();
        let remembers = self.reuses_timing && !watches_fetch && stops.is_empty();
        let remembers = remembers && self.pipeline.remembers(&self.program);
        self.pipeline.begin(&listener.interest.pcs);
        self.program.note(false);
        while self.cycle < until {
            if remembers && !listener.paused {
                let deadline = self.deadline(until);
                self.cycle = self
                    .pipeline
                    .run_cached(&mut self.program, self.cycle, deadline, listener);
                if self.cycle >= until {
                    break;
                }
            }
            let now = self.cycle;
            let held = watches_fetch.then(|| self.pipeline.fetch_pc());
            let end = self.inputs.advance(now, &mut self.program.core.bus);
            self.emit_edges(now, listener);
            if let Some(end) = end.filter(|_| !self.ended) {
                return end.into();
            }
            self.program.begin_cycle(now);
            let sampled = self.inputs.sample(&mut self.program.core.csrs);
            let retired = self.pipeline.clock(&mut self.program);
            if let Some(held) = held {
                self.emit_fetch(now, held, listener);
            }
            self.inputs.latch(sampled, &mut self.program.core.csrs);
            if let Some(interrupt) = self.program.taken.take() {
                self.inputs.taken(interrupt);
                self.emit_edges(now, listener);
            }
            (self.cycle, self.clocked) = (now + 1, self.clocked + 1);
            let lost = self.pipeline.lost().filter(|_| retired.is_none());
            if let Some(in_flight) = retired {
                self.program.retire(now, in_flight.waits, listener);
            }
            let stop = self.program.stopped(now, listener);
            if let Some(rule) = lost {
                self.program.lose(rule, listener);
            }
            if let Some(stop) = stop {
                return stop;
            }
            if self.stops_before(&stops) {
                return Stop::Paused;
            }
            listener.paused |= self.program.core.bus.has_sent();
            if listener.paused && listener.emitted_until.is_none_or(|until| self.cycle >= until) {
                return Stop::Paused;
            }
        }
        Stop::Cycle
    }
}
