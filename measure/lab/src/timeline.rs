//! Records where the cycles of single samples went, by running the program again and recording each window of those samples.
//!
//! Runs are repeatable, so a sample is found again by its cycles. Between the samples only context changes are observed, so the run stays
//! on the fast path.

mod building;
mod contexts;
mod deepest;
mod recorder;

use machine::{Board, Image, Outcome};
use report::Timeline;
use spans::Place;

use crate::backend::Bench;
use crate::diagnostic::Result;
use crate::project::Project;

pub(crate) use deepest::deepest;
use recorder::Recorder;

/// Cycles before a sample from which windows are recorded, more than an instruction takes.
const AHEAD: u64 = 256;

/// Records samples of one run, in any order; `bench` is at reset. A sample that the run does not reach has no timeline.
///
/// # Errors
///
/// If the program cannot run.
pub(crate) fn record(
    bench: &mut Bench,
    image: &Image,
    board: &Board,
    places: &[Place],
    limit: u64,
) -> Result<Vec<Option<Timeline>>> {
    let book = board.core().rule_book();
    let project = Project::here();
    let mut recorder = Recorder::new(image, &project, &book, board.exception_names(), places);
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
