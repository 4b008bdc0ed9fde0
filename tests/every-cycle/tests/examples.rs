//! Checks the output and exit code of the example programs against the files beside them.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use machine::{Board, Captured, Console, Exception, Image, Machine, Options, Outcome};
use xtask::{firmware, root};

/// The board that `cargo run` uses.
const BOARD: &str = "cortex-m3";
/// Target of the RV32 programs.
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

/// Runs the program on every board with a `VexRiscv`, each of which is a `LiteX` system.
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

/// Threads with and without floating point, switched every 700 cycles; the program checks its sums.
#[test]
fn no_switch_loses_a_floating_point_register() {
    let program = firmware::program_for("threads-mainspring-float", "thumbv7em-none-eabihf").expect("built");
    runs(&program, "stm32f411", Vec::new(), Path::new("/dev/null"), 0);
}

/// Equal-priority threads that are pre-empted during their turns. The switching exception sees the pre-empting thread only in the ready
/// word; the program checks whose turn it is.
#[test]
fn who_is_preempted_by_an_interrupt_keeps_its_turn() {
    for (target, board) in [
        ("thumbv7m-none-eabi", "stm32f100rb"),
        ("thumbv6m-none-eabi", "samd20"),
        ("thumbv7em-none-eabihf", "stm32f411"),
    ] {
        let program = firmware::program_for("threads-mainspring-turns", target).expect("built");
        runs(&program, board, Vec::new(), Path::new("/dev/null"), 0);
    }
}

/// One C program calls every function of CMSIS-RTOS2 and checks Arm's specification; another makes invalid calls; a third overflows a
/// stack, which must be named.
#[test]
fn every_function_of_cmsis_rtos2() {
    if !skipped::installed("arm-none-eabi-gcc") {
        return;
    }
    for (target, board) in [
        ("thumbv6m-none-eabi", "samd20"),
        ("thumbv7em-none-eabihf", "stm32f411"),
    ] {
        for name in ["cmsis-functions", "cmsis-hostile"] {
            let program = firmware::program_for(name, target).expect("built");
            runs(&program, board, Vec::new(), Path::new("/dev/null"), 0);
        }
        let overflow = firmware::program_for("cmsis-overflow", target).expect("built");
        panics_on(
            board,
            &overflow,
            None,
            "the stack of thread `deep` has overflowed",
        );
    }
}

/// The functions in the table of `docs/guide/cmsis.md` are exactly those that the header declares, and all are in the program.
#[test]
fn the_table_of_cmsis_rtos2_is_what_there_is() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("a file of the repository");
    let page = read("docs/guide/cmsis.md");
    let rows = page.lines().filter(|line| line.starts_with("| `os"));
    let (there, missing): (Vec<_>, Vec<_>) = rows.partition(|row| row.contains("| yes"));
    let name = |row: &&str| row.split('`').nth(1).expect("a name").to_owned();
    let there: Vec<_> = there.iter().map(name).collect();
    let missing: Vec<_> = missing.iter().map(name).collect();
    assert!(
        there.len() == 80 && missing.len() == 10,
        "{} and {}",
        there.len(),
        missing.len()
    );
    let header = read("kernel/cmsis/include/cmsis_os2.h");
    let declared =
        |name: &str| header.contains(&format!(" {name}(")) || header.contains(&format!("*{name}("));
    for name in &there {
        assert!(declared(name), "{name} is not in the header");
    }
    let declarations = header
        .lines()
        .filter(|line| line.ends_with(");") && !line.starts_with("typedef"));
    assert_eq!(declarations.count(), there.len(), "functions in the header");
    assert!(missing.iter().all(|name| !declared(name)));
    if !skipped::installed("arm-none-eabi-gcc") {
        return;
    }
    let program = firmware::program_for("cmsis-functions", "thumbv7em-none-eabihf").expect("built");
    let image = Image::load(&program).expect("an ELF file");
    for name in &there {
        assert!(image.symbol(name).is_ok(), "{name} is not in the program");
    }
}

