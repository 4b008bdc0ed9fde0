//! Links every program with the memory map that the scenarios share; on ARMv6-M with one whose flash is at 0.

use std::env;
use std::fs;
use std::path::PathBuf;

const ARMV6M: &str =
    "MEMORY\n{\n  FLASH : ORIGIN = 0, LENGTH = 128K\n  RAM : ORIGIN = 0x20000000, LENGTH = 8K\n}\n";

fn main() {
    let target = env::var("TARGET").expect("cargo sets it");
    println!("cargo:rustc-check-cfg=cfg(armv6m)");
    if target.starts_with("thumbv6m") {
        println!("cargo:rustc-cfg=armv6m");
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
        fs::write(out.join("scenario.x"), ARMV6M).expect("OUT_DIR can be written");
        println!("cargo:rustc-link-search={}", out.display());
    }
    let dir = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo:rustc-link-search={dir}/..");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=--nmagic");
    println!("cargo:rerun-if-changed=../scenario.x");
}
