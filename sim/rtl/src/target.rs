//! A program on its core's Verilog: the target runs it once to its end and replays the events from the retired instructions.

mod stream;

use std::path::Path;
use std::sync::Arc;

use events::{Event, Flow, RuleSet, Sink};
use machine::board::{Memory, MemoryKind};
use machine::target::{self, Drive, One, Registers, State, Target, TargetError, Until};
use machine::{Architecture, Board, Console, Exception, Image, Input, Options, Outcome};

use crate::{Around, Change, Core, Job, Line, Missing, Oracle, Ram, Shared, VARIABLE, ports};
use stream::events;

type Result<T> = std::result::Result<T, TargetError>;

/// A program and its run on the Verilog.
pub struct Verilog {
    oracle: Oracle,
    job: Job,
    board: Board,
    image: Arc<Image>,
    console: Console,
    ran: Option<Ran>,
    /// Number of events of this run that were emitted.
    told: usize,
    /// Number of events, except fetches, that were emitted before a restored state, for a run that is still to be made.
    restored: usize,
    /// The program's output was passed on.
    printed: bool,
    cycle: u64,
    clock_hz: u32,
}

/// A state to go back to.
struct Saved {
    told: usize,
    cycle: u64,
    changes: Vec<Change>,
}

fn is_fetch(event: &Event) -> bool {
    matches!(event, Event::Fetch { .. })
}

/// A run that is over.
struct Ran {
    events: Vec<Event>,
    watches_fetch: bool,
    exit: Option<u32>,
    cycles: u64,
    /// The cycle until which it was to be run.
    limit: u64,
    pc: u32,
}

impl Ran {
    /// Whether a longer run would tell no more.
    fn has_ended(&self) -> bool {
        self.exit.is_some() || self.cycles < self.limit
    }
}

impl Verilog {
    /// Puts a program on the Verilog of a board's core, which is built once under the folder `cache`.
    ///
    /// # Errors
    /// If there is no Verilog for it, a tool is missing, or the program is outside the board's memories.
    pub fn new(board: &Board, image: &Arc<Image>, options: Options, cache: &Path) -> Result<Verilog> {
        let name = board.core().name();
        let core = Core::of_board(name).map_err(|error| TargetError::new(format!("{error:#}")))?;
        let core = core.ok_or_else(|| no_verilog(board))?;
        if image.architecture() != Architecture::RiscV {
            return Err(no_verilog(board));
        }
        if let Some(Missing(tool)) = Missing::any() {
            let title = format!("the Verilog of {name} needs `{tool}`, which is not installed");
            return Err(TargetError::new(title).help("Debian's package has the same name"));
        }
        let job = job(board, image)?;
        let oracle = Oracle::of(core, cache)
            .map_err(|error| TargetError::new(format!("the Verilog of {name}: {error:#}")))?;
        Ok(Verilog {
            oracle,
            job,
            board: board.clone(),
            image: Arc::clone(image),
            console: options.console,
            ran: None,
            told: 0,
            restored: 0,
            printed: false,
            cycle: 0,
            clock_hz: board.clock_hz(),
        })
    }

    /// Number of emitted events, except fetches, which not every run has.
    fn told_but_fetches(&self) -> usize {
        match &self.ran {
            Some(_) => self.told().iter().filter(|event| !is_fetch(event)).count(),
            None => self.restored,
        }
    }

    /// The index in the list of events after `count` events that are no fetches.
    fn place_behind(&self, count: usize) -> usize {
        let events = self.ran.as_ref().map_or(&[][..], |ran| &ran.events);
        let others = events.iter().enumerate().filter(|(_, event)| !is_fetch(event));
        let mut others = others.map(|(place, _)| place);
        count
            .checked_sub(1)
            .and_then(|last| others.nth(last))
            .map_or(0, |place| place + 1)
    }

    /// The events that were emitted.
    fn told(&self) -> &[Event] {
        self.ran.as_ref().map_or(&[][..], |ran| &ran.events[..self.told])
    }

    /// Tells what happened before cycle `limit`.
    fn run_to(&mut self, limit: u64, sink: &mut dyn Sink) -> Result<Outcome> {
        // Twice as far as asked for, so that a run in slices is not begun again for each.
        let watches_fetch = sink.interest().fetch;
        let before = self.told_but_fetches();
        let enough = self.ran.as_ref().is_some_and(|ran| {
            (ran.has_ended() || ran.cycles >= limit) && ran.watches_fetch == watches_fetch
        });
        if !enough {
            self.go(limit.saturating_mul(2), watches_fetch)?;
            self.told = self.place_behind(before);
        }
        let Some(ran) = &self.ran else {
            unreachable!("it was run");
        };
        while let Some(event) = ran.events.get(self.told)
            && event.cycle() < limit
        {
            self.told += 1;
            if sink.event(event) == Flow::Pause {
                self.cycle = event.cycle();
                return Ok(Outcome::Paused { pc: ran.pc });
            }
        }
        self.cycle = limit.min(ran.cycles);
        let over = self.told == ran.events.len() && ran.cycles <= limit;
        match ran.exit.filter(|_| over) {
            Some(code) => Ok(Outcome::Exit { code }),
            None if over && ran.has_ended() => Err(self.halted(ran)),
            None => Ok(Outcome::Limit { pc: ran.pc }),
        }
    }

