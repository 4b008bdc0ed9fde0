//! Tasks start: by a trap, at the end of a section, or called by the code that asks for them.

use core::arch::asm;
use core::hint::cold_path;
#[cfg(feature = "critical-section")]
use core::ptr;
use core::sync::atomic::Ordering::Relaxed;

use mainspring_core::Restore;

use super::requests::{ASKED, asked, forget, hold, release};
use super::{bits, csr, plic, threads};
use crate::level::Transition;
use crate::model::{App, PlanOf, Task, Tasks};

/// As [`release`], and starts the tasks that were asked for meanwhile by code that could not start them.
///
/// # Safety
///
/// As for [`release`].
#[inline(always)]
#[cfg(feature = "critical-section")]
pub(crate) unsafe fn release_and_start(before: u32) {
    // SAFETY: the caller's promise.
    unsafe { release(before) };
    if ASKED.load(Relaxed) != 0 && before & csr::MIE != 0 {
        cold_path();
        let start = START.load(Relaxed);
        if !start.is_null() {
            // SAFETY: `enable_all` has put `start_all` of the application there; the mask says at which level the code runs.
            unsafe { core::mem::transmute::<*mut (), unsafe fn()>(start)() };
        }
    }
}

/// `start_all` of the application that was started, for code that does not know it by its type.
#[cfg(feature = "critical-section")]
pub(super) static START: core::sync::atomic::AtomicPtr<()> =
    core::sync::atomic::AtomicPtr::new(ptr::null_mut());

/// Runs `f` while every interrupt is held back.
///
/// # Safety
///
/// The code runs at the level at which the transition `W` starts.
#[inline(always)]
pub(crate) unsafe fn global_section<W: Transition, O>(f: impl FnOnce() -> O) -> O {
    let before = hold();
    let out = f();
    // Loaded here, where it costs less than after the write of `mstatus`: an interrupt that comes later looks for itself.
    // SAFETY: interrupts are held back.
    let wanted = unsafe { asked() } & const { bits::mask_with_switch::<W::App>(W::FROM.priority, u8::MAX) };
    // SAFETY: this is what it found.
    unsafe { release(before) };
    if wanted != 0 {
        cold_path();
        // SAFETY: the code is back at that level, above which alone a task may start.
        unsafe { start_all::<W::App>() };
    }
    out
}

/// Runs `f` while the bits of the tasks above the level and up to the ceiling are cleared.
///
/// # Safety
///
/// The code runs at the level at which the transition `W` starts.
#[inline(always)]
pub(crate) unsafe fn threshold_section<W: Transition, O>(
    _raised: u8,
    _restore: Restore,
    f: impl FnOnce() -> O,
) -> O {
    let bits = const { bits::mask_with_switch::<W::App>(W::FROM.priority, W::CEILING) };
    let were = csr::clear::<W::App>(bits) & bits;
    let out = f();
    // SAFETY: these were set when the section began, and no other code may use them meanwhile.
    unsafe { csr::set::<W::App>(were) };
    // SAFETY: these tasks are above the level.
    unsafe { start_asked::<W::App>(were) };
    out
}

/// Starts those that were asked for, if one of `bits` is among them.
///
/// # Safety
///
/// The code runs at a level below all of `bits`, and the mask says which.
#[inline(always)]
pub(super) unsafe fn start_asked<A: App>(bits: u32) {
    if ASKED.load(Relaxed) & bits != 0 {
        cold_path();
        // SAFETY: the caller's promise.
        unsafe { start_all::<A>() };
    }
}

/// Starts all tasks that may start, the most urgent first; where interrupts are held back by somebody else, nothing does,
/// and what was asked for waits for the next one to look.
///
/// # Safety
///
/// The mask says at which level the code runs.
#[cold]
#[inline(never)]
pub(super) unsafe fn start_all<A: App>() {
    let before = hold();
    if before & csr::MIE != 0 {
        // SAFETY: interrupts are held back; the rest is the caller's promise.
        unsafe {
            if const { bits::has_threads::<A>() } {
                threads::serve_on_the_handlers_stack::<A>();
                threads::switch_if_asked::<A>();
            } else {
                serve::<A>();
            }
        }
    }
    // SAFETY: this is what it found.
    unsafe { release(before) };
}

/// Starts all tasks that may start, the most urgent first, with interrupts held back in between.
///
/// # Safety
///
/// Interrupts are held back, by the caller alone, and the mask says at which level the code runs.
#[inline(never)]
pub(crate) unsafe extern "C" fn serve<A: App>() {
    loop {
        // SAFETY: interrupts are held back.
        unsafe { plic::collect::<A>() };
        let wanted =
            (csr::lines::<A>() | ASKED.load(Relaxed)) & csr::mask::<A>() & const { !bits::switch_bit::<A>() };
        if wanted == 0 {
            return;
        }
        // SAFETY: these tasks are above the level, which is what a set bit means, and wanted.
        unsafe { A::Tasks::start_most_urgent(wanted) };
    }
}

