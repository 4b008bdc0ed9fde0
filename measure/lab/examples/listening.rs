//! `listening ELF BOARD WHAT [FROM TO]…`: runs a program once, with somebody who listens, and says how many seconds that took.
//!
//! `./x speed` runs it, optimised. WHAT is
//! - `silent`: nobody listens;
//! - `listened`: the spans between the points FROM and TO are measured;
//! - `statistics`: what `cyclescope run --stats` counts is asked for at the end;
//! - `causes`: every window with its costs is told to a sink that throws it away.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use events::{Event, Flow, Interest, Silent, Sink};
use lab::{Board, Experiment, Image, Span};
use machine::{Machine, Options, Outcome};

/// Cycles after which a program is given up.
const LIMIT: u64 = 10_000_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [elf, board, what, points @ ..] = &words[..] else {
        return Err("listening ELF BOARD WHAT [FROM TO]…".into());
    };
    let image = Arc::new(Image::load(Path::new(elf))?);
    let board = Board::find(board)?;
    let start = Instant::now();
    match &what[..] {
        "silent" => drop(run(&board, &image, &mut Silent)?),
        "causes" => drop(run(&board, &image, &mut Windows::default())?),
        "statistics" => {
            let machine = run(&board, &image, &mut Silent)?;
            let rules = machine.relied().iter().count();
            let (instructions, cycles) = (machine.instructions(), machine.cycle());
            eprintln!("instructions: {instructions}\ncycles: {cycles}\nrules: {rules}");
        }
        "listened" => measure(image, board, points)?,
        other => return Err(format!("`{other}` is none of silent, listened, statistics and causes").into()),
    }
    println!("{}", start.elapsed().as_secs_f64());
    Ok(())
}

fn run(board: &Board, image: &Arc<Image>, sink: &mut dyn Sink) -> Result<Machine, Box<dyn Error>> {
    let mut machine = Machine::new(board, image, Options::default())?;
    match machine.run(LIMIT, sink) {
        Outcome::Exit { code: 0 } => Ok(machine),
        other => Err(format!("the program did not end well: {other:?}").into()),
    }
}

fn measure(image: Arc<Image>, board: Board, points: &[String]) -> Result<(), Box<dyn Error>> {
    let spans = points.chunks_exact(2).zip(1..).map(|(points, number)| {
        let [from, to] = [&points[0], &points[1]];
        Span::new(&format!("speed/{number}"), from, to)
    });
    let experiment = Experiment::new(image, board).limit(LIMIT);
    let rows = spans.fold(experiment, Experiment::span).run()?;
    if rows.is_empty() || rows.iter().any(|row| row.count == 0) {
        return Err("a span was not met".into());
    }
    Ok(())
}

/// Throws every window away, but not before it has looked at each of its costs.
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
