//! Where the cycles of single samples went: runs a program once more, and records each window of the samples that are asked for.
//!
//! Runs are repeatable, so that a sample is found again by its cycles. Between the samples the run is fast: only what says which
//! context runs is listened to.

mod building;
mod contexts;
mod recorder;

use machine::{Board, Image, Outcome};
use report::Timeline;
use spans::Place;

use crate::backend::Bench;
use crate::diagnostic::Result;

use recorder::Recorder;

/// Cycles in front of a sample that are listened to: more than an instruction takes.
const AHEAD: u64 = 256;

/// Records samples of one run, in any order; `bench` is at reset. A sample that the run does not come to has no timeline.
///
/// # Errors
///
/// If the program cannot be run.
pub(crate) fn record(
    bench: &mut Bench,
    image: &Image,
    board: &Board,
    places: &[Place],
    limit: u64,
) -> Result<Vec<Option<Timeline>>> {
    let book = board.core().rule_book();
    let mut recorder = Recorder::new(image, &book, board.exception_names(), places);
    while let Some(began) = recorder.next() {
        let start = began.saturating_sub(AHEAD).min(limit);
        if bench.cycle() < start {
            recorder.listens(None);
            if !goes_on(&bench.run(start, &mut recorder)?) {
                break;
            }
        }
        recorder.listens(Some(bench.clock_hz()));
        if !matches!(bench.run(limit, &mut recorder)?, Outcome::Paused { .. }) {
            break;
        }
    }
    Ok(recorder.finish())
}

fn goes_on(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Limit { .. } | Outcome::Paused { .. })
}
