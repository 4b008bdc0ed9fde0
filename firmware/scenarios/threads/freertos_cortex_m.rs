//! FreeRTOS for the scenarios on a Cortex-M, each linked with one of them.

use std::env;
use std::path::{Path, PathBuf};

mod freertos_sources;
mod whole_program;

const COMPILER: &str = "arm-none-eabi-gcc";

/// The kernel's files beside its port's.
const KERNEL: [&str; 5] = [
    "tasks.c",
    "queue.c",
    "list.c",
    "event_groups.c",
    "portable/MemMang/heap_4.c",
];

/// Compiles the kernel with `files`, the configuration in the folder `config` and that many bytes of heap, and links the program `name`
/// with that.
pub fn program(name: &str, config: &Path, files: &[PathBuf], heap: &str) {
    println!("cargo:rerun-if-changed={}", config.display());
    let kernel = freertos_sources::of_the_crate().join("FreeRTOS-Kernel");
    let core = Core::of_target();
    let port = kernel.join("portable/GCC").join(core.port);
    let mut build = cc::Build::new();
    build.define("configTOTAL_HEAP_SIZE", heap);
    build.includes([config, &kernel.join("include"), &port]);
    build.files(KERNEL.map(|file| kernel.join(file)));
    build.files(core.port_files.iter().map(|file| port.join(file)));
    for file in files {
        println!("cargo:rerun-if-changed={}", file.display());
        build.file(file);
        build.include(file.with_file_name("cortex-m"));
    }
    whole_program::link(&build, COMPILER, core.flags, name, &[]);
}

/// The hardware of a target's boards, and FreeRTOS' port for it.
struct Core {
    flags: &'static [&'static str],
    port: &'static str,
    port_files: &'static [&'static str],
}

impl Core {
    fn of_target() -> Self {
        match &*env::var("TARGET").expect("cargo sets it") {
            "thumbv6m-none-eabi" => Core {
                flags: &["-mcpu=cortex-m0plus", "-mthumb", "-mfloat-abi=soft"],
                port: "ARM_CM0",
                port_files: &["port.c", "portasm.c"],
            },
            "thumbv7m-none-eabi" => Core {
                flags: &["-mcpu=cortex-m3", "-mthumb", "-mfloat-abi=soft"],
                port: "ARM_CM3",
                port_files: &["port.c"],
            },
            _ => Core {
                flags: &[
                    "-mcpu=cortex-m4",
                    "-mthumb",
                    "-mfloat-abi=hard",
                    "-mfpu=fpv4-sp-d16",
                ],
                port: "ARM_CM4F",
                port_files: &["port.c"],
            },
        }
    }
}
