//! Compiles FreeRTOS with each scenario, which are C, and links with the memory map that all boards of an RV32 core have in common.

use std::env;
use std::path::PathBuf;

#[path = "../freertos_rv32.rs"]
mod freertos_rv32;

/// Programs, and their files beside the port's.
const PROGRAMS: [(&str, &str); 9] = [
    ("threads-rv32-freertos", "../freertos/c/scenarios.c"),
    ("threads-rv32-freertos-message", "../freertos/c/message.c"),
    ("threads-rv32-freertos-direct", "c/direct.c"),
    ("threads-rv32-freertos-interrupt", "c/interrupt.c"),
    ("threads-rv32-freertos-sleep", "c/sleep.c"),
    ("threads-rv32-freertos-equals", "../freertos/c/equals.c"),
    ("threads-rv32-freertos-tick", "../freertos/c/tick.c"),
    ("metric-rv32-freertos", "../freertos/c/metric.c"),
    ("yield-rv32-freertos", "../freertos/c/yield.c"),
];

fn main() {
    println!("cargo:rerun-if-changed=../freertos/c");
    println!("cargo:rerun-if-changed=../../tasks-rv32/memory.x");
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    freertos_rv32::link(&here.join("../../tasks-rv32"));
    // Small data is reached by GP, as GNU's linker does by itself.
    println!("cargo:rustc-link-arg-bins=--relax-gp");
    for (program, file) in PROGRAMS {
        freertos_rv32::program(program, &[file, "c/port.c"], &["c", "../ticks/c/libc"]);
    }
    // Study 001's work, the same machine code for each kernel: the file says itself that it is not to be optimised.
    freertos_rv32::compiler(&["-O3"])
        .file("../freertos/c/work.c")
        .compile("work");
}
