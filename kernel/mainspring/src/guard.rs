//! Guards: where a stack ends, the core's protection unit lets nobody read or write.
//!
//! `guard = SYMBOL;` in the table asks for one below the stack of the tasks, whose end the symbol is (cortex-m-rt: `_stack_end`),
//! and below the stack of every thread. Each is a region of the MPU, or a locked entry of the PMP, of its own, which stays as it
//! is: a switch does nothing for it, and an application without guards has none of this. The access that would leave a stack
//! faults; what the fault's handler finds is told by a panic that names the task or the thread.

#![allow(unsafe_code)] // Regions of the protection unit.

use crate::app::{App, PlanOf};
use crate::arch;
use crate::threads::{kernel, slots};

/// Bytes of a guard, and its alignment: the least that an MPU of ARMv7-M and, by its subregions, of ARMv6-M can tell apart.
pub(crate) const BYTES: usize = 32;

/// Whether the stacks of `A` are guarded.
pub(crate) const fn is_wanted<A: App>() -> bool {
    A::STACK_END.is_some()
}

/// Where the guard of a stack is that begins at `lowest`.
pub(crate) const fn place(lowest: usize) -> usize {
    lowest.next_multiple_of(BYTES)
}

/// Puts the guards, if they are wanted.
///
/// # Panics
///
/// If the core's protection unit has too few regions for them.
///
/// # Safety
///
/// `A` is being started; its threads have their stacks.
#[inline(always)]
pub(crate) unsafe fn begin<A: App>() {
    if const { is_wanted::<A>() } {
        // SAFETY: the caller's promise.
        unsafe { put_all::<A>() };
    }
}

/// # Safety
///
/// As for [`begin`].
unsafe fn put_all<A: App>() {
    let threads = if const { PlanOf::<A>::PLAN.threads.is_empty() } {
        0
    } else {
        const { slots::<A>() }
    };
    let mut is_there = true;
    for number in 0..=threads {
        let place = match number {
            0 => tasks::<A>(),
            _ => kernel::slot::<A>(number - 1).guard.get(),
        };
        // SAFETY: below a stack, or its lowest bytes, nothing is anybody's.
        is_there &= unsafe { arch::put_guard(number, place) };
    }
    assert!(
        is_there,
        "the chip's protection unit has fewer regions than the table has stacks to be guarded"
    );
    // SAFETY: the regions are the guards, and everything else stays as it was.
    unsafe { arch::begin_guards::<A>() };
}

/// Where the guard of the tasks' stack is.
pub(crate) fn tasks<A: App>() -> usize {
    place(A::STACK_END.map_or(0, <*const u8>::addr))
}

/// Whether an access of `address` is one of the guard at `place`.
#[cfg(all(target_os = "none", any(basepri, target_arch = "riscv32")))]
pub(crate) const fn is_within(address: usize, place: usize) -> bool {
    address & !(BYTES - 1) == place
}

/// Says that the tasks' stack has overflowed, and in whom, if that is known.
#[cfg(target_os = "none")]
#[cold]
pub(crate) fn tasks_overflowed(who: Option<&str>) -> ! {
    match who {
        Some(name) => panic!("the stack of the tasks has overflowed, in `{name}`"),
        None => panic!("the stack of the tasks has overflowed"),
    }
}
