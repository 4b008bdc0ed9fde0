//! embedded-alloc as its documentation sets it up; its heaps use `critical_section`.

#![no_std]

use core::mem::MaybeUninit;

use common::{Allocator, MEMORY};
use cortex_m as _; // The critical section.
use embedded_alloc::{LlffHeap, TlsfHeap};

#[repr(align(8))]
struct Memory(#[allow(dead_code)] [MaybeUninit<u8>; MEMORY]);

static mut HEAP_MEMORY: Memory = Memory([MaybeUninit::uninit(); MEMORY]);

static TLSF: TlsfHeap = TlsfHeap::empty();
static LLFF: LlffHeap = LlffHeap::empty();

/// The two-level segregated fit heap.
pub struct Tlsf;

/// The linked-list first fit heap.
pub struct Llff;

impl Tlsf {
    /// With its memory.
    pub fn ready() -> Self {
        // SAFETY: called once, and no other code uses the memory.
        unsafe { TLSF.init(&raw mut HEAP_MEMORY as usize, MEMORY) };
        Tlsf
    }
}

impl Llff {
    /// With its memory.
    pub fn ready() -> Self {
        // SAFETY: called once, and no other code uses the memory.
        unsafe { LLFF.init(&raw mut HEAP_MEMORY as usize, MEMORY) };
        Llff
    }
}

common::global!(Tlsf, TLSF);
common::global!(Llff, LLFF);

impl Allocator for Tlsf {
    fn bookkeeping(&self) -> usize {
        size_of_val(&TLSF)
    }
}

impl Allocator for Llff {
    fn bookkeeping(&self) -> usize {
        size_of_val(&LLFF)
    }
}