/// The bits that are cleared while `T` runs: those of all tasks up to its level, its own among them.
pub(super) const fn bits_below<T: Task>() -> u32 {
    bits::mask_with_switch::<T::App>(0, T::PRIORITY)
}

/// Runs `T` at its level, and comes back with interrupts held back.
///
/// # Safety
///
/// The code runs below the level of `T`, which is enabled, with interrupts held back by the caller alone.
#[inline(always)]
pub(crate) unsafe fn start<T: Task>() {
    if const { bits::has_threads::<T::App>() } {
        // SAFETY: the caller's promise.
        return unsafe { start_apart::<T>() };
    }
    // SAFETY: the caller's promise.
    unsafe { start_here::<T, false>() };
}

/// As [`start`], as a function of its own: it keeps the registers of the loop around it few, and a trap that switches short.
///
/// # Safety
///
/// As for [`start`].
#[inline(never)]
pub(super) unsafe fn start_apart<T: Task>() {
    // SAFETY: the caller's promise.
    unsafe { start_here::<T, true>() };
}

/// # Safety
///
/// As for [`start`].
#[inline(always)]
pub(super) unsafe fn start_here<T: Task, const APART: bool>() {
    let bits = const { bits_below::<T>() };
    let mut were = csr::clear::<T::App>(bits) & bits;
    // SAFETY: no instruction: the bits are worked out here, and not after the task, while a woken thread waits.
    unsafe { asm!("/* {} */", inout(reg) were, options(nomem, nostack, preserves_flags)) };
    // SAFETY: the caller's promise, and the bits are cleared.
    unsafe { start_at_level::<T, APART>(were) };
}

/// Runs `T`, and comes back with interrupts held back and the bits `were` set again.
///
/// # Safety
///
/// The code ran below the level of `T`, which is enabled, and just cleared its bits, of which `were` were set; interrupts are
/// held back by the caller alone.
#[inline(always)]
pub(super) unsafe fn start_at_level<T: Task, const APART: bool>(were: u32) {
    // SAFETY: the level of `T` begins; its bit was set, so it does not run already.
    unsafe {
        if APART {
            run_asked_here::<T>();
        } else {
            run_asked::<T>();
        }
    }
    let level = const { bits::mask::<T::App>(T::PRIORITY - 1, T::PRIORITY) };
    if const { PlanOf::<T::App>::PLAN.is_shared(T::PRIORITY) } {
        // Those of the same level that were asked for: the mask is theirs too.
        loop {
            // SAFETY: interrupts are held back.
            let wanted = unsafe { asked() } & were & level;
            if wanted == 0 {
                break;
            }
            if APART {
                cold_path();
            }
            // SAFETY: as above, for each of them; they are of the level, and there is one.
            unsafe { <T::App as App>::Tasks::run_first::<T>(wanted) };
        }
    }
    // SAFETY: these were set before, and no other code may use them meanwhile.
    unsafe { csr::set::<T::App>(were) };
}

/// The task that has just run was asked for again. This comes after a branch that is not taken otherwise. The assembly is no instruction,
/// but it keeps the compiler from making a branch back to the task, which cores that predict such branches as taken would fetch.
#[inline(always)]
pub(crate) fn again() {
    // SAFETY: no instruction.
    unsafe { asm!("", options(nomem, nostack, preserves_flags)) };
}

/// Runs `T`, and comes back with interrupts held back.
///
/// # Safety
///
/// The code is at the level of `T`, which is enabled and does not run; interrupts are held back by the caller alone.
#[inline(always)]
pub(crate) unsafe fn run_asked<T: Task>() {
    // SAFETY: interrupts are held back.
    unsafe { forget::<T>() };
    // SAFETY: interrupts are held back, and `T` starts.
    let came = unsafe { plic::enter::<T>() };
    // SAFETY: the mask is that of the level.
    unsafe { csr::allow() };
    // SAFETY: the caller's promise; while it runs its bit is cleared.
    unsafe { run::<T>() };
    let _ = hold();
    // SAFETY: interrupts are held back, and `T` has ended.
    unsafe { plic::leave::<T>(came) };
}

/// As [`run_asked`], where `T` starts in one place alone that is no part of anything else.
///
/// # Safety
///
/// As for [`run_asked`].
#[inline(always)]
pub(super) unsafe fn run_asked_here<T: Task>() {
    // SAFETY: interrupts are held back.
    unsafe { forget::<T>() };
    // SAFETY: interrupts are held back, and `T` starts.
    let came = unsafe { plic::enter::<T>() };
    // SAFETY: the mask is that of the level.
    unsafe { csr::allow() };
    // SAFETY: the caller's promise; while it runs its bit is cleared.
    unsafe { crate::handle::<T>() };
    let _ = hold();
    // SAFETY: interrupts are held back, and `T` has ended.
    unsafe { plic::leave::<T>(came) };
}

/// Runs `T`. A function of its own: its code exists once, and a trap saves no register that only `T` uses.
///
/// # Safety
///
/// As for [`handle`](crate::handle).
#[inline(never)]
pub(super) unsafe fn run<T: Task>() {
    // SAFETY: the caller's promise.
    unsafe { crate::handle::<T>() };
}
