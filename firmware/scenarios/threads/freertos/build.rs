//! Compiles FreeRTOS and the scenarios, which are C, and links with the memory map that all programs of the group have.

use std::env;
use std::path::PathBuf;

#[path = "../freertos_cortex_m.rs"]
mod freertos_cortex_m;
#[path = "../build.rs"]
mod map;

fn main() {
    map::main();
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut kernel = freertos_cortex_m::kernel(&here, &["c/yield.c", "c/work.c"]);
    // The most urgent interrupt that may call FreeRTOS, and the least urgent there is.
    kernel.interrupt_priority_bits(4, 1, 15);
    kernel.compile().expect("FreeRTOS compiles");
}
