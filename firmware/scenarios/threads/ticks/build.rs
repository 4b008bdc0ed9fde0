//! Compiles FreeRTOS with the study's two tasks, and links with the board's memory map.

use std::env;
use std::fs;
use std::path::PathBuf;

#[path = "../freertos_rv32.rs"]
mod freertos_rv32;

const MEMORY: &str = "MEMORY
{
  CODE : ORIGIN = 0x00000080, LENGTH = 100K
  SRAM : ORIGIN = 0x10000000, LENGTH = 64K
}
REGION_ALIAS(\"REGION_TEXT\", CODE);
REGION_ALIAS(\"REGION_RODATA\", CODE);
REGION_ALIAS(\"REGION_DATA\", SRAM);
REGION_ALIAS(\"REGION_BSS\", SRAM);
REGION_ALIAS(\"REGION_HEAP\", SRAM);
REGION_ALIAS(\"REGION_STACK\", SRAM);
";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("memory.x"), MEMORY).expect("OUT_DIR can be written");
    freertos_rv32::link(&out);
    freertos_rv32::compile("ticks", &[], &["c/ticks.c"], &["c", "c/libc"], &["-O2"]);
}
