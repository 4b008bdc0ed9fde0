//! Checks that a program was built for its board, and that the program does not overclock the chip.

use machine::host::NoFiles;
use machine::{Board, Image};

use crate::backend::Bench;
use crate::diagnostic::{Diagnostic, Kind, Result};
use crate::setup::find_board_in;

/// The named board, or a plain board with the core that the program was built for, and a warning if needed.
///
/// # Errors
///
/// If no board is named and no such core exists.
pub fn board_for(named: Option<Board>, image: &Image) -> Result<(Board, Option<Diagnostic>)> {
    let warning = |title| Diagnostic::new(Kind::Skipped, title).in_file(image.file());
    if let Some(board) = named {
        let told = mismatch(&board, image).map(|why| {
            let help = "its figures are marked D (estimated); an instruction that the core lacks faults, as on the chip";
            warning(why).help(help)
        });
        return Ok((board, told));
    }
    let plain = image.plain_board().map_err(|error| {
        Diagnostic::mistake(error.to_string())
            .in_file(image.file())
            .help(error.hint())
    })?;
    Ok((find_board_in(&NoFiles, plain.name)?, plain.why.map(warning)))
}

/// Reasons, in words, why a run's figures are weaker than the rules that they relied on.
pub fn doubts(board: &Board, image: &Image, bench: &Bench) -> Vec<String> {
    let all = [mismatch(board, image), too_fast(board, bench)];
    all.into_iter().flatten().collect()
}

/// A warning if the core ran above its chip's rated clock.
pub fn overclocked(board: &Board, bench: &Bench) -> Option<Diagnostic> {
    let help = "the chip is not guaranteed to run this fast: its figures are marked D (estimated); `max_clock_hz` of a board file is the rating";
    too_fast(board, bench).map(|why| Diagnostic::new(Kind::Skipped, why).help(help))
}

fn mismatch(board: &Board, image: &Image) -> Option<String> {
    let built = image.beyond(board.core())?;
    Some(format!(
        "built for {built}, but the core of board `{}` is a {}",
        board.name(),
        board.core().name()
    ))
}

fn too_fast(board: &Board, bench: &Bench) -> Option<String> {
    let (most, fastest) = (board.max_clock_hz()?, bench.fastest_clock_hz());
    (fastest > most).then(|| {
        format!(
            "the core ran at {}, and the chip of board `{}` is rated for {}",
            megahertz(fastest),
            board.name(),
            megahertz(most)
        )
    })
}

fn megahertz(hz: u32) -> String {
    format!("{} MHz", f64::from(hz) / 1e6)
}
