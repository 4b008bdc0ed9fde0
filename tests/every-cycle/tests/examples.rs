//! The example programs put out what is kept beside them, and end with the exit code that they should.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use machine::{Board, Captured, Console, Image, Machine, Options, Outcome};
use xtask::{firmware, root};

/// The board that `cargo run` takes.
const BOARD: &str = "cortex-m3";
/// What the programs for RV32 are built for.
const RV32I: &str = "riscv32i-unknown-none-elf";
const RV32IMAC: &str = "riscv32imac-unknown-none-elf";

fn puts_out_what_it_should(example: &str) {
    let folder = root().join("firmware/examples").join(example);
    let input = fs::read(folder.join("input.txt")).unwrap_or_default();
    let program = firmware::program(example).expect("built");
    runs(&program, BOARD, input, &folder.join("expected.txt"), 0);
}

#[test]
fn blinky() {
    puts_out_what_it_should("blinky");
}

#[test]
fn uart_echo() {
    puts_out_what_it_should("uart-echo");
}

#[test]
fn control_loop() {
    puts_out_what_it_should("control-loop");
}

#[test]
fn hello_on_litex() {
    runs_on_litex("litex-hello", 0);
}

#[test]
fn an_interrupt_on_litex() {
    runs_on_litex("litex-timer", 0);
}

#[test]
fn a_panic_on_litex() {
    runs_on_litex("litex-panic", 101);
}

#[test]
fn hello_on_virt() {
    runs_on("virt", "virt", "virt-hello", RV32IMAC, 0);
}

#[test]
fn hello_on_an_fe310() {
    runs_on("sifive_e", "fe310", "fe310-hello", RV32IMAC, 0);
}

/// On every board with a `VexRiscv`: each is in a `LiteX` system.
fn runs_on_litex(program: &str, code: u32) {
    for board in Board::names().filter(|name| name.starts_with("vexriscv-")) {
        runs_on(board, "litex", program, RV32I, code);
    }
}

fn runs_on(board: &str, example: &str, program: &str, target: &str, code: u32) {
    let folder = root().join("firmware/examples").join(example).join("expected");
    let elf = firmware::program_for(program, target).expect("built");
    runs(
        &elf,
        board,
        Vec::new(),
        &folder.join(format!("{program}.txt")),
        code,
    );
}

fn runs(program: &Path, board: &str, input: Vec<u8>, expected: &Path, code: u32) {
    let image = Arc::new(Image::load(program).expect("an ELF file"));
    let captured = Captured::default();
    let options = Options {
        console: Console::new(captured.clone(), captured.clone(), Cursor::new(input)),
        ..Options::default()
    };
    let board = Board::find(board).expect("a board of the repository");
    let mut machine = Machine::new(&board, &image, options).expect("starts");
    let outcome = machine.run(10_000_000, &mut events::Silent);
    let ended = matches!(outcome, Outcome::Exit { code: is } if is == code);
    assert!(ended, "{}: {outcome:?}", board.name());
    let expected = fs::read_to_string(expected).expect("kept beside the example");
    assert_eq!(captured.text(), expected, "{}", board.name());
}

/// Threads with and without floating point, stopped every 700 cycles: the program knows its sums.
#[test]
fn no_switch_loses_a_floating_point_register() {
    let program = firmware::program_for("threads-mainspring-float", "thumbv7em-none-eabihf").expect("built");
    runs(&program, "stm32f411", Vec::new(), Path::new("/dev/null"), 0);
}
