//! Compiles the study's work, which is C, and links with the memory map that all boards of an RV32 core have in common.

use std::env;
use std::path::PathBuf;

#[path = "../freertos_rv32.rs"]
#[allow(dead_code)] // FreeRTOS is not here.
mod freertos_rv32;

fn main() {
    println!("cargo:rerun-if-changed=../freertos/c/work.c");
    println!("cargo:rerun-if-changed=../freertos/c/work.h");
    println!("cargo:rerun-if-changed=../../tasks-rv32/memory.x");
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    freertos_rv32::link(&here.join("../../tasks-rv32"));
    // The file says itself that it is not to be optimised.
    freertos_rv32::compiler(&["-O3"])
        .file("../freertos/c/work.c")
        .compile("work");
}
