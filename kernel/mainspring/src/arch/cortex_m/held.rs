//! Cores without LDREX and STREX (ARMv6-M): who changes a shared word holds every interrupt back for these few
//! instructions.
//!
//! It is PRIMASK and no ceiling of some tasks: a box can be dropped by anybody, so the ceiling is the highest there is.

use super::{hold, release};
pub(crate) use crate::pool::sharing::Plain as Shared;

/// Runs `f` with every interrupt held back.
#[inline(always)]
pub(crate) fn shared_section<O>(f: impl FnOnce() -> O) -> O {
    let before = hold();
    let out = f();
    release(before);
    out
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