/// A stack overflow names its thread.
#[test]
fn a_stack_that_overflows() {
    panics(
        "threads-mainspring-overflow",
        "the stack of thread `Deep` has overflowed",
    );
}

/// A frame larger than the stack jumps over its end marker and a guard; the next tick finds it.
#[test]
fn a_frame_that_is_larger_than_its_stack() {
    let says = "the stack of thread `Deep` has overflowed";
    for (name, target, board) in [
        ("threads-mainspring-frame", "thumbv7m-none-eabi", "stm32f100rb"),
        ("threads-mainspring-frame", "thumbv6m-none-eabi", "samd20"),
        ("threads-mainspring-frame", "thumbv7em-none-eabihf", "stm32f411"),
        (
            "threads-mainspring-guarded-frame",
            "thumbv6m-none-eabi",
            "cortex-m0plus",
        ),
        (
            "threads-mainspring-guarded-frame",
            "thumbv7em-none-eabihf",
            "stm32f411",
        ),
    ] {
        panics_on(
            board,
            &firmware::program_for(name, target).expect("built"),
            None,
            says,
        );
    }
}

/// With the tasks' stack below the statics, an overflow leaves memory even on a core without an MPU. With the stack above them this
/// program ends well.
#[test]
fn a_stack_below_the_statics() {
    for (target, board) in [
        ("thumbv7m-none-eabi", BOARD),
        ("thumbv6m-none-eabi", "cortex-m0plus"),
    ] {
        let program = firmware::program_for("stack-below", target).expect("built");
        let image = Arc::new(Image::load(&program).expect("an ELF file"));
        let board = Board::find(board).expect("a board of the repository");
        let mut machine = Machine::new(&board, &image, Options::default()).expect("fits");
        let outcome = machine.run(100_000, &mut events::Silent);
        assert!(
            !matches!(outcome, Outcome::Exit { .. } | Outcome::Limit { .. }),
            "{outcome:?}"
        );
        assert_eq!(machine.stack_pointer() & !0xff, 0x2000_0000, "{outcome:?}");
    }
}

/// The thread can neither continue nor let another run. An earlier version continued, with a mutex guard that another thread held.
#[test]
fn a_thread_that_waits_in_a_critical_section() {
    panics(
        "threads-mainspring-held",
        "thread `Other` waits where interrupts are held back, inside of a critical section",
    );
}

/// Expects the program to end by a panic with this message.
fn panics(program: &str, says: &str) {
    let program = firmware::program(program).expect("built");
    panics_on("stm32f100rb", &program, None, says);
}

/// Expects the program to end on this board by a panic with this message, with an optional interrupt at a cycle. Returns the last cycle.
fn panics_on(board: &str, program: &Path, interrupt: Option<u64>, says: &str) -> u64 {
    let image = Arc::new(Image::load(program).expect("an ELF file"));
    let captured = Captured::default();
    let options = Options {
        console: Console::new(captured.clone(), captured.clone(), Cursor::new(Vec::new())),
        ..Options::default()
    };
    let board = Board::find(board).expect("a board of the repository");
    let mut machine = Machine::new(&board, &image, options).expect("starts");
    if let Some(cycle) = interrupt {
        machine.raise(Exception::External(1), cycle);
    }
    let outcome = machine.run(10_000_000, &mut events::Silent);
    assert!(!matches!(outcome, Outcome::Exit { code: 0 }), "{outcome:?}");
    let text = captured.text();
    assert!(text.contains(says), "{interrupt:?}: {text}");
    machine.cycle()
}

