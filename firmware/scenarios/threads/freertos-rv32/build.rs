//! Compiles FreeRTOS with its port for RISC-V and the scenarios, which are C, and links by riscv-rt's script, with the memory map that
//! all boards of an RV32 core have in common.
//!
//! The sources are those of the crate freertos-next, or those at `FREERTOS_KERNEL`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=FREERTOS_KERNEL");
    println!("cargo:rerun-if-changed=c");
    println!("cargo:rerun-if-changed=../freertos/c");
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    println!(
        "cargo:rustc-link-search={}",
        here.join("../../tasks-rv32").display()
    );
    for script in ["-Tmemory.x", "-Tlink.x", "--nmagic"] {
        println!("cargo:rustc-link-arg-bins={script}");
    }
    println!("cargo:rerun-if-changed=../../tasks-rv32/memory.x");
    let kernel = env::var_os("FREERTOS_KERNEL").map_or_else(from_the_crate, PathBuf::from);
    compile(&kernel);
}

fn compile(kernel: &Path) {
    let port = kernel.join("portable/GCC/RISC-V");
    let mut build = cc::Build::new();
    build
        .compiler("riscv64-unknown-elf-gcc")
        .archiver("riscv64-unknown-elf-ar")
        .no_default_flags(true)
        .warnings(false)
        .flag("-O3")
        .flag(architecture())
        .flag("-mabi=ilp32")
        .flag("-mcmodel=medany")
        .flag("-ffreestanding")
        .flag("-fno-pic")
        .flag("-g")
        .flag("-msmall-data-limit=0")
        .include("c")
        .include("../ticks/c/libc")
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
    build
        .file(&renamed)
        .file(kernel.join("event_groups.c"))
        .file(port.join("portASM.S"))
        .file("../freertos/c/scenarios.c")
        .file("../freertos/c/metric.c")
        .file("c/port.c")
        .file("c/direct.c")
        .file("c/interrupt.c");
    build.compile("scenarios");
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

/// Where cargo keeps the sources of freertos-next.
fn from_the_crate() -> PathBuf {
    let mut metadata = Command::new(env::var_os("CARGO").expect("cargo sets it"));
    metadata.args(["metadata", "--format-version=1", "--offline", "--locked"]);
    let output = metadata.output().expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let manifest = text
        .split("\"manifest_path\":\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .find(|path| path.contains("/freertos-next-"))
        .expect("freertos-next is a dependency");
    Path::new(manifest).with_file_name("FreeRTOS-Kernel")
}
