//! As for `freertos`, without optimisation: compiles FreeRTOS and the scenarios, which are C, and links with the memory map that all programs of the group have.

use std::env;
use std::path::PathBuf;

use freertos_build::prelude::*;

#[path = "../build.rs"]
mod map;

/// Bytes of FreeRTOS' heap, for tasks and queues: none is allocated where anything is measured.
const HEAP: usize = 5120;

fn main() {
    map::main();
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../freertos");
    let mut kernel = freertos_build::Builder::new();
    kernel.cpu_clock(8.MHz());
    kernel.heap_size(HEAP);
    kernel.minimal_stack_size(64);
    kernel.max_task_priorities(8);
    // The most urgent interrupt that may call FreeRTOS, and the least urgent there is.
    kernel.interrupt_priority_bits(4, 1, 15);
    kernel.heap("heap_4.c");
    kernel.freertos_config_dir(here.join("config"));
    kernel.shim_file(here.join("c/scenarios.c"));
    kernel
        .get_cc()
        .compiler("arm-none-eabi-gcc")
        .opt_level(0)
        .include(here.join("c/cortex-m"));
    kernel.add_build_file(here.join("c/cortex-m/systick.c"));
    kernel.add_build_file(here.join("c/yield.c"));
    kernel.add_build_file(here.join("c/work.c"));
    kernel.add_build_file(here.join("c/metric.c"));
    kernel.compile().expect("FreeRTOS compiles");
    println!("cargo:rerun-if-changed=../freertos/config/FreeRTOSConfig.h");
}
