//! Compiles FreeRTOS with the study's two tasks for Aquila: its own CLINT, the ports behind its window for devices, and DRAM.

use std::env;
use std::fs;
use std::path::PathBuf;

#[path = "../freertos_rv32.rs"]
mod freertos_rv32;

const MEMORY: &str = "MEMORY
{
  CODE : ORIGIN = 0x80000000, LENGTH = 1M
  DATA : ORIGIN = 0x80100000, LENGTH = 1M
}
REGION_ALIAS(\"REGION_TEXT\", CODE);
REGION_ALIAS(\"REGION_RODATA\", CODE);
REGION_ALIAS(\"REGION_DATA\", DATA);
REGION_ALIAS(\"REGION_BSS\", DATA);
REGION_ALIAS(\"REGION_HEAP\", DATA);
REGION_ALIAS(\"REGION_STACK\", DATA);
";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("memory.x"), MEMORY).expect("OUT_DIR can be written");
    freertos_rv32::link(&out);
    println!("cargo:rerun-if-changed=../ticks/c");
    let includes = ["../ticks/c", "../ticks/c/libc"];
    let more = [
        "-O2",
        "-DconfigMTIME_BASE_ADDRESS=0xf0000000UL",
        "-DconfigMTIMECMP_BASE_ADDRESS=0xf0000008UL",
        "-DconfigCPU_CLOCK_HZ=1000000UL",
        "-DFIRST_TICK_LATER=10000u",
        "-DFINISH_ADDRESS=0xc0000000u",
        // A kernel at FREERTOS_KERNEL may be one of before V11, whose port wants it named.
        "-DportasmHANDLE_INTERRUPT=unexpected_interrupt",
    ];
    freertos_rv32::compile("ticks", &[], &["../ticks/c/ticks.c"], &includes, &more);
}
