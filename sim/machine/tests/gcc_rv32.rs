//! The C programs of `firmware/examples/c`, built by a real compiler: they run on every board, by each way to
//! the host. What is said of their crashes is tested with the command line.
//!
//! Without `riscv64-unknown-elf-gcc` these tests say that they are skipped, and pass.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use common::machine_on;
use events::{Event, Silent, Sink};
use machine::image::Architecture;
use machine::{Board, Image, Machine, Options, Outcome};
use skipped::skip;
use tempfile::TempDir;

const COMPILER: &str = "riscv64-unknown-elf-gcc";
const LIMIT: u64 = 2_000_000;

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../firmware/examples/c")
}

/// Compiles and links a program with a way to the host, or says why not.
fn build(program: &str, host: &str, options: &[&str]) -> Option<Arc<Image>> {
    let directory = TempDir::new().unwrap();
    let elf = directory.path().join("program.elf");
    let mut gcc = Command::new(COMPILER);
    gcc.current_dir(sources());
    gcc.args([
        "-march=rv32i",
        "-mabi=ilp32",
        "-Og",
        "-g",
        "-Wall",
        "-Wextra",
        "-Werror",
    ]);
    gcc.args(["-nostdlib", "-T", "link.ld", "-Wl,--no-warn-rwx-segments"]);
    gcc.args(options);
    gcc.args(["start.S", program, host, "-lgcc", "-o"]).arg(&elf);
    match gcc.output() {
        Err(error) => {
            skip(&format!("no {COMPILER}: {error}"));
            None
        }
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{errors}");
            Some(Arc::new(Image::load(&elf).unwrap()))
        }
    }
}

fn says_hello(board: &str, image: &Arc<Image>) {
    let (mut machine, output) = machine_on(board, image);
    let outcome = machine.run(LIMIT, &mut Silent);
    assert!(
        matches!(outcome, Outcome::Exit { code: 3 }),
        "{board}: {outcome:?}"
    );
    assert_eq!(output.text(), "0 7 42 1234 56789\n5 swaps\n", "{board}");
}

/// The boards with RV32 cores that have memory at 0, or not, and what `start.S` sets up: a trap handler.
fn boards(at_zero: bool) -> impl Iterator<Item = &'static str> {
    Board::names().filter(move |name| {
        let board = Board::find(name).unwrap();
        let has = board.memories().iter().any(|memory| memory.base == 0);
        board.core().has_model()
            && board.core().architecture() == Architecture::RiscV
            && board.has_handlers()
            && has == at_zero
    })
}

#[test]
fn a_program_ends_by_semihosting() {
    let Some(image) = build("hello.c", "semihosting.c", &[]) else {
        return;
    };
    assert!(boards(true).any(|board| board == "ibex"));
    boards(true).for_each(|board| says_hello(board, &image));
}

#[test]
fn a_program_ends_by_the_ports_of_the_harness() {
    let Some(image) = build("hello.c", "ports.c", &[]) else {
        return;
    };
    boards(true).for_each(|board| says_hello(board, &image));
}

#[test]
fn a_program_ends_by_the_test_finisher() {
    if let Some(image) = build("hello.c", "finisher.c", &["-Wl,--defsym=RAM=0x80000000"]) {
        says_hello("virt", &image);
    }
}

#[test]
fn a_program_ends_by_the_host_target_interface() {
    if let Some(image) = build("hello.c", "htif.c", &["-Wl,--defsym=RAM=0x80000000"]) {
        says_hello("virt", &image);
    }
}

/// What a board takes for the program, which has to come to a good end, whether somebody listens or not.
fn cycles(board: &Board, image: &Arc<Image>) -> u64 {
    let silent = cycles_with(board, image, &mut Silent);
    assert_eq!(silent, cycles_with(board, image, &mut Vec::<Event>::new()));
    silent
}

fn cycles_with(board: &Board, image: &Arc<Image>, sink: &mut dyn Sink) -> u64 {
    let mut machine = Machine::new(board, image, Options::default()).unwrap();
    let outcome = machine.run(LIMIT, sink);
    let name = board.name();
    assert!(
        matches!(outcome, Outcome::Exit { code: 0 }),
        "{name}: {outcome:?}"
    );
    machine.cycle()
}

#[test]
fn an_l2_makes_external_memory_faster() {
    let Some(image) = build("page.c", "ports.c", &["-Wl,--defsym=RAM=0x40000000"]) else {
        return;
    };
    let without = "like = \"litex-sram\"\nname = \"no-l2\"\ndescription = \"no L2\"\ncache = []\n";
    let without = Board::parse("no-l2.toml", without).unwrap();
    let fast = Board::find("vexriscv-imac").unwrap();
    let with = Board::find("litex-sram").unwrap();
    let [with, without, fast] = [&with, &without, &fast].map(|board| cycles(board, &image));
    assert!(fast < with && with < without, "{fast} {with} {without}");
}

/// The instruction set that a program names is compared with that of the core, with each extension that is missing.
#[test]
fn a_program_says_which_instructions_it_needs() {
    let Some(image) = build("hello.c", "semihosting.c", &["-march=rv32imac_zicsr"]) else {
        return;
    };
    let beyond = |board: &str| image.beyond(Board::find(board).unwrap().core());
    assert_eq!(beyond("virt"), None);
    assert_eq!(
        beyond("vexriscv-min").as_deref(),
        Some("rv32imac_zicsr (it lacks C, M, Zaamo, Zalrsc)")
    );
    let plain = image.plain_board().unwrap_err();
    assert_eq!(plain.to_string(), "built for RISC-V, and no board is named");
}
