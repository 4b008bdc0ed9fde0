//! Links every program by riscv-rt's script, with the memory map that all boards of an RV32 core have in common.

use std::env;

fn main() {
    let dir = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo:rustc-link-search={dir}/../../tasks-rv32");
    for script in ["-Tmemory.x", "-Tlink.x", "--nmagic"] {
        println!("cargo:rustc-link-arg-bins={script}");
    }
    println!("cargo:rerun-if-changed=../../tasks-rv32/memory.x");
}
