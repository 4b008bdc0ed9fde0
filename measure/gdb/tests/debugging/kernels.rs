//! Threads of kernels of which no program is here: programs whose constants are such a kernel's state, in several of its configurations.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{GDB, by_gdb, shows};

/// A target: its compiler and what that is told, where programs begin, and a board.
struct Target {
    compiler: &'static str,
    flags: &'static [&'static str],
    begin: &'static str,
    board: &'static str,
    /// What `thread N` has in its registers there, whose frame is `waiting`.
    saved: &'static [(&'static str, &'static str)],
}

const M4F: Target = Target {
    compiler: "arm-none-eabi-gcc",
    flags: &[
        "-mcpu=cortex-m4",
        "-mthumb",
        "-mfloat-abi=hard",
        "-mfpu=fpv4-sp-d16",
    ],
    begin: "0x08000000",
    board: "stm32f407",
    saved: &[
        ("$r0", "100"),
        ("$r4", "104"),
        ("$r11", "111"),
        ("$r12", "112"),
        ("*(unsigned *)$sp", "2989"),
        ("$s16 != 0 && $s16 < 1e-40", "1"),
        ("$fpscr", "768"),
    ],
};
/// ARMv6-M saves R8 to R11 below the others.
const M0: Target = Target {
    flags: &["-mcpu=cortex-m0", "-mthumb"],
    begin: "0x00000000",
    board: "cortex-m0",
    saved: &[
        ("$r3", "103"),
        ("$r4", "104"),
        ("$r7", "107"),
        ("$r8", "108"),
        ("$r11", "111"),
        ("*(unsigned *)$sp", "2989"),
    ],
    ..M4F
};
const RV32: Target = Target {
    compiler: "riscv64-unknown-elf-gcc",
    flags: &["-march=rv32imac", "-mabi=ilp32"],
    begin: "0x80000000",
    board: "virt",
    saved: &[("$s0", "300"), ("$s1", "301")],
};

