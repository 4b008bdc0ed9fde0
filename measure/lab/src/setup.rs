//! Programs and boards by the names that a user gives.

use std::path::Path;

use machine::board::Described;
use machine::host::Files;
#[cfg(feature = "host")]
use machine::host::System;
use machine::{Board, BoardError, Image, ImageError, ProgramFile};

use crate::diagnostic::{Diagnostic, Result, similar_file};

fn bad_image(error: &ImageError) -> Diagnostic {
    let hint = error.hint().map(str::to_owned);
    Diagnostic::mistake(error.problem.to_string())
        .in_file(&error.file)
        .maybe_help(hint.or_else(|| similar_file(Path::new(&error.file))))
}

fn bad_board(error: &BoardError) -> Diagnostic {
    match error {
        BoardError::Unreadable { file, error } => Diagnostic::unreadable(Path::new(file), error),
        _ => Diagnostic::mistake(error.to_string()).maybe_help(error.hint()),
    }
}

/// Loads an ELF file of this computer.
///
/// # Errors
///
/// If it is not a program that can run.
#[cfg(feature = "host")]
pub fn load(path: &Path) -> Result<Image> {
    Image::load(path).map_err(|error| bad_image(&error))
}

/// Loads a program from one or several files of this computer, for the board's core if a board is given.
///
/// # Errors
///
/// If a file is not a program, or the files do not fit together.
#[cfg(feature = "host")]
pub fn load_files(files: &[ProgramFile], board: Option<&Board>) -> Result<Image> {
    load_files_in(&System, files, board)
}

pub(crate) fn load_files_in(from: &dyn Files, files: &[ProgramFile], board: Option<&Board>) -> Result<Image> {
    let architecture = board.map(|board| board.core().architecture());
    Image::load_all_from(from, files, architecture).map_err(|error| bad_image(&error))
}

/// Finds a board by its name or file.
///
/// # Errors
///
/// If it does not exist, or its file has a mistake.
#[cfg(feature = "host")]
pub fn find_board(name: &str) -> Result<Board> {
    find_board_in(&System, name)
}

pub(crate) fn find_board_in(files: &dyn Files, name: &str) -> Result<Board> {
    Board::find_in(files, name).map_err(|error| bad_board(&error))
}

/// Adds an SVD file's register descriptions to a board.
///
/// # Errors
///
/// If the file is invalid, or a stub names nothing in it.
#[cfg(feature = "host")]
pub fn described(board: Board, by: &Described) -> Result<Board> {
    described_in(&System, board, by)
}

pub(crate) fn described_in(files: &dyn Files, board: Board, by: &Described) -> Result<Board> {
    board.described(by, files).map_err(|error| bad_board(&error))
}

/// The board with these timing rules switched off in its core.
///
/// # Errors
///
/// If a rule does not exist or cannot be switched off.
pub fn without_rules(board: Board, rules: &[String]) -> Result<Board> {
    let mut rules = rules.iter();
    let board = rules.try_fold(board, |board, rule| board.without_rule(rule));
    board.map_err(|error| bad_board(&error))
}

/// Checks that the board's core reports its fetches.
///
/// # Errors
///
/// If it does not.
pub fn announces_fetch(board: &Board) -> Result<()> {
    if board.core().announces_fetch() {
        return Ok(());
    }
    let title = format!(
        "board `{}` has a {}; what it fetches is not modelled",
        board.name(),
        board.core().name()
    );
    Err(Diagnostic::mistake(title).help("`--view fetch` is for the RV32 cores"))
}

/// Whether the core reports fetches as words rather than instruction addresses.
pub(crate) fn fetches_words(board: &Board) -> bool {
    board.core().fetches_words()
}
