//! Compiles FreeRTOS with the scenarios, which are C, and links with the memory map that all boards of an RV32 core have in common.

use std::env;
use std::path::PathBuf;

#[path = "../freertos_rv32.rs"]
mod freertos_rv32;

fn main() {
    println!("cargo:rerun-if-changed=../freertos/c");
    println!("cargo:rerun-if-changed=../../tasks-rv32/memory.x");
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    freertos_rv32::link(&here.join("../../tasks-rv32"));
    let files = [
        "../freertos/c/scenarios.c",
        "../freertos/c/metric.c",
        "../freertos/c/work.c",
        "../freertos/c/yield.c",
        "c/port.c",
        "c/direct.c",
        "c/interrupt.c",
        "c/sleep.c",
        "../freertos/c/message.c",
    ];
    freertos_rv32::compile(
        "scenarios",
        &["event_groups.c"],
        &files,
        &["c", "../ticks/c/libc"],
        &["-O3"],
    );
}
