//! Links every program by riscv-rt's script, with the memory map of its board.

use std::env;
use std::fs;
use std::path::Path;

fn main() {
    let dir = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let dir = Path::new(&dir);
    for program in fs::read_dir(dir.join("src/bin"))
        .expect("there are programs")
        .flatten()
    {
        let path = program.path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
        println!(
            "cargo:rustc-link-arg-bin={name}=-T{}",
            dir.join(memory(name)).display()
        );
        if name == "messages-mainspring-study" {
            println!("cargo:rustc-link-arg-bin={name}=-T{}", dir.join(NEAR).display());
        }
    }
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=--nmagic");
    for script in [ALL, PAGES, APART, PRECURSOR, MANUAL, NEAR, "src/bin"] {
        println!("cargo:rerun-if-changed={script}");
    }
}

/// The memory of the boards of RV32 cores.
const ALL: &str = "../../tasks-rv32/memory.x";
const PAGES: &str = "pages.x";
const APART: &str = "apart.x";
const PRECURSOR: &str = "precursor.x";
const MANUAL: &str = "manual.x";
const NEAR: &str = "near.x";

fn memory(program: &str) -> &'static str {
    if program.contains("precursor") {
        PRECURSOR
    } else if program.contains("manual") {
        MANUAL
    } else if matches!(
        program,
        "messages-mainspring-pages" | "messages-mainspring-pages-move"
    ) {
        APART
    } else if program.contains("pages") {
        PAGES
    } else {
        ALL
    }
}
