//! Compiles FreeRTOS, and links with the memory map that all programs of the group have.

use std::env;
use std::path::PathBuf;

#[path = "../../threads/freertos_cortex_m.rs"]
mod freertos_cortex_m;
#[path = "../build.rs"]
mod map;

/// Bytes of FreeRTOS' heap: the same memory that every allocator is given.
const HEAP: &str = "2048";

fn main() {
    map::main();
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let config = here.join("../../threads/freertos/config");
    for program in ["alloc-freertos", "alloc-freertos-churn"] {
        freertos_cortex_m::program(program, &config, &[], HEAP);
    }
}
