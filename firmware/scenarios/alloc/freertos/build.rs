//! Compiles FreeRTOS, and links with the memory map that all programs of the group have.

use freertos_build::prelude::*;

#[path = "../build.rs"]
mod map;

/// Bytes of FreeRTOS' heap: the same memory that every allocator is given.
const HEAP: usize = 2048;

fn main() {
    map::main();
    let mut kernel = freertos_build::Builder::new();
    kernel.cpu_clock(8.MHz());
    kernel.heap_size(HEAP);
    kernel.minimal_stack_size(80);
    kernel.interrupt_priority_bits(4, 5, 15);
    kernel.heap("heap_4.c");
    kernel.get_cc().compiler("arm-none-eabi-gcc").opt_level(3);
    kernel.compile().expect("FreeRTOS compiles");
}
