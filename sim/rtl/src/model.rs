//! The model in the harness's place: the same memory, the same ports, the same interrupts.

use crate::error::{Context as _, Error, Result, ensure};
use bus::{Bus, L2, Memory, Region};
use core_rv32::{Config, Hart, Record, Retirement, Stop};
use events::{Event, Flow, Interest, Silent, Sink};
use machine::{RtlPorts, cores};

use crate::{Job, Line, Retired, ports};

/// An instruction that retired, or an address that was fetched: when, and which.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// In this cycle, the first after reset being 0.
    pub cycle: u64,
    /// The address.
    pub pc: u32,
}

impl From<&Retired> for Step {
    fn from(retired: &Retired) -> Step {
        let Retired { cycle, pc, .. } = *retired;
        Step { cycle, pc }
    }
}

impl From<&Retirement> for Step {
    fn from(retired: &Retirement) -> Step {
        let Retirement { cycle, pc, .. } = *retired;
        Step { cycle, pc }
    }
}

/// The model of the core of this name.
///
/// # Errors
/// When there is none that knows cycles.
pub fn config(name: &str) -> Result<Config> {
    let timed = cores::rv32_named(name).filter(|config| config.timing.is_some());
    timed.with_context(|| format!("{name} is not modelled in time"))
}

/// The bus of the model that matches the harness around a core.
///
/// # Errors
/// If the job's latencies exceed 255 cycles.
pub fn surroundings(job: &Job) -> Result<Bus> {
    ensure!(
        job.latency < 256 && job.beat < 256,
        "the model's memories wait 255 cycles at most"
    );
    let region = |name, base, size, wait| Region {
        wait,
        ..Region::new(name, base, size)
    };
    let mut bus = Bus::new();
    for place in job.places() {
        bus.add_memory(Memory::ram(region("RAM", place.base, place.size, place.wait)));
        ensure!(
            bus.load(place.base, place.bytes),
            "more is in a memory than its size"
        );
    }
    for cache in &job.around.caches {
        bus.add_cache(L2::new(cache.shape), &cache.bases);
    }
    bus.set_wait_elsewhere(job.flat());
    bus.set_jitter(job.jitter);
    bus.add_device(
        region("ports", ports::FINISH, 0x1000, job.flat()),
        Box::new(RtlPorts::default()),
    );
    Ok(bus)
}

/// Runs a job on the model until `count` instructions have retired. There are fewer if the job's cycles end first, or nothing can happen
/// any more.
///
/// # Errors
/// If the program uses an unmodelled feature, or semihosting, which the harness does not have.
pub fn run(config: Config, job: &Job, count: usize) -> Result<Vec<Step>> {
    let mut hart = hart(config, job)?;
    let mut steps = Steps(Vec::new());
    while steps.0.len() < count && hart.cycle() < job.limit {
        let until = job.limit.min(hart.cycle() + SLICE);
        if !go_on(&mut hart, until, &mut steps)? {
            break;
        }
    }
    steps.0.truncate(count);
    Ok(steps.0)
}

/// Records the model during the first `cycles` cycles of a job.
///
/// # Errors
/// As [`run`].
pub fn record(config: Config, job: &Job, cycles: u64) -> Result<Record> {
    let mut hart = hart(config, job)?;
    hart.record();
    while hart.cycle() < cycles && go_on(&mut hart, cycles, &mut Silent)? {}
    Ok(hart.take_record())
}

/// The exit code with which a job's program ends on the model; `None` if it does not.
///
/// # Errors
/// As [`run`].
pub fn exit(config: Config, job: &Job) -> Result<Option<u32>> {
    let mut hart = hart(config, job)?;
    match hart.run(job.limit, &mut Silent) {
        Stop::Exit(code) => Ok(Some(code)),
        Stop::Cycle | Stop::Forever => Ok(None),
        stop => Err(stopped(&hart, &stop)),
    }
}

/// The addresses that the model fetches in the first `cycles` cycles of a job, each with the first cycle of its fetch, including those that
/// are never executed.
///
/// # Errors
/// As [`run`].
pub fn fetches(config: Config, job: &Job, cycles: u64) -> Result<Vec<Step>> {
    let mut hart = hart(config, job)?;
    let mut fetches = Fetches(Vec::new());
    while hart.cycle() < cycles && go_on(&mut hart, cycles, &mut fetches)? {}
    Ok(fetches.0)
}

/// The model, set up for a job.
///
/// # Errors
/// As [`surroundings`].
pub fn hart(config: Config, job: &Job) -> Result<Hart> {
    let mut hart = Hart::new(config, surroundings(job)?, job.reset_vector);
    for change in &job.changes {
        hart.set_line(change.cycle, input(change.line), change.level);
    }
    Ok(hart)
}

/// Whether anything can still happen.
fn go_on(hart: &mut Hart, until: u64, sink: &mut dyn Sink) -> Result<bool> {
    match hart.run(until, sink) {
        // Behind the store that ends the run the harness clocks on until what is under way has retired.
        Stop::Cycle | Stop::Exit(_) => Ok(true),
        Stop::Forever => Ok(false),
        stop => Err(stopped(hart, &stop)),
    }
}

fn stopped(hart: &Hart, stop: &Stop) -> Error {
    let (cycle, pc) = (hart.cycle(), hart.core().pc);
    Error::new(format!(
        "the model stops in cycle {cycle} at {pc:#010x}: {stop:?}"
    ))
}

/// Cycles between two looks at how many have retired.
const SLICE: u64 = 1000;

struct Steps(Vec<Step>);

impl Sink for Steps {
    fn interest(&self) -> Interest {
        Interest::windows()
    }

    fn event(&mut self, event: &Event) -> Flow {
        if let Event::Retire(retire) = event {
            let (cycle, pc) = (retire.issued, retire.pc);
            self.0.push(Step { cycle, pc });
        }
        Flow::On
    }
}

struct Fetches(Vec<Step>);

impl Sink for Fetches {
    fn interest(&self) -> Interest {
        Interest {
            fetch: true,
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        if let Event::Fetch { cycle, pc } = *event {
            self.0.push(Step { cycle, pc });
        }
        Flow::On
    }
}

fn input(line: Line) -> core_rv32::Line {
    match line {
        Line::Timer => core_rv32::Line::Timer,
        Line::Software => core_rv32::Line::Software,
        Line::External(number) => core_rv32::Line::External(number),
    }
}
