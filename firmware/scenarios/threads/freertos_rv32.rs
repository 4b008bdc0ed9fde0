//! Compiles FreeRTOS with its port for RISC-V and a program in C: what the build scripts of these packages have in common.
//!
//! The sources are those of the crate freertos-next, or those at `FREERTOS_KERNEL`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

mod freertos_sources;

/// Links the program by riscv-rt's script, with the `memory.x` in this folder.
pub fn link(memory: &Path) {
    println!("cargo:rustc-link-search={}", memory.display());
    for script in ["-Tmemory.x", "-Tlink.x", "--nmagic"] {
        println!("cargo:rustc-link-arg-bins={script}");
    }
}

/// Compiles the kernel's files beside those that each program has, and `files`, into the library `name`; `more` is what else the
/// compiler is told.
pub fn compile(name: &str, kernel_files: &[&str], files: &[&str], includes: &[&str], more: &[&str]) {
    println!("cargo:rerun-if-env-changed=FREERTOS_KERNEL");
    println!("cargo:rerun-if-changed=../freertos_rv32.rs");
    println!("cargo:rerun-if-changed=c");
    let kernel = env::var_os("FREERTOS_KERNEL").map_or_else(
        || freertos_sources::of_the_crate().join("FreeRTOS-Kernel"),
        PathBuf::from,
    );
    let port = kernel.join("portable/GCC/RISC-V");
    let mut build = compiler(more);
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
    build.file(port.join("portASM.S")).files(files).compile(name);
}

/// The compiler for the target, which is told `more` as well.
pub fn compiler(more: &[&str]) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .compiler("riscv64-unknown-elf-gcc")
        .archiver("riscv64-unknown-elf-ar")
        .no_default_flags(true)
        .warnings(false)
        .flag(architecture())
        .flag("-mabi=ilp32")
        .flag("-mcmodel=medany")
        .flag("-ffreestanding")
        .flag("-fno-pic")
        .flag("-g")
        .flag("-msmall-data-limit=0");
    for flag in more {
        build.flag(flag);
    }
    build
}

/// What the target has.
fn architecture() -> &'static str {
    let target = env::var("TARGET").expect("cargo sets it");
    if target.starts_with("riscv32imc") {
        "-march=rv32imc_zicsr"
    } else {
        "-march=rv32im_zicsr"
    }
}
