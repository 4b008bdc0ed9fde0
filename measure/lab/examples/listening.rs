//! `listening ELF BOARD WHAT CYCLES [FROM TO]…`: runs a program once for a number of cycles with some listener, and prints the CPU
//! seconds that this took.
//!
//! `./x speed` runs it, optimised. WHAT is
//! - `silent`: no listener;
//! - `listened`: measures the spans between the points FROM and TO;
//! - `statistics`: requests the counters of `cyclescope run --stats` at the end;
//! - `causes`: sends every window with its costs to a sink that discards it.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use events::{Event, Flow, Interest, Silent, Sink};
use lab::{Board, Experiment, Image, Span};
use machine::{Machine, Options, Outcome};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [elf, board, what, cycles, points @ ..] = &words[..] else {
        return Err("listening ELF BOARD WHAT CYCLES [FROM TO]…".into());
    };
    let image = Arc::new(Image::load(Path::new(elf))?);
    let board = Board::find(board)?;
    let limit = cycles.parse()?;
    let start = spent();
    match &what[..] {
        "silent" => drop(run(&board, &image, limit, &mut Silent)?),
        "causes" => drop(run(&board, &image, limit, &mut Windows::default())?),
        "statistics" => {
            let machine = run(&board, &image, limit, &mut Silent)?;
            let rules = machine.relied().iter().count();
            let (instructions, cycles) = (machine.instructions(), machine.cycle());
            eprintln!("instructions: {instructions}\ncycles: {cycles}\nrules: {rules}");
        }
        "listened" => measure(image, board, limit, points)?,
        other => return Err(format!("`{other}` is none of silent, listened, statistics and causes").into()),
    }
    println!("{}", spent().saturating_sub(start).as_secs_f64());
    Ok(())
}

/// CPU time of this process so far, independent of other load. Wall-clock time if the system does not report it.
fn spent() -> Duration {
    let scheduled = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = scheduled.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(
        || SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default(),
        Duration::from_nanos,
    )
}

fn run(
    board: &Board,
    image: &Arc<Image>,
    limit: u64,
    sink: &mut dyn Sink,
) -> Result<Machine, Box<dyn Error>> {
    let mut machine = Machine::new(board, image, Options::default())?;
    match machine.run(limit, sink) {
        Outcome::Exit { code: 0 } | Outcome::Limit { .. } => Ok(machine),
        other => Err(format!("the program did not end well: {other:?}").into()),
    }
}

fn measure(image: Arc<Image>, board: Board, limit: u64, points: &[String]) -> Result<(), Box<dyn Error>> {
    let spans = points.chunks_exact(2).zip(1..).map(|(points, number)| {
        let [from, to] = [&points[0], &points[1]];
        Span::new(&format!("speed/{number}"), from, to)
    });
    let experiment = Experiment::new(image, board).limit(limit);
    // Reaching the limit is no failure here.
    let lab::Outcome { rows, messages, .. } = spans.fold(experiment, Experiment::span).outcome();
    if 2 * rows.len() != points.len() || rows.iter().any(|row| row.count == 0) {
        return Err(format!("a span was not met: {messages:?}").into());
    }
    Ok(())
}

/// Discards every window after reading its costs.
#[derive(Default)]
struct Windows {
    cycles: u64,
}

impl Sink for Windows {
    fn interest(&self) -> Interest {
        Interest::windows()
    }

    fn event(&mut self, event: &Event) -> Flow {
        if let Some((_, costs)) = event.window() {
            self.cycles += costs.total();
        }
        Flow::On
    }
}
