//! Compiles FreeRTOS, with its port for ARMv6-M, and the scenarios, which are C.

use std::env;
use std::path::PathBuf;

#[path = "../freertos_cortex_m.rs"]
mod freertos_cortex_m;
#[path = "../freertos_sources.rs"]
mod freertos_sources;
#[path = "../build.rs"]
mod map;

fn main() {
    map::main();
    println!("cargo:rerun-if-changed=../freertos/c");
    // What freertos-next tells by itself where it can be a dependency.
    // SAFETY: this program has one thread.
    unsafe { env::set_var("DEP_FREERTOS_CRATE_DIR", freertos_sources::of_the_crate()) };
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut kernel = freertos_cortex_m::kernel(&here.with_file_name("freertos"), &[]);
    kernel.freertos_port("GCC/ARM_CM0");
    kernel.compile().expect("FreeRTOS compiles");
}
