//! Counts and words that anybody may change, on cores where that takes every interrupt held back, and on the host, where nothing
//! runs beside it.
#![allow(unsafe_code)] // Lets interrupts through again, with what it found before.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring_core::threads::Ownership;

use super::{hold, release};
use crate::model::Threaded;

/// Changes `word` to what `f` makes of it; leaves it alone, and says so, where that is nothing. With every interrupt held
/// back.
#[inline(always)]
pub(crate) fn update(word: &AtomicU32, f: impl Fn(u32) -> Option<u32>) -> bool {
    let before = hold();
    let new = f(word.load(Relaxed));
    if let Some(new) = new {
        word.store(new, Relaxed);
    }
    // SAFETY: this is what `hold` found.
    unsafe { release(before) };
    new.is_some()
}

/// Adds 1 to `word`, or where `DOWN` takes 1 off, unless that gives a negative number: then it is left alone. Whether it was
/// done.
#[inline(always)]
pub(crate) fn count<const DOWN: bool>(word: &AtomicU32) -> bool {
    update(word, |count| {
        let new = if DOWN {
            count.wrapping_sub(1)
        } else {
            count.wrapping_add(1)
        };
        (new as i32 >= 0).then_some(new)
    })
}

/// As [`count`]: there is nothing to be done again.
#[inline(always)]
pub(crate) fn count_at_once<const DOWN: bool>(word: &AtomicU32) -> bool {
    count::<DOWN>(word)
}

/// Gives a free mutex to `T`. Not done if it has an owner.
#[inline(always)]
pub(crate) fn claim_at_once<T: Threaded>(word: &AtomicU32) -> bool {
    update(word, |word| {
        Ownership::is_free(word).then_some(const { Ownership::held_by(T::RANK) })
    })
}

/// Frees the mutex that `T` has and no thread wants. Not done if a thread wants it.
#[inline(always)]
#[allow(clippy::extra_unused_type_parameters)] // The seam: with LDREX and STREX the owner's number is needed.
pub(crate) fn give_back_at_once<T: Threaded>(word: &AtomicU32) -> bool {
    update(word, |word| {
        Ownership::is_unwanted(word).then_some(Ownership::FREE)
    })
}
