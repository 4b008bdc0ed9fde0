//! rlsf's `Tlsf`, of a size for small memories, behind a critical section.

#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::RefCell;
use core::mem::MaybeUninit;
use core::ptr::{NonNull, null_mut};

use common::{Allocator, MEMORY};
use cortex_m as _; // The critical section.
use critical_section::Mutex;
use rlsf::Tlsf;

/// Lists for blocks of up to 2 KiB, eight to a power of two.
type Lists = Tlsf<'static, u16, u8, 8, 8>;

struct Global(Mutex<RefCell<Lists>>);

static GLOBAL: Global = Global(Mutex::new(RefCell::new(Tlsf::new())));

// SAFETY: what `Tlsf` allocates is the caller's alone until it is given back.
unsafe impl GlobalAlloc for Global {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let place = critical_section::with(|section| self.0.borrow_ref_mut(section).allocate(layout));
        place.map_or(null_mut(), NonNull::as_ptr)
    }

    #[inline]
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        if let Some(place) = NonNull::new(place) {
            critical_section::with(|section| {
                // SAFETY: the caller's promise.
                unsafe { self.0.borrow_ref_mut(section).deallocate(place, layout.align()) }
            });
        }
    }
}

/// The allocator.
pub struct Rlsf;

impl Rlsf {
    /// With its memory.
    pub fn ready() -> Self {
        #[repr(align(8))]
        struct Memory([MaybeUninit<u8>; MEMORY]);
        static mut HEAP_MEMORY: Memory = Memory([MaybeUninit::uninit(); MEMORY]);
        // SAFETY: called once, and no other code uses the memory.
        let memory = unsafe { &mut (*core::ptr::addr_of_mut!(HEAP_MEMORY)).0 };
        critical_section::with(|section| {
            let _keep = GLOBAL.0.borrow_ref_mut(section).insert_free_block(memory);
        });
        Rlsf
    }
}

common::global!(Rlsf, GLOBAL);

impl Allocator for Rlsf {
    fn bookkeeping(&self) -> usize {
        size_of_val(&GLOBAL)
    }
}
