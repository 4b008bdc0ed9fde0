//! From a thread that leaves by itself to one that was pre-empted: only the exception goes there.
//!
//! If the exception saved the leaving thread, that thread would count as pre-empted, and so would every thread that switches to it, for good:
//! each of those switches would be by exception. So a thread leaves by itself here as well, to a stack that is nobody's, and waits there
//! for the exception, which saves nobody.

use core::cell::UnsafeCell;

use super::section::is_held;
use super::switch::{FRAME, Leave, can_leave_by_itself, pend_any_switch};
use crate::model::Threaded;
use crate::model::{App, PlanOf};

/// The stack used after a thread has left: a guard, which takes two words because stacks are aligned, and room for the hardware's frame, what PendSV
/// saves, and the frame that leads here.
struct Limbo(UnsafeCell<[u64; WORDS / 2]>);

const WORDS: usize = 2 + 8 + 10 + FRAME + 1;
const _: () = assert!(WORDS.is_multiple_of(2));

// SAFETY: written with the kernel's section held, and by the exception.
unsafe impl Sync for Limbo {}

static LIMBO: Limbo = Limbo(UnsafeCell::new([0; WORDS / 2]));

/// Whether a thread goes to a pre-empted one as to any other.
pub(crate) const GOES_TO_PREEMPTED: bool = false;

/// Where a thread goes that leaves by itself to one that was pre-empted: there is nothing but the exception to come, which is asked for
/// here. It goes there by [`switch`](super::switch()) as to a thread, so that it has left when the exception comes.
/// Not where the exception has to save what the thread has, or may not come.
///
/// # Safety
///
/// As for [`switch`](super::switch()).
#[inline(always)]
pub(crate) unsafe fn leave_to_exception<T: Threaded>() -> Option<(usize, usize, Leave)> {
    if !ask_if_it_may::<T::App>() {
        return None;
    }
    let nobody = const { PlanOf::<T::App>::PLAN.threads.len() + 1 };
    Some((nobody, frame().expose_provenance(), Leave(0)))
}

/// As [`leave_to_exception`], where others will switch to the leaving thread before anything pre-empts it. Without instructions for the upper registers, leaving
/// twice costs more than the exception does.
///
/// # Safety
///
/// As above.
#[inline(always)]
pub(crate) unsafe fn wait_for_exception<T: Threaded>() -> Option<(usize, usize, Leave)> {
    if cfg!(enable_bits) {
        return None;
    }
    // SAFETY: the caller's promise.
    unsafe { leave_to_exception::<T>() }
}

/// As [`ask_from_limbo`], for a thread of a table. Whether it may leave.
#[cold]
#[inline(never)]
fn ask_if_it_may<A: App>() -> bool {
    if !can_leave_by_itself() || is_held::<A>() {
        return false;
    }
    // SAFETY: the section is held, and so the exception.
    unsafe { ask(in_limbo) };
    true
}

/// As [`leave_to_exception`], for threads that are no rows of a table: where to [`leave`](super::leave) to, for a thread that may
/// (`can_leave_by_itself`); the exception is asked for.
///
/// # Safety
///
/// By a thread, with interrupts held back.
#[cold]
#[inline(never)]
pub unsafe fn ask_from_limbo() -> usize {
    // SAFETY: the caller's promise.
    unsafe { ask(in_limbo_of_section) };
    frame().expose_provenance()
}

/// Asks for the exception, and lays the frame that leads to where it is waited for.
///
/// # Safety
///
/// The exception is held back. Nobody is there who could come back: what lies there is what it saved for nobody.
unsafe fn ask(wait: extern "C" fn() -> !) {
    // SAFETY: inside of the stack.
    unsafe { frame().add(FRAME - 1).write_volatile(wait as *const () as usize) };
    pend_any_switch();
}

/// The frame at the end of the stack, of which the last word alone counts: where to go on.
#[inline(always)]
fn frame() -> *mut usize {
    LIMBO.0.get().cast::<usize>().wrapping_add(WORDS - FRAME)
}

/// The lowest word of the stack, which is guarded like a thread's, so that the check of guards needs no special case.
///
/// # Safety
///
/// No thread runs yet.
pub(crate) unsafe fn guard_of_nobody() -> usize {
    let lowest = LIMBO.0.get().cast::<usize>();
    // SAFETY: the caller's promise.
    unsafe { lowest.write(lowest.expose_provenance()) };
    lowest.addr()
}

/// Waits for the exception, which does not come back.
#[unsafe(naked)]
extern "C" fn in_limbo() -> ! {
    core::arch::naked_asm!("isb", "2: b 2b")
}

/// As [`in_limbo`], for a thread that left with interrupts disabled.
#[unsafe(naked)]
extern "C" fn in_limbo_of_section() -> ! {
    core::arch::naked_asm!("cpsie i", "isb", "2: b 2b")
}
