//! FreeRTOS for the scenarios on a Cortex-M, as each of its packages has it.

use std::path::Path;

use freertos_build::Builder;
use freertos_build::prelude::*;

/// Bytes of FreeRTOS' heap, for tasks and queues: none is allocated where anything is measured.
const HEAP: usize = 5120;

/// The kernel with the scenarios in C that every core runs, and `more`; `folder` is that of the package `threads-freertos`.
pub fn kernel(folder: &Path, more: &[&str]) -> Builder {
    println!("cargo:rerun-if-changed=../freertos_cortex_m.rs");
    let config = folder.join("config");
    println!("cargo:rerun-if-changed={}", config.display());
    let mut kernel = Builder::new();
    kernel.cpu_clock(8.MHz());
    kernel.heap_size(HEAP);
    kernel.minimal_stack_size(64);
    kernel.max_task_priorities(8);
    kernel.heap("heap_4.c");
    kernel.freertos_config_dir(config);
    kernel.shim_file(folder.join("c/scenarios.c"));
    kernel
        .get_cc()
        .compiler("arm-none-eabi-gcc")
        .opt_level(3)
        .include(folder.join("c/cortex-m"));
    kernel.add_build_file(folder.join("c/cortex-m/systick.c"));
    kernel.add_build_files(more.iter().map(|file| folder.join(file)));
    kernel.add_build_file(folder.join("c/metric.c"));
    kernel.add_build_file(folder.join("c/message.c"));
    kernel
}
