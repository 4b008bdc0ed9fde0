//! talc's `TalcCell` behind a critical section.

#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use core::mem::MaybeUninit;

use common::{Allocator, MEMORY, fail};
use cortex_m as _; // The critical section.
use critical_section::Mutex;
use talc::TalcCell;
use talc::source::Manual;

struct Global(Mutex<TalcCell<Manual>>);

#[global_allocator] // talc links `alloc`, which wants one.
static GLOBAL: Global = Global(Mutex::new(TalcCell::new(Manual)));

// SAFETY: what talc allocates is the caller's alone until it is given back.
unsafe impl GlobalAlloc for Global {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        critical_section::with(|section| unsafe { self.0.borrow(section).alloc(layout) })
    }

    #[inline]
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        critical_section::with(|section| unsafe { self.0.borrow(section).dealloc(place, layout) });
    }
}

/// The allocator.
pub struct Talc;

impl Talc {
    /// With its memory, at whose beginning it keeps its lists.
    pub fn ready() -> Self {
        #[repr(align(8))]
        struct Memory(#[allow(dead_code)] [MaybeUninit<u8>; MEMORY]);
        static mut HEAP_MEMORY: Memory = Memory([MaybeUninit::uninit(); MEMORY]);
        // SAFETY: called once, and no other code uses the memory.
        let end = critical_section::with(|section| unsafe {
            GLOBAL
                .0
                .borrow(section)
                .claim((&raw mut HEAP_MEMORY).cast(), MEMORY)
        });
        if end.is_none() {
            fail()
        }
        Talc
    }
}

common::global!(Talc, GLOBAL);

impl Allocator for Talc {
    fn bookkeeping(&self) -> usize {
        size_of_val(&GLOBAL)
    }
}
