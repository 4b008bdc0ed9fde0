//! Compiles the programs, which are C, as a user of CMSIS-RTOS2 does: with the header, and without optimisation.

use std::env;

#[path = "../build.rs"]
mod map;

fn main() {
    map::write_map("24K");
    println!("cargo:rerun-if-changed=c");
    println!("cargo:rerun-if-changed=../../../../kernel/cmsis/include/cmsis_os2.h");
    let target = env::var("TARGET").expect("cargo sets it");
    let out = env::var("OUT_DIR").expect("cargo sets it");
    println!("cargo:rustc-link-search={out}");
    for program in ["study", "functions", "hostile", "overflow", "sweep"] {
        // DWT counts cycles on ARMv7-M alone.
        if program == "study" && target.starts_with("thumbv6m") {
            continue;
        }
        cc::Build::new()
            .compiler("arm-none-eabi-gcc")
            .include("../../../../kernel/cmsis/include")
            .include("c")
            .file(format!("c/{program}.c"))
            .opt_level(0)
            .warnings_into_errors(true)
            // Each program says itself which it is linked with.
            .cargo_metadata(false)
            .compile(program);
    }
}
