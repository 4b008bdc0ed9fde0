//! Threads that switch by an ordinary call: found by their stacks.

use std::process::Command;

use serde_json::Value;

use super::repository_program;
use crate::Desk;

/// Of each thread of a profile, how often it went on.
fn runs(desk: &Desk, board: &str) -> Vec<u64> {
    desk.run(&format!("profile app.elf --board {board} --json told.json"))
        .code(0);
    let told: Value = serde_json::from_str(&desk.read("told.json")).unwrap();
    let contexts = told["contexts"].as_array().unwrap().iter();
    let threads = contexts.filter(|context| context["name"].as_str().unwrap().starts_with("thread"));
    threads.map(|thread| thread["runs"].as_u64().unwrap()).collect()
}

/// The idle loop; then who waits at once; two that yield to each other three times; who waits for both. No interrupt comes, so but for
/// the first one each switch is a call.
const SWEEP: [u64; 5] = [1, 1, 4, 4, 1];

const ON_RV32: &str = "riscv32im-unknown-none-elf/tasks-rv32-mainspring-sweep-threads.elf";

#[test]
fn threads_that_switch_by_a_call_are_told_apart() {
    for (name, board) in [
        ("tasks-mainspring-sweep-threads.elf", "stm32f100rb"),
        (ON_RV32, "vexriscv-full"),
    ] {
        let Some(elf) = repository_program(name) else {
            continue;
        };
        assert_eq!(runs(&Desk::new().with("app.elf", elf), board), SWEEP, "{name}");
    }
}

/// Without names a switch may be seen only when the first thread goes on again; the idle loop then counts as that thread.
#[test]
fn they_are_told_apart_without_symbols() {
    let strip = "riscv64-unknown-elf-strip";
    let Some(elf) = repository_program(ON_RV32) else {
        return;
    };
    if !skipped::installed(strip) {
        return;
    }
    let desk = Desk::new().with("app.elf", elf);
    assert!(
        Command::new(strip)
            .arg(desk.path("app.elf"))
            .status()
            .unwrap()
            .success()
    );
    let runs = runs(&desk, "vexriscv-full");
    assert!(runs.ends_with(&[1, 4, 4, 1]), "{runs:?}");
}

/// Arrays of any length, leaps, another stack at the start and for a call.
#[test]
fn other_uses_of_stacks_are_no_switches() {
    let compiler = "arm-none-eabi-gcc";
    if !skipped::installed(compiler) {
        return;
    }
    for level in ["-O0", "-O1", "-O2", "-Os"] {
        let desk = Desk::new().with("stacks.c", include_bytes!("stacks.c"));
        let command = "-mcpu=cortex-m3 -mthumb -nostdlib -Wl,-Ttext=0x08000100,-Tbss=0x20000000,\
                       --section-start=.vectors=0x08000000,-estarts -g stacks.c -o app.elf";
        let arguments = command.split_whitespace().chain([level]);
        let status = Command::new(compiler)
            .args(arguments)
            .current_dir(desk.path("."))
            .status();
        assert!(status.unwrap().success());
        assert_eq!(runs(&desk, "stm32f100rb"), [1], "{level}");
    }
}
