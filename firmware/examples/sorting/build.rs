//! Links the benchmarks, each with the memory map of its chip.

use std::env;

fn main() {
    let dir = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let chip = match env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("riscv32") => "litex",
        _ => "stm32f100rb",
    };
    println!("cargo:rustc-link-search={dir}/{chip}");
    if chip == "litex" {
        println!("cargo:rustc-link-arg-benches=-Tmemory.x");
    }
    println!("cargo:rustc-link-arg-benches=-Tlink.x");
    println!("cargo:rustc-link-arg-benches=--nmagic");
    println!("cargo:rerun-if-changed={chip}/memory.x");
}