    /// The error for a core that stopped before the program's end: a `PicoRV32` that traps without an interrupt to take it.
    fn halted(&self, ran: &Ran) -> TargetError {
        let (core, cycle, pc) = (self.board.core().name(), ran.cycles, ran.pc);
        TargetError::new(format!(
            "the Verilog of {core} has halted in cycle {cycle}, and never goes on"
        ))
        .in_file(self.image.file())
        .help(format!(
            "it trapped: the last instruction that retired is at {pc:#010x}"
        ))
    }

    /// Tells of one instruction more: runs on until there is one, or the program ends.
    fn step(&mut self, sink: &mut dyn Sink) -> Result<Outcome> {
        let [mut limit, last] = [STEP, LONGEST_STEP].map(|cycles| self.cycle.saturating_add(cycles));
        loop {
            match self.run_to(limit, &mut (One, &mut *sink))? {
                Outcome::Limit { .. } if limit < last => limit = limit.saturating_mul(2).min(last),
                outcome => return Ok(outcome),
            }
        }
    }

    /// Runs the Verilog from reset until cycle `limit`; emitted events stay emitted.
    fn go(&mut self, limit: u64, watches_fetch: bool) -> Result<()> {
        self.job.limit = limit;
        let outcome = if watches_fetch {
            self.oracle.run_with_fetches(&self.job)
        } else {
            self.oracle.run(&self.job)
        };
        let outcome = outcome.map_err(|error| TargetError::new(format!("the Verilog: {error:#}")))?;
        if outcome.exit.is_some() && !std::mem::replace(&mut self.printed, true) {
            self.console.print(&outcome.console);
        }
        self.ran = Some(Ran {
            events: events(&outcome, &self.job, &self.oracle.core),
            watches_fetch,
            exit: outcome.exit,
            cycles: outcome.cycles,
            limit,
            pc: outcome
                .stream
                .last()
                .map_or(self.job.reset_vector, |last| last.pc),
        });
        Ok(())
    }
}

/// Cycles in which an instruction mostly retires.
const STEP: u64 = 1 << 10;
/// Cycles after which a step gives up: nothing retires any more.
const LONGEST_STEP: u64 = 1 << 24;

impl Target for Verilog {
    fn board(&self) -> &Board {
        &self.board
    }

    fn image(&self) -> &Arc<Image> {
        &self.image
    }

    fn run(&mut self, until: Until, sink: &mut dyn Sink) -> Result<Outcome> {
        match until {
            Until::Cycle(cycle) => self.run_to(cycle, sink),
            Until::Step => self.step(sink),
            Until::Halt { .. } => Err(TargetError::new("the Verilog cannot stop before an instruction")
                .help("run it to a cycle, or step")),
        }
    }

    /// A pulse rises in cycle `at` and stays: the first handler that it calls is the same as if it fell again.
    fn drive(&mut self, exception: Exception, at: u64, drive: Drive) -> Result<()> {
        let line = match Input::of(exception) {
            Some(Input::Timer) => Line::Timer,
            Some(Input::Software) => Line::Software,
            Some(Input::External(number)) => Line::External(number),
            Some(Input::Source(_)) | None => {
                let name = exception.name();
                let message = format!("the harness of the Verilog has no input `{name}`");
                return Err(
                    TargetError::new(message).help("it has MachineTimer, MachineSoft, and IRQ0 to IRQ31")
                );
            }
        };
        self.restored = self.told_but_fetches();
        self.job.changes.push(Change {
            cycle: at.max(self.cycle),
            line,
            level: drive != Drive::Level(false),
        });
        self.job.changes.sort_by_key(|change| change.cycle);
        self.ran = None;
        Ok(())
    }

