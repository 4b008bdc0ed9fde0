//! FreeRTOS' heap_4. Its scheduler is not started: what keeps it away from the heap costs least then.

#![no_std]

use common::Allocator;
use cortex_m as _; // The critical section.
use freertos_next::FreeRtosAllocator;

#[global_allocator] // freertos-next links `alloc`, which wants one.
static HEAP: FreeRtosAllocator = FreeRtosAllocator;

/// The allocator.
pub struct FreeRtos;

common::global!(FreeRtos, HEAP);

impl Allocator for FreeRtos {
    fn bookkeeping(&self) -> usize {
        // `xStart`, `pxEnd` and four counters, of heap_4.c in V11.2.0.
        8 + 4 + 4 * 4
    }
}