/// Builds one of the kernels.
fn built(folder: &Path, target: &Target, kernel: &str, more: &[&str]) -> Option<PathBuf> {
    if !skipped::installed(GDB) || !skipped::installed(target.compiler) {
        return None;
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/debugging/kernels");
    let elf = folder.join("app.elf");
    let mut compiler = Command::new(target.compiler);
    compiler.args(target.flags).args([
        "-g",
        "-O1",
        "-nostdlib",
        "-Wall",
        "-Werror",
        "-Wno-unused-const-variable",
    ]);
    compiler.arg(format!("-Wl,--defsym=BEGIN={}", target.begin));
    compiler.arg("-T").arg(sources.join("program.ld"));
    compiler.arg(sources.join(kernel)).arg("-o").arg(&elf).args(more);
    let output = compiler.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(elf)
}

/// The threads of a program in GDB.
fn shown_threads(target: &Target, kernel: &str, more: &[&str], threads: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    if let Some(elf) = built(folder.path(), target, kernel, more) {
        shows(
            &by_gdb(target.board, &elf, &["break asks", "continue", "info threads"]),
            threads,
        );
    }
}

/// And the registers of one that waits.
fn shown(target: &Target, kernel: &str, more: &[&str], threads: &[&str], waiting: usize) {
    let folder = tempfile::tempdir().unwrap();
    let Some(elf) = built(folder.path(), target, kernel, more) else {
        return;
    };
    let registers = target.saved.iter();
    let registers =
        registers.map(|(name, _)| format!("printf \"{} is %d\\n\", {name}", name.replace('$', "")));
    let registers: Vec<String> = registers.collect();
    let select = format!("thread {waiting}");
    let mut typed = vec![
        "set language c",
        "break asks",
        "continue",
        "info threads",
        &select,
        "backtrace 1",
    ];
    typed.extend(registers.iter().map(String::as_str));
    let text = by_gdb(target.board, &elf, &typed);
    shows(&text, threads);
    shows(&text, &["answers ()"]);
    for (name, value) in target.saved {
        shows(&text, &[&format!("{} is {value}\n", name.replace('$', ""))]);
    }
}

#[test]
fn gdb_shows_riots_threads() {
    let named = [
        "(first, running, priority 7)",
        "(second, waits, priority 8)",
        "(third, ready, priority 9)",
        "(fourth, sleeps, priority 10)",
    ];
    for target in [M4F, M0, RV32] {
        shown(&target, "riot.c", &["-DNAMES"], &named, 2);
    }
    // As it is configured without DEVELHELP.
    let numbered = ["(thread 2, running, priority 7)", "(thread 1, waits, priority 8)"];
    shown(&M4F, "riot.c", &[], &numbered, 2);
}

#[test]
fn gdb_shows_threadxs_threads() {
    let running = [
        "(first, running, priority 1)",
        "(second, waits, priority 2)",
        ", suspended, priority 3)",
    ];
    let current = "-DCURRENT=&first";
    for target in [M4F, M0] {
        shown(&target, "threadx.c", &[current, "-DMORE="], &running, 2);
    }
    shown(&M4F, "threadx.c", &[current, "-DMORE=word more[7];"], &running, 2);
    // As a library is built, without debug information, and while all wait.
    let nobody = [
        "(no thread, running)",
        "(second, waits, priority 2)",
        "(first, ready, priority 1)",
    ];
    let elsewhere = [current.replace("&first", "0"), "-DMORE=".into(), "-g0".into()];
    shown(
        &M4F,
        "threadx.c",
        &elsewhere.each_ref().map(String::as_str),
        &nobody,
        2,
    );
}

/// Before a kernel has started, and after `monitor reset`, of which GDB is told nothing: the thread that GDB has selected is there, as the
/// program.
#[test]
fn gdb_has_a_thread_after_a_reset() {
    let folder = tempfile::tempdir().unwrap();
    let flags = ["-DCURRENT=&first", "-DMORE=", "-DSTARTS"];
    let Some(elf) = built(folder.path(), &M4F, "threadx.c", &flags) else {
        return;
    };
    for selected in ["thread", "thread 3"] {
        let typed = [
            "break asks",
            "info threads",
            "continue",
            "info threads",
            selected,
            "monitor reset halt",
            "maintenance flush register-cache",
            "echo behind\\n",
            "info threads",
            "thread",
            "info registers pc",
            "stepi",
            "continue",
            "info threads",
            "thread 7",
        ];
        let text = by_gdb(M4F.board, &elf, &typed);
        let (before, behind) = text.split_once("behind\n").unwrap();
        shows(before, &["(the program)", "(first, running, priority 1)"]);
        shows(
            behind,
            &[
                "(the program)",
                "[Current thread is ",
                "reset",
                "(first, running, priority 1)",
            ],
        );
        for wrong in ["terminated", "nvalid", "annot", "No thread", "Unknown", "failure"] {
            assert!(!text.contains(wrong), "{wrong} in {text}");
        }
    }
}

#[test]
fn gdb_shows_zephyrs_threads() {
    let named = |state: &str| {
        [
            "(main, running, priority -1)".to_owned(),
            "(idle, ready, priority 15)".to_owned(),
            format!("(third, {state}, priority 5)"),
        ]
    };
    // Bits of a thread's state; one that is none waits for its time.
    for (state, told) in [("0", "waits"), ("2", "waits"), ("8", "finished"), ("16", "waits")] {
        let state = format!("-DSTATE={state}");
        let named = named(told);
        shown(
            &M4F,
            "zephyr.c",
            &[&state],
            &named.each_ref().map(String::as_str),
            2,
        );
    }
    let with_list = [
        "(main, running, priority -1)",
        "(idle 00, ready, priority 15)",
        "(third, waits, priority 5)",
    ];
    for target in [M4F, RV32] {
        shown(&target, "zephyr.c", &["-DLIST", "-DSTATE=4"], &with_list, 3);
    }
    // What memory has of a kernel need not be right: this list goes in circles, through the one who runs.
    let circle = ["-DLIST", "-DSTATE=4", "-DLAST=&z_main_thread"];
    shown(&M4F, "zephyr.c", &circle, &with_list, 3);
}

/// Blocks that do not begin as a thread does are none, whatever the program's names say.
#[test]
fn a_state_that_is_no_kernels_is_the_program() {
    let one = ["(the program)"];
    shown_threads(
        &M4F,
        "threadx.c",
        &["-DCURRENT=&first", "-DMORE=", "-DID=1"],
        &one,
    );
}
