//! Requests made by software, and `mstatus.MIE`.

use core::sync::atomic::AtomicU32;

use super::bits::bit;
use super::csr;
use crate::model::Task;

/// The tasks that software asked for and that did not start yet, each by the bit of its interrupt. Changed with interrupts
/// held back; there is one application in a program.
pub(super) static ASKED: AtomicU32 = AtomicU32::new(0);

/// The requests. Nothing changes them meanwhile, so the compiler need not load them twice.
///
/// # Safety
///
/// Interrupts are held back.
#[inline(always)]
pub(super) unsafe fn asked() -> u32 {
    // SAFETY: the caller's promise: no other code accesses it.
    unsafe { ASKED.as_ptr().read() }
}

/// `T` is not asked for any more.
///
/// # Safety
///
/// Interrupts are held back.
#[inline(always)]
pub(super) unsafe fn forget<T: Task>() {
    // SAFETY: as above.
    unsafe {
        ASKED
            .as_ptr()
            .write(asked() & !const { bit::<T::App>(T::VECTOR) });
    };
}

/// Holds back every interrupt, and says whether they were held back before.
#[inline(always)]
pub(crate) fn hold() -> u32 {
    csr::hold()
}

/// Lets interrupts through again, if they were when [`hold`] held them back.
///
/// # Safety
///
/// `before` is what the [`hold`] found that this ends.
#[inline(always)]
pub(crate) unsafe fn release(before: u32) {
    // SAFETY: the caller's promise.
    unsafe { csr::release(before) };
}
