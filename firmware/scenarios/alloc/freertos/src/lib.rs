//! FreeRTOS' heap_4. Its scheduler is not started: what keeps it away from the heap costs least then.

#![no_std]

use core::alloc::{GlobalAlloc, Layout};

use common::Allocator;
use cortex_m as _; // The critical section.

static HEAP: Heap = Heap;

/// heap_4 aligns blocks to 8 bytes, which is enough for all allocations of the scenarios.
struct Heap;

unsafe extern "C" {
    fn pvPortMalloc(bytes: usize) -> *mut u8;
    fn vPortFree(memory: *mut u8);
}

// SAFETY: heap_4's memory is the caller's until it is freed.
unsafe impl GlobalAlloc for Heap {
    #[inline(always)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: may be called at any time.
        unsafe { pvPortMalloc(layout.size()) }
    }

    #[inline(always)]
    unsafe fn dealloc(&self, memory: *mut u8, _: Layout) {
        // SAFETY: the caller's promise.
        unsafe { vPortFree(memory) }
    }
}

/// The allocator.
pub struct FreeRtos;

common::global!(FreeRtos, HEAP);

impl Allocator for FreeRtos {
    fn bookkeeping(&self) -> usize {
        // `xStart`, `pxEnd` and four counters, of heap_4.c in V11.2.0.
        8 + 4 + 4 * 4
    }
}
