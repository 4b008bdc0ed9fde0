//! Compiles FreeRTOS with its port for RISC-V and a program in C: what the build scripts of these packages have in common.
//!
//! The sources are those of the crate freertos-next, or those at `FREERTOS_KERNEL`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

mod freertos_sources;
mod whole_program;

const COMPILER: &str = "riscv64-unknown-elf-gcc";

/// Links the program by riscv-rt's script, with the `memory.x` in this folder.
pub fn link(memory: &Path) {
    println!("cargo:rustc-link-search={}", memory.display());
    for script in ["-Tmemory.x", "-Tlink.x", "--nmagic"] {
        println!("cargo:rustc-link-arg-bins={script}");
    }
}

/// Data and code may lie anywhere.
const ANYWHERE: [&str; 2] = ["-mcmodel=medany", "-msmall-data-limit=0"];
/// Code is where an address takes few instructions, and small data where one instruction reaches it by GP.
const NEAR: [&str; 2] = ["-mcmodel=medlow", "-msmall-data-limit=8"];
/// A build that does without: in a small cache all lies otherwise, and some is faster.
const FAR: whole_program::Build = (
    "-far",
    &["-O3", "-flto", "-mcmodel=medany", "-msmall-data-limit=0"],
);

/// Compiles the kernel and `files`, optimised as a whole, and links the program `name` with that.
#[allow(dead_code)] // The studies' programs are built as the studies say.
pub fn program(name: &str, files: &[&str], includes: &[&str]) {
    let build = kernel(&["event_groups.c"], files, includes, &[]);
    whole_program::link(&build, COMPILER, &machine(NEAR), name, &[FAR]);
}

/// Compiles the kernel's files beside those that each program has, and `files`, into the library `name`; `more` is what else the
/// compiler is told.
#[allow(dead_code)] // The scenarios are optimised as a whole.
pub fn compile(name: &str, kernel_files: &[&str], files: &[&str], includes: &[&str], more: &[&str]) {
    kernel(kernel_files, files, includes, &told(more)).compile(name);
}

fn kernel(kernel_files: &[&str], files: &[&str], includes: &[&str], flags: &[&str]) -> cc::Build {
    println!("cargo:rerun-if-env-changed=FREERTOS_KERNEL");
    println!("cargo:rerun-if-changed=../freertos_rv32.rs");
    println!("cargo:rerun-if-changed=c");
    let kernel = env::var_os("FREERTOS_KERNEL").map_or_else(
        || freertos_sources::of_the_crate().join("FreeRTOS-Kernel"),
        PathBuf::from,
    );
    let port = kernel.join("portable/GCC/RISC-V");
    let mut build = base(flags);
    build
        .includes(includes)
        .include(kernel.join("include"))
        .include(&port)
        .include(port.join("chip_specific_extensions/RISCV_MTIME_CLINT_no_extensions"));
    // The port has the timer's step as a constant; here it is set when the program starts.
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let renamed = out.join("port.c");
    let text = "#define uxTimerIncrementsForOneTick port_increments\n#include \"FreeRTOS.h\"\n";
    let include = format!("{text}#include \"{}\"\n", port.join("port.c").display());
    fs::write(&renamed, include).expect("OUT_DIR can be written");
    for file in ["tasks.c", "queue.c", "list.c", "portable/MemMang/heap_4.c"] {
        build.file(kernel.join(file));
    }
    build.file(&renamed);
    build.files(kernel_files.iter().map(|file| kernel.join(file)));
    build.file(port.join("portASM.S")).files(files);
    build
}

/// The compiler for the target, which is told `more` as well.
#[allow(dead_code)] // For study 001's work.
pub fn compiler(more: &[&str]) -> cc::Build {
    base(&told(more))
}

fn told<'a>(more: &[&'a str]) -> Vec<&'a str> {
    machine(ANYWHERE)
        .into_iter()
        .chain(more.iter().copied())
        .collect()
}

fn base(flags: &[&str]) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .compiler(COMPILER)
        .archiver("riscv64-unknown-elf-ar")
        .no_default_flags(true)
        .warnings(false)
        .flag("-g");
    for flag in flags {
        build.flag(flag);
    }
    build
}

/// The hardware of the target, and the layout of its programs.
fn machine(layout: [&'static str; 2]) -> [&'static str; 6] {
    let target = env::var("TARGET").expect("cargo sets it");
    let architecture = if target.starts_with("riscv32imc") {
        "-march=rv32imc_zicsr"
    } else {
        "-march=rv32im_zicsr"
    };
    let [code, data] = layout;
    [
        architecture,
        "-mabi=ilp32",
        code,
        data,
        "-ffreestanding",
        "-fno-pic",
    ]
}
