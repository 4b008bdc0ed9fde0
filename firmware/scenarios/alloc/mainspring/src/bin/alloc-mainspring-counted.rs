//! The operations of Mainspring's pool as study 002 measured them: by the program itself, which reads DWT's CYCCNT before
//! and behind. The difference contains the reading.

#![no_std]
#![no_main]

use core::ptr::{read_volatile, with_exposed_provenance_mut, write_volatile};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use alloc_mainspring::Shared;
use common::{Kernel, Word, exit, fail, unknown};

/// Debug exception and monitor control register: bit 24 lets the DWT count.
const DEMCR: usize = 0xe000_edfc;
/// Control register of the DWT: bit 0 starts CYCCNT.
const DWT_CTRL: usize = 0xe000_1000;
const DWT_CYCCNT: usize = 0xe000_1004;

macro_rules! words {
    ($($name:ident)*) => {
        $(
            #[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into this program.
            static $name: AtomicU32 = AtomicU32::new(0);
        )*
    };
}

words! {
    COUNTED_FIRST_U8 COUNTED_FIRST_U32 COUNTED_FIRST_U64
    COUNTED_AGAIN_U8 COUNTED_AGAIN_U32 COUNTED_AGAIN_U64
    COUNTED_FREE_U8 COUNTED_FREE_U32 COUNTED_FREE_U64
}

#[inline(always)]
fn now() -> u32 {
    // SAFETY: the register is there on every core that this program is meant for; reading it has no effect.
    unsafe { read_volatile(with_exposed_provenance_mut::<u32>(DWT_CYCCNT)) }
}

#[inline(never)]
fn take<T: Word>(result: &AtomicU32, number: u32) -> *mut T {
    let before = now();
    let place = Shared.take(T::new(number, number));
    let behind = now();
    result.store(behind.wrapping_sub(before), Relaxed);
    place
}

#[inline(never)]
fn give<T>(result: &AtomicU32, place: *mut T) {
    let before = now();
    // SAFETY: `main` gives back once what it took.
    unsafe { Shared.give(place) };
    let behind = now();
    result.store(behind.wrapping_sub(before), Relaxed);
}

#[cortex_m_rt::entry]
fn main() -> ! {
    // SAFETY: no other code uses the DWT.
    unsafe {
        write_volatile(with_exposed_provenance_mut::<u32>(DEMCR), 1 << 24);
        write_volatile(with_exposed_provenance_mut::<u32>(DWT_CTRL), 1);
    }
    let number = unknown(7);
    let bytes = take::<u8>(&COUNTED_FIRST_U8, number);
    let words = take::<u32>(&COUNTED_FIRST_U32, number);
    let longs = take::<u64>(&COUNTED_FIRST_U64, number);
    if bytes.is_null() || words.is_null() || longs.is_null() {
        fail()
    }
    give(&COUNTED_FREE_U8, bytes);
    give(&COUNTED_FREE_U32, words);
    give(&COUNTED_FREE_U64, longs);
    give(&COUNTED_FREE_U8, take::<u8>(&COUNTED_AGAIN_U8, number));
    give(&COUNTED_FREE_U32, take::<u32>(&COUNTED_AGAIN_U32, number));
    give(&COUNTED_FREE_U64, take::<u64>(&COUNTED_AGAIN_U64, number));
    exit()
}
