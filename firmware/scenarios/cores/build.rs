//! Links every program of the group `cores/` with the memory map of its target's boards.
//!
//! The boards with an M3 or M4F have their flash at `0x0800_0000`, those with an M0 or M0+ at 0; all have RAM at
//! `0x2000_0000`, and as much of it as the smallest of them has here.

use std::env;
use std::fs;
use std::path::PathBuf;

fn main() {
    let target = env::var("TARGET").expect("cargo sets it");
    let (flash, ram) = match target.as_str() {
        "thumbv6m-none-eabi" => ("ORIGIN = 0x00000000, LENGTH = 256K", "16K"),
        "thumbv7m-none-eabi" => ("ORIGIN = 0x08000000, LENGTH = 128K", "8K"),
        _ => ("ORIGIN = 0x08000000, LENGTH = 256K", "48K"),
    };
    let dir = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let map = format!("MEMORY\n{{\n  FLASH : {flash}\n  RAM : ORIGIN = 0x20000000, LENGTH = {ram}\n}}\n");
    fs::write(dir.join("memory.x"), map).expect("OUT_DIR can be written");
    println!("cargo:rustc-link-search={}", dir.display());
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=--nmagic");
    println!("cargo:rerun-if-changed=../build.rs");
}
