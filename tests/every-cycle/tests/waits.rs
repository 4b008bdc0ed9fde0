//! Checks that no thread waits forever in silence for something that one other thread alone can provide: a mutex, an answer, an end.
//! Either the wait ends or a panic reports that it cannot. The cases are in `firmware/scenarios/threads/mainspring/src/waits/cases.rs`,
//! and run on each core.

use std::fs;
use std::io::Cursor;
use std::sync::Arc;

use machine::{Board, Captured, Console, Image, Machine, Options, Outcome};
use xtask::firmware;

#[path = "../../../firmware/scenarios/threads/mainspring/src/waits/cases.rs"]
mod cases;
use cases::{BEFORE_CASE, CASES, Ends};

#[test]
fn none_waits_for_ever_in_silence() {
    for (name, target, board) in [
        ("threads-mainspring-waits", "thumbv7m-none-eabi", "stm32f100rb"),
        ("threads-mainspring-waits", "thumbv6m-none-eabi", "samd20"),
        ("threads-mainspring-waits", "thumbv7em-none-eabihf", "stm32f411"),
        ("virt-waits", "riscv32imac-unknown-none-elf", "virt"),
    ] {
        let program = fs::read(firmware::program_for(name, target).expect("built")).expect("a file");
        let wrong: Vec<_> = CASES
            .iter()
            .enumerate()
            .filter_map(|(number, &(case, ends))| {
                let is = run(&with_case(&program, number), board);
                (!is_so(&is, ends)).then(|| format!("{case:?}: {is:?}"))
            })
            .collect();
        assert!(wrong.is_empty(), "{board}:\n{}", wrong.join("\n"));
    }
}

/// The program with the case's number in the place where it reads it.
fn with_case(program: &[u8], number: usize) -> Vec<u8> {
    let before: Vec<u8> = BEFORE_CASE.iter().flat_map(|word| word.to_le_bytes()).collect();
    let places: Vec<_> = (0..program.len() - before.len())
        .filter(|&at| program[at..].starts_with(&before))
        .collect();
    let &[place] = &places[..] else {
        panic!("one place for the number, not {places:x?}")
    };
    let mut program = program.to_vec();
    let place = place + before.len();
    program[place..place + 4].copy_from_slice(&u32::try_from(number).expect("few").to_le_bytes());
    program
}

/// Runs the program and returns its outcome and output.
fn run(program: &[u8], board: &str) -> (Outcome, String) {
    let image = Arc::new(Image::parse("waits.elf", program).expect("an ELF file"));
    let captured = Captured::default();
    let options = Options {
        console: Console::new(captured.clone(), captured.clone(), Cursor::new(Vec::new())),
        ..Options::default()
    };
    let board = Board::find(board).expect("a board of the repository");
    let mut machine = Machine::new(&board, &image, options).expect("starts");
    (machine.run(2_000_000, &mut events::Silent), captured.text())
}

fn is_so((outcome, text): &(Outcome, String), ends: Ends) -> bool {
    match (outcome, ends) {
        (Outcome::Exit { code: 0 }, Ends::Well) => true,
        (Outcome::Exit { code: 0 } | Outcome::Limit { .. }, _) | (_, Ends::Well) => false,
        (_, Ends::Told(says)) => text.contains(says),
    }
}
