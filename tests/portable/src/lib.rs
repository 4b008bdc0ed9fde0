//! The library without a host: programs, boards, scripts and a spec in memory, and all results and events as one text.
//!
//! `results.txt` is that text, as the host gives it (`UPDATE_GOLDEN=1 cargo test -p portable` writes it). The program of this package
//! holds it too, and compares: `./x ci` builds it for WebAssembly and runs it there.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use lab::backend::Backend;
use lab::batch::{Options, measure_spec};
use lab::spec;
use lab::trace::{Format, Trace, Tracing};
use machine::host::InMemory;
use machine::{Board, Image};
use programs::{EXIT, Firmware, NOP};
use report::Results;

/// What [`text`] gives.
pub const EXPECTED: &str = include_str!("../results.txt");

/// A program on several boards, with and without an interrupt, and one that reads a device that a script makes.
const SPEC: &str = r#"
group = "portable"
boards = ["stm32f100rb", "stm32f407-168mhz", "stm32g491-170mhz"]

[[program]]
elf = "app.elf"
[[program.span]]
id = "portable/work"
from = "work"
to = "done"

[[program]]
elf = "app.elf"
[[program.span]]
id = "portable/interrupted"
from = "main"
to = "done"
[[program.raise]]
irq = 6
at = 12
phases = 24

[[program]]
elf = "device.elf"
board = "mine.toml"
[[program.span]]
id = "portable/device"
from = "main"
to = "done"
"#;

const BOARD: &str = r#"
like = "stm32f100rb"
name = "mine"
description = "a board with a device that a script makes"
[[peripheral]]
name = "WIRE"
kind = "script"
base = 0x50000000
size = 0x400
script = "wire.rhai"
"#;

const SCRIPT: &str =
    "fn read(offset, size) { this.count = if \"count\" in this { this.count + 1 } else { 1 }; this.count }";

/// Counts down from ten through memory, then ends the run.
const RV32: [u32; 9] = [
    0x00a0_0513, // addi a0, zero, 10
    0x0000_4637, // lui a2, 4
    0x00a6_2023, // sw a0, 0(a2)
    0x0006_2683, // lw a3, 0(a2)
    0xfff5_0513, // addi a0, a0, -1
    0xfe05_1ae3, // bne a0, zero, -12
    0xfff0_05b7, // lui a1, 0xfff00
    0x0005_a023, // sw zero, 0(a1)
    0x0000_006f, // jal zero, 0
];

/// The boards on which that runs, each with the address of its core's first instruction.
const RV32_BOARDS: [(&str, u32); 4] = [
    ("vexriscv-full", 0),
    ("vexriscv-min", 0),
    ("ibex", 0x80),
    ("picorv32", 0),
];

/// More cycles than any of the programs takes.
const LIMIT: u64 = 100_000;

/// `main` enables IRQ6, whose handler returns at once, and goes on into `work`.
fn interruptible() -> Vec<u8> {
    // movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]: NVIC_ISER0
    let enable: &[u16] = &[0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001];
    let firmware = Firmware::new(&[enable]).function("work", &[&[NOP; 40]]);
    let firmware = firmware.function("done", &[EXIT]);
    firmware.handler(22, "IRQ6", &[&[0x4770]]).elf()
}

/// Reads the device twice.
fn reading() -> Vec<u8> {
    // movw r0, #0; movt r0, #0x5000; ldr r1, [r0]; ldr r1, [r0]
    let read: &[u16] = &[0xf240, 0x0000, 0xf2c5, 0x0000, 0x6801, 0x6801];
    Firmware::new(&[read]).function("done", &[EXIT]).elf()
}

/// Rows of the spec and events of the RV32 programs.
///
/// # Panics
///
/// If anything cannot be measured.
pub fn text() -> String {
    let mut files = InMemory::default();
    files.add("app.elf", interruptible());
    files.add("device.elf", reading());
    files.add("mine.toml", BOARD);
    files.add("wire.rhai", SCRIPT);
    let spec = spec::parse("spec.toml", SPEC).expect("a spec");
    let options = Options {
        timelines: true,
        ..Options::with_files(PathBuf::new(), Arc::new(files))
    };
    let mut outcome = measure_spec(&spec, &options, || {});
    let messages: Vec<String> = outcome.messages.iter().map(ToString::to_string).collect();
    assert!(messages.is_empty(), "{messages:#?}");
    for row in &mut outcome.rows {
        // These change with each version, and with each wording of a rule.
        row.obtained.tool.clear();
        row.obtained.rules.clear();
    }
    let mut text = Results::new("portable", outcome.rows).to_json();
    let code: Vec<u8> = RV32.into_iter().flat_map(u32::to_le_bytes).collect();
    for (name, start) in RV32_BOARDS {
        let board = Board::built_in(name).expect("a board");
        let image = Image::parse("rv32.elf", &programs::rv32(start, &code)).expect("a program");
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{name}\n{}", events(&board, &Arc::new(image)));
    }
    text
}

fn events(board: &Board, image: &Arc<Image>) -> String {
    let mut lines = Vec::new();
    let bench = Backend::Model.bench(board, image, machine::Options::default());
    let mut bench = bench.expect("it starts");
    let mut trace = Trace::to(&mut lines, image, board, Tracing::whole(Format::Text)).expect("a trace");
    let outcome = bench.run(LIMIT, &mut trace).expect("it runs");
    trace.finish().expect("it is written");
    let lines = String::from_utf8(lines).expect("the format is text");
    format!("{outcome:?}\n{lines}")
}
