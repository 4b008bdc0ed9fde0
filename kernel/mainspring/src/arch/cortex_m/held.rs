//! Cores without LDREX and STREX (ARMv6-M): a context that changes a shared word holds every interrupt back for these few
//! instructions.
//!
//! It is PRIMASK and no ceiling of some tasks: a box can be dropped by anybody, so the ceiling is the highest there is.

use super::registers::{hold, release};
pub(crate) use crate::pool::word::Plain as Shared;

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
/// A link lies there, and no other context can write it meanwhile.
#[inline(always)]
pub(crate) unsafe fn load(place: *const u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { place.read() }
}
