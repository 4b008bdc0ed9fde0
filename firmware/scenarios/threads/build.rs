//! Links every program of the group `threads/` with the memory map of its target's boards.
//!
//! The boards with an M3 or M4F have their flash at `0x0800_0000`, those with an M0 or M0+ at 0; all have RAM at
//! `0x2000_0000`, and as much of it as the smallest of them has here.

use std::env;
use std::fs;
use std::path::PathBuf;

#[allow(dead_code)] // A package with more RAM has its own.
pub fn main() {
    write_map("8K");
}

/// The memory map with so much RAM.
pub fn write_map(ram: &str) {
    let target = env::var("TARGET").expect("cargo sets it");
    let flash = if target.starts_with("thumbv6m") {
        0
    } else {
        0x0800_0000
    };
    let map = format!(
        "MEMORY\n{{\n  FLASH : ORIGIN = {flash:#x}, LENGTH = 128K\n  RAM : ORIGIN = 0x20000000, LENGTH = {ram}\n}}\n"
    );
    let dir = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(dir.join("memory.x"), map).expect("OUT_DIR can be written");
    println!("cargo:rustc-link-search={}", dir.display());
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=--nmagic");
    println!("cargo:rerun-if-changed=../build.rs"); // Seen from a package.
}
