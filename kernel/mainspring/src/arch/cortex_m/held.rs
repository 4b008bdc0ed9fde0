//! Cores without LDREX and STREX (ARMv6-M): who changes a shared word holds every interrupt back for these few
//! instructions.
//!
//! It is PRIMASK and no ceiling of some tasks: a box can be dropped by anybody, so the ceiling is the highest there is.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use super::{hold, release};
pub(crate) use crate::pool::sharing::Plain as Shared;

/// Holds every interrupt back until it is dropped.
pub(crate) struct SharedSection {
    before: u32,
}

impl SharedSection {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        SharedSection { before: hold() }
    }
}

impl Drop for SharedSection {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: this is what `hold` found when the section began.
        unsafe { release(self.before) };
    }
}

/// Writes `value`.
///
/// # Safety
///
/// As for [`core::ptr::write`].
#[inline(always)]
pub(crate) unsafe fn put<T>(place: *mut T, value: T) {
    // SAFETY: the caller's promise.
    unsafe { place.write(value) }
}

/// The link at `place`.
///
/// # Safety
///
/// A link lies there, and nobody can write it meanwhile.
#[inline(always)]
pub(crate) unsafe fn load(place: *const u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { place.read() }
}

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
