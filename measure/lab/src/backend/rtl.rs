//! A program on the Verilog of its core: run once to its end, and told again from what retired.

use std::path::Path;
use std::sync::Arc;

use events::{Event, Flow, Sink};
use machine::board::{Memory, MemoryKind};
use machine::{Architecture, Board, Console, Exception, Image, Input, Options, Outcome};
use rtl_oracle::{Around, Change, Core, Job, Line, Missing, Oracle, Ram, Shared, ports};

use super::stream::events;
use crate::diagnostic::{Diagnostic, Result};

/// A program, and what the Verilog made of it.
pub struct Verilog {
    oracle: Oracle,
    job: Job,
    image: Arc<Image>,
    console: Console,
    ran: Option<Ran>,
    /// Of the events, those that were told.
    told: usize,
    cycle: u64,
    clock_hz: u32,
}

/// A run that is over.
struct Ran {
    events: Vec<Event>,
    watches_fetch: bool,
    exit: Option<u32>,
    cycles: u64,
    pc: u32,
}

impl Verilog {
    pub(super) fn new(board: &Board, image: &Arc<Image>, options: Options, cache: &Path) -> Result<Verilog> {
        let name = board.core().name();
        let core = Core::named(name).ok_or_else(|| no_verilog(board))?;
        if image.architecture() != Architecture::RiscV {
            return Err(no_verilog(board));
        }
        if let Some(Missing(tool)) = Missing::any() {
            let title = format!("the Verilog of {name} needs `{tool}`, which is not installed");
            return Err(Diagnostic::mistake(title).help("Debian's package has the same name"));
        }
        let job = job(board, image)?;
        let oracle = Oracle::of(core, cache)
            .map_err(|error| Diagnostic::mistake(format!("the Verilog of {name}: {error:#}")))?;
        Ok(Verilog {
            oracle,
            job,
            image: Arc::clone(image),
            console: options.console,
            ran: None,
            told: 0,
            cycle: 0,
            clock_hz: board.clock_hz(),
        })
    }

    pub(super) fn image(&self) -> &Arc<Image> {
        &self.image
    }

    pub(super) fn cycle(&self) -> u64 {
        self.cycle
    }

    /// The input rises in cycle `at` and stays: the first handler that it calls is the same as if it fell again.
    pub(super) fn raise(&mut self, exception: Exception, at: u64) {
        let line = match exception.input() {
            Some(Input::Timer) => Line::Timer,
            Some(Input::Software) => Line::Software,
            Some(Input::External(number)) => Line::External(number),
            // The harness has no PLIC.
            Some(Input::Source(_)) | None => return,
        };
        self.job.changes.push(Change {
            cycle: at,
            line,
            level: true,
        });
        self.job.changes.sort_by_key(|change| change.cycle);
        self.ran = None;
    }

    pub(super) fn instructions(&self) -> u64 {
        let told = self.ran.as_ref().map_or(&[][..], |ran| &ran.events[..self.told]);
        let retired = told.iter().filter(|event| matches!(event, Event::Retire(_)));
        retired.count() as u64
    }

    pub(super) fn clock_hz(&self) -> u32 {
        self.clock_hz
    }

    /// How many events were told.
    pub(super) fn told(&self) -> usize {
        self.told
    }

    /// From reset, without the interrupts that were raised; so many events are known already.
    pub(super) fn begin_again(&mut self, told: usize) {
        self.job.changes.clear();
        (self.ran, self.told, self.cycle) = (None, told, 0);
    }

    pub(super) fn run(&mut self, limit: u64, sink: &mut dyn Sink) -> Result<Outcome> {
        // Twice as far as asked for, so that a run in slices is not begun again for each.
        let watches_fetch = sink.interest().fetch;
        let enough = self.ran.as_ref().is_some_and(|ran| {
            (ran.exit.is_some() || ran.cycles >= limit) && ran.watches_fetch == watches_fetch
        });
        if !enough {
            self.go(limit.saturating_mul(2), watches_fetch)?;
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
        Ok(match ran.exit.filter(|_| over) {
            Some(code) => Outcome::Exit { code },
            None => Outcome::Limit { pc: ran.pc },
        })
    }

    /// Runs the Verilog from reset until cycle `limit`; what was told already stays told.
    fn go(&mut self, limit: u64, watches_fetch: bool) -> Result<()> {
        self.job.limit = limit;
        let outcome = if watches_fetch {
            self.oracle.run_with_fetches(&self.job)
        } else {
            self.oracle.run(&self.job)
        };
        let outcome = outcome.map_err(|error| Diagnostic::mistake(format!("the Verilog: {error:#}")))?;
        if outcome.exit.is_some() {
            self.console.print(&outcome.console);
        }
        self.ran = Some(Ran {
            events: events(&outcome, &self.job, &self.oracle.core),
            watches_fetch,
            exit: outcome.exit,
            cycles: outcome.cycles,
            pc: outcome
                .stream
                .last()
                .map_or(self.job.reset_vector, |last| last.pc),
        });
        Ok(())
    }
}

fn no_verilog(board: &Board) -> Diagnostic {
    let known: Vec<&str> = Core::ALL.iter().map(|core| core.name).collect();
    let title = format!(
        "board `{}` has a {}, of which there is no Verilog here",
        board.name(),
        board.core().name()
    );
    Diagnostic::mistake(title).help(format!("cores with `--backend rtl`: {}", known.join(", ")))
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
        return Err(Diagnostic::mistake(title).help("in the harness of the Verilog, they wait alike"));
    }
    let caches = board.caches().iter().map(|cache| Shared {
        shape: cache.shape,
        bases: cache.bases.clone(),
    });
    Ok(Job {
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

fn outside(board: &Board, image: &Image, address: u32) -> Diagnostic {
    let title = format!("{address:#010x} is in no memory of board `{}`", board.name());
    Diagnostic::mistake(title)
        .in_file(image.file())
        .help("the harness of the Verilog has the memories of the board: link the program into them")
}
