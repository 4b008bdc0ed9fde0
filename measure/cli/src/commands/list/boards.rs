//! `cyclescope list boards`: lists the built-in boards.

use std::fmt::Write as _;

use lab::batch::find_board;
use lab::diagnostic::Result;
use machine::Board;
use machine::board::MemoryKind;
use report::beside;

use super::super::{Ending, common};

/// List the boards and their memories.
#[derive(clap::Args, Debug)]
pub(super) struct BoardsArgs;

impl BoardsArgs {
    pub(super) fn execute() -> Result<Ending> {
        let mut text = String::new();
        let width = Board::names().map(str::len).max().unwrap_or(0);
        for name in Board::names() {
            describe(&mut text, &find_board(name)?, width);
        }
        common::print(&text)?;
        Ok(Ending::default())
    }
}

fn describe(text: &mut String, board: &Board, width: usize) {
    let about = format!("{} ({})", board.description(), board.core().name());
    let front = format!("{:<width$}  ", board.name());
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(text, "{}", beside(&front, &about, 0, ""));
    for memory in board.memories() {
        let kind = match memory.kind {
            MemoryKind::Rom => "rom",
            MemoryKind::Ram => "ram",
        };
        let size = size(memory.size);
        let _ = writeln!(
            text,
            "  {:#010x}  {size:>8}  {kind}  {}",
            memory.base, memory.name
        );
    }
    if board.takes_memory_from_elf() {
        text.push_str("  memory taken from the ELF file\n");
    }
}

fn size(bytes: u32) -> String {
    match bytes {
        _ if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}
