//! Links every program: at 0 for the boards of the MPS2 and for RV32, where the flash of an STM32 is for the Cortex-M4F.

use std::{env, fs};

fn main() {
    let variable = |name| env::var(name).unwrap_or_default();
    let out = variable("OUT_DIR");
    println!("cargo:rerun-if-changed=build.rs");
    if variable("CARGO_CFG_TARGET_ARCH") == "riscv32" {
        let folder = variable("CARGO_MANIFEST_DIR");
        println!("cargo:rustc-link-arg-bins=-T{folder}/../speed-rv32/link.x");
        println!("cargo:rustc-link-arg-bins=--defsym=BASE=0");
        return;
    }
    let flash = if variable("TARGET").starts_with("thumbv7em") {
        "0x08000000"
    } else {
        "0"
    };
    let memory = format!(
        "MEMORY\n{{\n  FLASH : ORIGIN = {flash}, LENGTH = 64K\n  RAM : ORIGIN = 0x20000000, LENGTH = 16K\n}}\n"
    );
    fs::write(format!("{out}/memory.x"), memory).expect("cargo made the folder");
    println!("cargo:rustc-link-search={out}");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=--nmagic");
}
