//! Any text as a board file: it describes a board on which a program can be tried, or the message says what is wrong.

#![no_main]

use std::hint::black_box;

use events::Silent;
use fuzz::IMAGE;
use libfuzzer_sys::fuzz_target;
use machine::{Board, Machine, Options};

const LIMIT: u64 = 500;

fuzz_target!(|text: &str| {
    match Board::parse("fuzz.toml", text) {
        Ok(board) => try_on(&board),
        Err(error) => drop(black_box((error.to_string(), error.hint()))),
    }
});

fn try_on(board: &Board) {
    for name in board
        .irq_names()
        .iter()
        .map(String::as_str)
        .chain(["IRQ7", "SysTick", "no such"])
    {
        let found = board
            .exception(name)
            .map_err(|error| (error.to_string(), error.hint()));
        black_box(found.is_ok());
    }
    match Machine::new(board, &IMAGE, Options::default()) {
        Ok(mut machine) => drop(black_box(machine.run(LIMIT, &mut Silent))),
        Err(error) => drop(black_box((error.to_string(), error.hint()))),
    }
}