    fn registers(&mut self) -> Result<Box<dyn Registers + '_>> {
        Err(TargetError::new(
            "the registers of the Verilog cannot be looked at",
        ))
    }

    fn memory(&mut self) -> Result<Box<dyn target::Memory + '_>> {
        Err(TargetError::new("the memory of the Verilog cannot be looked at"))
    }

    fn snapshot(&mut self) -> Result<State> {
        Ok(State(Box::new(Saved {
            told: self.told_but_fetches(),
            cycle: self.cycle,
            changes: self.job.changes.clone(),
        })))
    }

    /// Reruns the Verilog from reset, with the inputs driven up to the saved state, and emits the events after that state.
    fn restore(&mut self, state: &State) -> Result<()> {
        let saved = state.0.downcast_ref::<Saved>();
        let saved = saved.ok_or_else(|| TargetError::new("that state is one of another target"))?;
        self.job.changes.clone_from(&saved.changes);
        (self.ran, self.told, self.cycle) = (None, 0, saved.cycle);
        self.restored = saved.told;
        Ok(())
    }

    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn instructions(&self) -> u64 {
        let retired = self
            .told()
            .iter()
            .filter(|event| matches!(event, Event::Retire(_)));
        retired.count() as u64
    }

    fn relied(&self) -> RuleSet {
        RuleSet::EMPTY
    }

    fn clock_hz(&self) -> u32 {
        self.clock_hz
    }

    fn nanoseconds(&self) -> u64 {
        self.cycle * 1_000_000_000 / u64::from(self.clock_hz)
    }
}

fn no_verilog(board: &Board) -> TargetError {
    let known: Vec<&str> = Core::all().map(|core| core.name).collect();
    let title = format!(
        "board `{}` has a {}, and there is no Verilog of that",
        board.name(),
        board.core().name()
    );
    let brought = format!("a folder with Verilog of one's own is named by {VARIABLE} (docs/rv32.md)");
    TargetError::new(title).help(format!(
        "cores with `--backend rtl`: {}; {brought}",
        known.join(", ")
    ))
}

/// The program in the memories of the board, and what stands in front of them. Of the peripherals the harness has the ports.
fn job(board: &Board, image: &Image) -> Result<Job> {
    let reset_vector = board.reset_address(image);
    let mut memories = board
        .memories()
        .iter()
        .map(|memory| ram(memory, image))
        .collect::<Vec<_>>();
    let inside = |ram: &Ram, address: u32, size: usize| {
        u64::from(address.wrapping_sub(ram.base)) + size as u64 <= u64::from(ram.size)
    };
    for segment in image.segments() {
        let fits = |ram: &Ram| inside(ram, segment.address, segment.bytes.len());
        if !memories.iter().any(fits) {
            return Err(outside(board, image, segment.address));
        }
    }
    let first = memories.iter().position(|ram| inside(ram, reset_vector, 4));
    let first = memories.swap_remove(first.ok_or_else(|| outside(board, image, reset_vector))?);
    let mut memory = first.bytes;
    memory.resize(first.size as usize, 0);
    let ports = board
        .bus(&[])
        .region(ports::FINISH)
        .map_or_else(Default::default, |ports| ports.wait);
    if ports.read != ports.write {
        let title = format!(
            "board `{}`: reads and writes of its ports wait differently",
            board.name()
        );
        return Err(TargetError::new(title).help("in the harness of the Verilog, they wait alike"));
    }
    if board.has_flash_interface() {
        let title = format!("board `{}`: its memory is behind a flash interface", board.name());
        return Err(TargetError::new(title).help("the harness of the Verilog has none; the model has"));
    }
    let caches = board.caches().iter().map(|cache| Shared {
        shape: cache.shape,
        bases: cache.bases.clone(),
    });
    Ok(Job {
        jitter: None,
        reset_vector,
        base: first.base,
        memory,
        latency: ports.read.into(),
        beat: ports.beat.into(),
        around: Around {
            wait: Some(first.wait),
            memories,
            caches: caches.collect(),
        },
        changes: Vec::new(),
        limit: 0,
    })
}

/// A memory with what the program has in it.
fn ram(memory: &Memory, image: &Image) -> Ram {
    let mut bytes = match memory.kind {
        MemoryKind::Rom => vec![0xff; memory.size as usize],
        MemoryKind::Ram => Vec::new(),
    };
    for segment in image.segments() {
        let place = segment.address.wrapping_sub(memory.base);
        let end = u64::from(place) + segment.bytes.len() as u64;
        if end <= u64::from(memory.size) {
            let (place, end) = (place as usize, end as usize);
            bytes.resize(bytes.len().max(end), 0);
            bytes[place..end].copy_from_slice(&segment.bytes);
        }
    }
    Ram {
        base: memory.base,
        size: memory.size,
        bytes,
        wait: memory.wait(),
    }
}

fn outside(board: &Board, image: &Image, address: u32) -> TargetError {
    let title = format!("{address:#010x} is in no memory of board `{}`", board.name());
    TargetError::new(title)
        .in_file(image.file())
        .help("the harness of the Verilog has the memories of the board: link the program into them")
}
