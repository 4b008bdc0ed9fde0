//! Compiles FreeRTOS with each scenario, which are C, and links with the memory map that all programs of the group have.

use std::env;
use std::path::PathBuf;

#[path = "../freertos_cortex_m.rs"]
mod freertos_cortex_m;
#[path = "../build.rs"]
mod map;

/// Programs, and their files beside SysTick's.
const PROGRAMS: [(&str, &str); 6] = [
    ("threads-freertos", "c/scenarios.c"),
    ("threads-freertos-message", "c/message.c"),
    ("threads-freertos-equals", "c/equals.c"),
    ("threads-freertos-tick", "c/tick.c"),
    ("metric-freertos", "c/metric.c"),
    ("yield-freertos", "c/yield.c"),
];

/// Bytes of FreeRTOS' heap, for tasks and queues: none is allocated where anything is measured.
const HEAP: &str = "5120";

fn main() {
    map::main();
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    println!("cargo:rerun-if-changed={}", here.join("c").display());
    for (program, file) in PROGRAMS {
        let files = [here.join(file), here.join("c/cortex-m/systick.c")];
        freertos_cortex_m::program(program, &here.join("config"), &files, HEAP);
    }
    // Study 001's work, the same machine code for each kernel.
    cc::Build::new()
        .compiler("arm-none-eabi-gcc")
        .file("c/work.c")
        .opt_level(3) // The file says itself that it is not to be optimised.
        .compile("work");
}
