//! The execution loop: a fast path along runs with known cost, and a slow path everywhere else.
//!
//! Both paths share the handlers, the runs and the pipeline model. The fast path executes whole runs and adds up their costs, while nothing
//! is due before the run's end and the pipeline state is that after a jump. It also emits events: a run begins at each instruction that a
//! sink asked for. At an instruction that meets other facts than expected, the slow path takes over from the exact pipeline state there.
//! The exit is cached, so that the fast path continues by itself the next time.

mod again;
mod careful;
mod counters;
mod exceptions;
mod fast;
mod glide;
mod interrupted;
mod late_clear;
mod restart;
mod schedule;
mod sleep;
mod strand;
mod tell;
mod through;
mod vectors;

use fast::Then;

pub(crate) use late_clear::LateClear;
pub(crate) use schedule::Schedule;
pub(crate) use sleep::Sleep;
pub use sleep::{Asleep, HeldBack};
pub(crate) use tell::Told;

use bus::ResetCause;
use events::Sink;
use isa_thumb::ItState;

use crate::core::Core;
use crate::fault::NotModelled;
use crate::run::{Context, Decoded, Entry, REQUEST};
use crate::timing::{Cycle, Early, Jump, Path, Pipe, Supply, fetch_path};

/// Why [`Core::run`] came back. The answer to a semihosting request goes to R0; after [`exec::Stop::Reset`], [`Core::restart`] goes on.
pub type Stop = exec::Stop<Box<NotModelled>>;

/// How the next instruction is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::large_enum_variant)] // it is copied between instructions: a box would cost each of them an allocation
pub(crate) enum Flow {
    /// By a jump; nothing else is under way.
    Jumped(Jump),
    /// Through this pipeline, in absolute time.
    Through(Pipe),
}

/// An instruction of a run, to execute next through `pipe`.
struct Place {
    run: u32,
    index: usize,
    pipe: Pipe,
}

impl Core {
    /// Executes until an instruction would start in cycle `until` or later, or until something stops it before.
    ///
    /// Calling it again goes on exactly where it stopped: how a run is cut into calls changes no cycle.
    pub fn run(&mut self, until: u64, sink: &mut dyn Sink) -> Stop {
        let mut decoded = self.runs.take();
        self.listen(sink.interest());
        decoded.split_at(&self.told.pcs, &self.begins);
        self.leaving = None;
        let stop = self.execute(&mut decoded, until as Cycle, sink);
        self.runs.put_back(decoded);
        stop
    }

    fn execute(&mut self, decoded: &mut Decoded, until: Cycle, sink: &mut dyn Sink) -> Stop {
        loop {
            self.refresh(decoded);
            match self.sleep(until, sink) {
                Ok(false) => {}
                Ok(true) => return Stop::Cycle,
                Err(stop) => return stop,
            }
            let then = match self.fast(decoded, until, sink) {
                Ok(then) => then,
                Err(stop) => return stop,
            };
            let now = if let Then::Account(left) = &then {
                left.place.pipe.free() as u64
            } else {
                self.cycle
            };
            self.recognise_void(now);
            let stop = match then {
                Then::Account(left) => self.finish(decoded, &left, until, sink),
                Then::Careful if self.told.paused => Ok(()),
                Then::Careful => {
                    self.leaving = None;
                    let at = self.place(decoded);
                    self.careful(decoded, &at, until, sink)
                }
                Then::Look => Ok(()),
            };
            if let Err(stop) = stop {
                return stop;
            }
            if self.told.paused {
                return Stop::Paused;
            }
        }
    }

    /// The place of the next instruction in a run, and the pipeline there; decodes it if necessary.
    fn place(&mut self, decoded: &mut Decoded) -> Place {
        let early = if let Flow::Jumped(jump) = self.flow {
            jump.early
        } else {
            Early::default()
        };
        let jumped = self.jumped(self.regs.r[15], self.regs.it, early);
        let run = self.decode(decoded, &jumped);
        let pipe = match self.flow {
            Flow::Jumped(jump) => jumped.pipe.moved_by(jump.request - REQUEST),
            Flow::Through(pipe) => pipe,
        };
        Place { run, index: 0, pipe }
    }

    /// The entry of the run at `pc`, if a jump leads there that asked for it so early.
    fn jumped(&self, pc: u32, it: u8, early: Early) -> Entry {
        let jump = Jump {
            early,
            ..Jump::at(REQUEST)
        };
        Entry {
            pc,
            it,
            pipe: Pipe::refilled(pc, jump, self.fetch_path(pc)),
        }
    }

    fn decode(&mut self, decoded: &mut Decoded, entry: &Entry) -> u32 {
        if let Some(id) = decoded.at(entry) {
            return id;
        }
        self.bus.mark_code(entry.pc);
        decoded.add(entry, &self.context())
    }

    fn context(&self) -> Context<'_> {
        Context {
            bus: &self.bus,
            isa: self.config.core.isa,
            model: self.config.model,
            registers: &self.regs.r,
            base: None,
        }
    }

    /// The context of a run that is about to execute, whose time begins in cycle `base`.
    fn context_at(&self, base: Cycle) -> Context<'_> {
        Context {
            base: Some(base),
            ..self.context()
        }
    }

    /// The memory that answers the pipeline's requests.
    fn supply(&mut self) -> Supply<'_> {
        Supply::noting(self.bus.flash_mut(), &mut self.asked)
    }

    fn fetch_path(&self, pc: u32) -> Path {
        fetch_path(self.config.model, &self.bus, pc)
    }

    /// Forgets what was decoded if a store changed code.
    fn refresh(&mut self, decoded: &mut Decoded) {
        if self.runs.is_stale() {
            self.leaving = None;
            self.runs.refresh(decoded);
        }
    }

    /// Runs may be reused, and no LDM or STM is to be continued.
    fn may_go_fast(&self) -> bool {
        let watched = self.sys.dwt.counts() || !self.remembers;
        let continues = self.regs.it != 0 && !ItState(self.regs.it).in_block();
        !watched && self.regs.thumb && !continues
    }

    /// How the run, or this life of the program, has ended.
    pub(crate) fn ended(&self) -> Option<Stop> {
        let requested = self.sys.reset_requested();
        let by_device = self.bus.end().map(Stop::from);
        by_device.or_else(|| requested.then_some(Stop::Reset(ResetCause::Software)))
    }

    /// The first cycle at which something other than instructions may matter.
    fn horizon(&self, until: Cycle) -> Cycle {
        until.min(self.next_due()).min(self.next_edge())
    }
}
