//! Any bytes as an ELF file: it is read or refused with a message, every question about it has an answer, and a program
//! that a board accepts runs and ends in one of the known ways.

#![no_main]

use std::hint::black_box;
use std::sync::Arc;

use events::Silent;
use fuzz::BOARDS;
use libfuzzer_sys::fuzz_target;
use machine::{Board, Image, Machine, Options, Outcome};

const LIMIT: u64 = 2_000;
/// Symbols that are asked about, of each file.
const ASKED: usize = 32;

fuzz_target!(|data: &[u8]| {
    match Image::parse("fuzz.elf", data) {
        Ok(image) => {
            ask(&image);
            let image = Arc::new(image);
            BOARDS.iter().for_each(|board| start(board, &image));
        }
        Err(error) => {
            black_box((error.to_string(), error.hint()));
        }
    }
});

/// What the command line, a trace and a crash report ask of an image.
fn ask(image: &Image) {
    for symbol in image.symbols().take(ASKED) {
        ask_at(image, symbol.address);
        ask_at(image, symbol.address.wrapping_add(symbol.size));
        let found = image
            .symbol(&symbol.name)
            .map_err(|error| (error.to_string(), error.hint()));
        black_box(found.is_ok());
    }
    for segment in image.segments().iter().take(ASKED) {
        ask_at(image, segment.address);
        ask_at(image, segment.runs_at.wrapping_add(segment.runs_size));
    }
    let unknown = image
        .symbol("no::such_symbol")
        .map_err(|error| (error.to_string(), error.hint()));
    black_box(unknown.is_ok());
}

fn ask_at(image: &Image, address: u32) {
    black_box((
        image.describe(address),
        image.frames_at(address),
        image.has_code(address),
    ));
    if let Some(place) = image.place_at(address) {
        for line in [place.line, place.line.wrapping_add(1)] {
            let found = image.line_addresses(&place.file, line);
            black_box(found.map_err(|error| (error.to_string(), error.hint())).is_ok());
        }
    }
}

fn start(board: &Board, image: &Arc<Image>) {
    match Machine::new(board, image, Options::default()) {
        Ok(mut machine) => match machine.run(LIMIT, &mut Silent) {
            Outcome::Crash(report) => drop(black_box(report.to_string())),
            Outcome::Trapped(report) => drop(black_box((report.to_string(), report.hint()))),
            Outcome::NotModelled(report) => drop(black_box((report.to_string(), report.hint()))),
            Outcome::Stuck(report) => drop(black_box(report.to_string())),
            Outcome::Exit { .. } | Outcome::Limit { .. } | Outcome::Reset { .. } => {}
        },
        Err(error) => drop(black_box((error.to_string(), error.hint()))),
    }
}
