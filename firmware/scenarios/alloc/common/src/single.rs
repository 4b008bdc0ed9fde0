//! The operations one by one, and what memory is good for.
//!
//! `first-…` is an allocation from memory that was never used, `again-…` one after a `free-…` of the same type, and
//! `pair` both, of a `u32`. A value is in registers before, and in its place afterwards; the place is in a register.

use core::ptr::with_exposed_provenance_mut;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::churn::{self, Slot};
use crate::{Allocator, Kernel, MEMORY, Word, exit, fail, from, to, unknown};

/// Bytes that a block takes beyond its value, of a `u8`, a `u32` and a `u64`.
#[unsafe(no_mangle)] // SAFETY: no other object of this name is linked into these programs.
static OVERHEAD_U8: AtomicU32 = AtomicU32::new(0);
#[unsafe(no_mangle)] // SAFETY: as above.
static OVERHEAD_U32: AtomicU32 = AtomicU32::new(0);
#[unsafe(no_mangle)] // SAFETY: as above.
static OVERHEAD_U64: AtomicU32 = AtomicU32::new(0);
/// Bytes that the allocator keeps for itself.
#[unsafe(no_mangle)] // SAFETY: as above.
static BOOKKEEPING: AtomicU32 = AtomicU32::new(0);
/// How much of the memory was in values when an allocation failed first.
#[unsafe(no_mangle)] // SAFETY: as above.
static UTILISATION: AtomicU32 = AtomicU32::new(0);

/// Allocates, between the points `FROM` and `TO`.
#[inline(never)]
fn take<const FROM: u8, const TO: u8, T: Word, K: Kernel<T>>(kernel: &mut K, number: u32) -> *mut T {
    let (low, high) = from::<FROM>(number, number);
    let place = kernel.take(T::new(low, high));
    to::<TO>();
    place
}

/// Frees, between the points `FROM` and `TO`.
#[inline(never)]
fn give<const FROM: u8, const TO: u8, T, K: Kernel<T>>(kernel: &mut K, place: *mut T) {
    let (address, _) = from::<FROM>(place.expose_provenance() as u32, 0);
    // SAFETY: `run` gives back once what it took.
    unsafe { kernel.give(with_exposed_provenance_mut(address as usize)) };
    to::<TO>();
}

#[inline(never)]
fn pair<K: Kernel<u32>>(kernel: &mut K, number: u32) {
    let (number, _) = from::<40>(number, 0);
    let place = kernel.take(number);
    // SAFETY: taken just now.
    unsafe { kernel.give(place) };
    to::<41>();
}

/// Measures everything, and ends the program.
pub fn run<K: Allocator>(kernel: &mut K) -> ! {
    let number = unknown(7);
    let bytes = take::<10, 11, u8, _>(kernel, number);
    let words = take::<12, 13, u32, _>(kernel, number);
    let longs = take::<14, 15, u64, _>(kernel, number);
    check(bytes, words, longs);
    give::<30, 31, _, _>(kernel, bytes);
    give::<32, 33, _, _>(kernel, words);
    give::<34, 35, _, _>(kernel, longs);
    let bytes = take::<20, 21, u8, _>(kernel, number);
    let words = take::<22, 23, u32, _>(kernel, number);
    let longs = take::<24, 25, u64, _>(kernel, number);
    check(bytes, words, longs);
    // SAFETY: taken just now.
    unsafe {
        kernel.give(bytes);
        kernel.give(words);
        kernel.give(longs);
    }
    pair(kernel, number);
    OVERHEAD_U8.store(overhead::<u8, K>(kernel, 0), Relaxed);
    OVERHEAD_U32.store(overhead::<u32, K>(kernel, 0), Relaxed);
    OVERHEAD_U64.store(overhead::<u64, K>(kernel, 0), Relaxed);
    BOOKKEEPING.store(kernel.bookkeeping() as u32, Relaxed);
    UTILISATION.store(utilisation(kernel), Relaxed);
    exit()
}

fn check(bytes: *mut u8, words: *mut u32, longs: *mut u64) {
    // SAFETY: places with values in them, if they are not null.
    let sound = !bytes.is_null()
        && !words.is_null()
        && !longs.is_null()
        && unsafe { *bytes == 7 && *words == 7 && *longs == 7 << 32 | 7 };
    if !sound {
        fail()
    }
}

/// How far apart places lie that were taken one after the other, less the size.
#[inline(never)]
fn overhead<T: Copy, K: Kernel<T>>(kernel: &mut K, value: T) -> u32 {
    const COUNT: usize = 8;
    let mut places = [core::ptr::null_mut(); COUNT];
    for place in &mut places {
        *place = kernel.take(value);
    }
    let distance = |pair: &[*mut T]| pair[0].addr().abs_diff(pair[1].addr());
    // The first may be places that were free already.
    let least = places[3..].windows(2).map(distance).min().unwrap_or(0);
    for place in places {
        // SAFETY: taken just now.
        unsafe { kernel.give(place) };
    }
    (least - size_of::<T>()) as u32
}

/// Takes more than it gives back, by the same lot as [`churn`], until there is no place; the values' part of the memory
/// then, in parts of a hundred.
fn utilisation<K: Allocator>(kernel: &mut K) -> u32 {
    let mut slots = [const { Slot::EMPTY }; 128];
    let mut lot = churn::Lot::new();
    let mut bytes = 0;
    loop {
        let (slot, kind, extra) = lot.draw(slots.len());
        let slot = &mut slots[slot];
        if slot.is_empty() {
            if !slot.fill(kernel, kind, 0) {
                break 100 * bytes / MEMORY as u32;
            }
            bytes += slot.bytes();
        } else if extra == 0 {
            bytes -= slot.bytes();
            slot.clear(kernel, 0);
        }
    }
}
