//! The switch for interfaces whose threads come and go, without the types of a table. The state is a
//! [`Kernel`](super::Kernel) as a table has it, changed with every interrupt held back.

#![allow(unsafe_code)] // The stacks of threads.

use core::arch::asm;
use core::sync::atomic::{Ordering::SeqCst, compiler_fence};

use mainspring_core::threads::Scheduler;

pub use crate::arch::{
    ask_from_limbo, can_leave_by_itself, can_switch_apart as can_switch, first_frame, hold, leave,
    leave_at_last, other_masks, release,
};

/// Asks for the switch among the threads of `kernel`: it happens when no interrupt is held back and none is served. With interrupts
/// held back.
#[inline(always)]
pub fn pend(kernel: &Scheduler) {
    kernel.mind_turn(kernel.with_equals());
    crate::arch::pend_any_switch();
}

/// Lets interrupts through and the exception switch; comes back, with interrupts held back, when this thread runs again.
///
/// # Safety
///
/// By a thread, with interrupts held back.
pub unsafe fn switch_by_exception() {
    crate::arch::pend_any_switch(); // Whose turn it is has been settled.
    compiler_fence(SeqCst);
    // SAFETY: the caller's promise. Behind the ISB the switch has been.
    unsafe { asm!("cpsie i", "isb", "cpsid i", options(nostack, preserves_flags)) };
}

/// Makes this the idle loop, on the stack that ends at `stack`; the present one is the handlers' from now on. Ticks come every
/// `period` cycles.
///
/// # Safety
///
/// Interrupts are held back, nothing else uses the stack, and a switch was not asked for before.
pub unsafe fn start(stack: *mut u64, period: u32, idle: extern "C" fn() -> !) -> ! {
    // SAFETY: the caller's promise.
    unsafe { crate::arch::start_dynamic(stack, period, idle) }
}