/// A guard finds an overflow at once on every kind of core and names the task or thread; faults at other addresses are reported as
/// before.
#[test]
fn a_stack_with_a_guard() {
    let thread = "the stack of thread `Deep` has overflowed";
    let task = "the stack of the tasks has overflowed, in `Deep`";
    let init = "the stack of the tasks has overflowed, in `init`";
    for (target, board) in [
        ("thumbv7em-none-eabihf", "stm32f411"),
        ("thumbv6m-none-eabi", "cortex-m0plus"),
    ] {
        let program = |name: &str| firmware::program_for(name, target).expect("built");
        panics_on(board, &program("threads-mainspring-guarded"), None, thread);
        panics_on(board, &program("threads-mainspring-guarded-tasks"), None, task);
        panics_on(board, &program("threads-mainspring-guarded-init"), None, init);
        let fault = program("threads-mainspring-guarded-fault");
        runs(&fault, board, Vec::new(), Path::new("/dev/null"), 0);
    }
    let program = |name: &str| firmware::program_for(name, RV32IMAC).expect("built");
    panics_on("virt", &program("virt-guarded"), None, thread);
    panics_on("virt", &program("virt-guarded-tasks"), None, task);
    panics_on("virt", &program("virt-guarded-plic"), None, task);
    panics_on("virt", &program("virt-guarded-init"), None, init);
}

/// QEMU's PLIC and PMP agree with ours; some implementations keep the reserved bits of `pmpcfg`.
#[test]
fn qemu_says_the_same_of_guards_and_of_a_plic() {
    if !skipped::installed("qemu-system-riscv32") {
        return;
    }
    let (passed, overflowed) = (0, 101);
    for (name, code, says) in [
        ("virt-tasks", passed, ""),
        ("virt-threads", passed, ""),
        (
            "virt-guarded",
            overflowed,
            "the stack of thread `Deep` has overflowed",
        ),
        (
            "virt-guarded-tasks",
            overflowed,
            "the stack of the tasks has overflowed, in `Deep`",
        ),
        (
            "virt-guarded-plic",
            overflowed,
            "the stack of the tasks has overflowed, in `Deep`",
        ),
    ] {
        let program = firmware::program_for(name, RV32IMAC).expect("built");
        let mut qemu = Command::new("timeout");
        qemu.args(["60", "qemu-system-riscv32", "-M", "virt", "-bios", "none"]);
        let ran = qemu.args(["-nographic", "-kernel"]).arg(program).output();
        let ran = ran.expect("starts");
        let text = String::from_utf8_lossy(&ran.stdout);
        assert_eq!(ran.status.code(), Some(code), "{name}: {text}");
        assert!(text.contains(says), "{name}: {text}");
    }
}

/// `VexRiscv`'s protection regions differ from the manual's, which its registers do not show: a program with guards must not start there.
#[test]
fn a_guard_on_a_pmp_that_is_not_the_manuals() {
    let name = "tasks-rv32-mainspring-guarded";
    let program = firmware::program_for(name, "riscv32im-unknown-none-elf").expect("built");
    runs(&program, "vexriscv-secure", Vec::new(), Path::new("/dev/null"), 1);
}

/// An interrupt saves registers on the thread's stack, or finds no room for them: the panic names the thread in either case.
#[test]
fn a_stack_with_a_guard_and_an_interrupt_in_every_cycle() {
    let says = "the stack of thread `Deep` has overflowed";
    let program =
        firmware::program_for("threads-mainspring-guarded", "thumbv7em-none-eabihf").expect("built");
    let end = panics_on("stm32f411", &program, None, says);
    // Every seventh cycle only: printing the message takes most of the run.
    for cycle in (0..end).step_by(7) {
        panics_on("stm32f411", &program, Some(cycle), says);
    }
}

/// A program with guards must not start on a chip with too few regions.
#[test]
fn a_guard_that_the_chip_has_no_region_for() {
    let program = firmware::program("tasks-mainspring-guarded").expect("built");
    let image = Arc::new(Image::load(&program).expect("an ELF file"));
    let board = Board::find("stm32f100rb").expect("a board of the repository");
    let mut machine = Machine::new(&board, &image, Options::default()).expect("fits");
    let outcome = machine.run(100_000, &mut events::Silent);
    assert!(!matches!(outcome, Outcome::Exit { .. }), "{outcome:?}");
}
