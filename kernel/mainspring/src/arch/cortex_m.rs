//! Cortex-M.

#![allow(unsafe_code)] // Assembly, and registers at fixed addresses.

use core::arch::asm;
use core::ptr;
use core::sync::atomic::{Ordering::SeqCst, compiler_fence};

use mainspring_core::threads::Scheduler;
use mainspring_core::{Text, Vector};

use crate::level::{By, Level};
use crate::model::{App, PlanOf, Task};

#[cfg(basepri)]
pub(super) mod basepri;
#[cfg(basepri)]
pub(crate) use basepri::*;

#[cfg(enable_bits)]
pub(super) mod enable_bits;
#[cfg(enable_bits)]
pub(crate) use enable_bits::*;

#[cfg(exclusives)]
mod exclusives;
#[cfg(exclusives)]
pub(crate) use exclusives::*;

#[cfg(not(exclusives))]
mod held;
#[cfg(not(exclusives))]
pub(crate) use held::*;

mod guard;
pub use guard::fault;
pub(crate) use guard::{begin_guards, put_guard};

mod dynamic;
pub mod pendsv;
pub(crate) use dynamic::start_dynamic;
pub use dynamic::{leave, leave_at_last, other_masks};
mod limbo;
pub use limbo::ask_from_limbo;
pub(crate) use limbo::{GOES_TO_PREEMPTED, guard_of_nobody, leave_to_exception, wait_for_exception};
pub(super) mod registers;
use registers::{
    ICER, ICSR, ICSR_PENDSTSET, ICSR_PENDSVSET, ISER, ISPR, SYSTEM_SPACE, WORDS, bank, bit, system_space,
    write,
};
pub use registers::{hold, release};
mod section;
pub(crate) use section::*;
mod switch;
pub(crate) use switch::*;
pub use switch::{can_leave_by_itself, can_switch_apart, first_frame};

/// As [`release`].
///
/// # Safety
///
/// As for [`release`].
#[inline(always)]
#[cfg(feature = "critical-section")]
pub(crate) unsafe fn release_and_start(before: u32) {
    // SAFETY: the caller's promise.
    unsafe { release(before) };
}

/// Holds back every interrupt until [`release_all`].
#[inline(always)]
pub(crate) fn hold_all() {
    // SAFETY: nothing runs yet that relies on interrupts.
    unsafe { asm!("cpsid i", options(nostack, preserves_flags)) };
}

/// Lets interrupts through, after everything is in its place.
///
/// # Safety
///
/// Every task may run.
#[inline(always)]
#[allow(clippy::extra_unused_type_parameters)] // The seam: RV32 starts what its tasks ask for.
pub(crate) unsafe fn release_all<A: App>() {
    // SAFETY: the caller's promise. Declared to touch memory, so the first values
    // are stored before the first task can start.
    unsafe { asm!("cpsie i", options(nostack, preserves_flags)) };
}

/// Asks for `T`.
///
/// # Safety
///
/// None is needed here: the interrupt controller starts it when it may.
#[inline(always)]
pub(crate) unsafe fn pend<L: Level, T: Task<App = L::App>>() {
    pend_first::<T>();
}

/// The store that asks for a task.
#[derive(Clone, Copy)]
pub(crate) struct Asking(#[cfg(basepri)] *mut u32, #[cfg(basepri)] u32);

/// Puts the address and value that pend `T` into registers before anything at `first` is loaded: a load right after the instruction that completes its
/// address has to wait for it (`address-dependency`).
#[inline(always)]
#[allow(unused_variables)] // On cores where no load waits for its address there is nothing to do.
#[cfg_attr(not(basepri), allow(clippy::extra_unused_type_parameters))] // As above.
pub(crate) fn asking<T: Task>(first: *const ()) -> Asking {
    #[cfg(not(basepri))]
    return Asking();
    #[cfg(basepri)]
    {
        let (space, bits): (*mut u32, u32);
        // SAFETY: two numbers. Declared to touch memory, so that the loads come after them.
        unsafe {
            if const { asked::<T>().1 < 256 } {
                asm!(
                    "mov.w {space}, #{start} /* {first} */",
                    "movs {bits}, #{value}",
                    space = out(reg) space,
                    bits = out(reg) bits,
                    first = in(reg) first,
                    start = const SYSTEM_SPACE as u32,
                    value = const asked::<T>().1,
                    options(nostack)
                );
            } else {
                asm!(
                    "mov.w {space}, #{start} /* {first} */",
                    "mov.w {bits}, #{value}",
                    space = out(reg) space,
                    bits = out(reg) bits,
                    first = in(reg) first,
                    start = const SYSTEM_SPACE as u32,
                    value = const asked::<T>().1,
                    options(nostack, preserves_flags)
                );
            }
        }
        Asking(space, bits)
    }
}

/// Asks for `T`, of which [`asking`] has said what that takes.
///
/// # Safety
///
/// As for [`pend`].
#[inline(always)]
pub(crate) unsafe fn ask<L: Level, T: Task<App = L::App>>(asking: Asking) {
    #[cfg(not(basepri))]
    let Asking() = asking;
    #[cfg(not(basepri))]
    // SAFETY: the caller's promise.
    unsafe {
        pend::<L, T>();
    }
    #[cfg(basepri)]
    // SAFETY: as there: the register is that of the interrupt.
    unsafe {
        let Asking(space, bits) = asking;
        compiler_fence(SeqCst);
        let register = space.wrapping_byte_add(const { asked::<T>().0 - SYSTEM_SPACE });
        ptr::write_volatile(register, bits);
        compiler_fence(SeqCst);
    }
}

/// The register in which a task is asked for, and the bits.
const fn asked<T: Task>() -> (usize, u32) {
    match T::VECTOR {
        Vector::Interrupt(number) => (bank(ISPR, number), bit(number)),
        Vector::SysTick => (ICSR, ICSR_PENDSTSET),
        Vector::PendSv => (ICSR, ICSR_PENDSVSET),
    }
}

/// Pends `T`, from any level.
#[inline(always)]
pub(crate) fn wake<T: Task>() {
    pend_first::<T>();
}

/// Asks for `T`. Everything written before is there when its task starts, and everything read after is read again.
#[inline(always)]
pub(crate) fn pend_first<T: Task>() {
    let (register, value) = const { asked::<T>() };
    compiler_fence(SeqCst);
    let register = system_space().wrapping_byte_add(register - SYSTEM_SPACE);
    // SAFETY: a task that was not asked for only runs without need.
    unsafe { ptr::write_volatile(register, value) };
    compiler_fence(SeqCst);
}

/// Lets `T` through.
///
/// # Safety
///
/// No section holds it back by its enable bit.
#[inline(always)]
pub(crate) unsafe fn enable<L: Level, T: Task<App = L::App>>() {
    if let Vector::Interrupt(number) = const { T::VECTOR } {
        compiler_fence(SeqCst);
        // SAFETY: the caller's promise.
        unsafe { write(bank(ISER, number), bit(number)) };
    }
}

/// Stops `T`.
#[inline(always)]
pub(crate) fn disable<T: Task>() {
    if let Vector::Interrupt(number) = const { T::VECTOR } {
        // SAFETY: no code relies on a task that runs.
        unsafe { write(bank(ICER, number), bit(number)) };
        compiler_fence(SeqCst);
    }
}

/// Lets through every interrupt whose task may run from the start: one store for each 32 interrupts.
///
/// # Safety
///
/// `A` is being started, and its tasks have their states and their priorities.
#[inline(always)]
pub(crate) unsafe fn enable_all<A: App>() {
    // SAFETY: the caller's promise.
    unsafe {
        enable_word::<A, 0>();
        enable_word::<A, 1>();
        enable_word::<A, 2>();
        enable_word::<A, 3>();
        enable_word::<A, 4>();
        enable_word::<A, 5>();
        enable_word::<A, 6>();
        enable_word::<A, 7>();
    }
}

/// # Safety
///
/// As for [`enable_all`].
#[inline(always)]
unsafe fn enable_word<A: App, const WORD: u16>() {
    const { assert!(WORD < WORDS) };
    let (register, bits) = (
        ISER + 4 * WORD as usize,
        const { PlanOf::<A>::PLAN.enabled(WORD) },
    );
    if bits != 0 {
        // SAFETY: the caller's promise.
        unsafe { write(register, bits) };
    }
}

/// The same reference. The compiler does not see that it is: it would otherwise load the address of a static once for
/// each instruction that uses it.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block)] // What it points to is not looked at.
pub(crate) fn opaque<T>(reference: &'static T) -> &'static T {
    let mut pointer: *const T = reference;
    // SAFETY: no instruction.
    unsafe { asm!("/* {} */", inout(reg) pointer, options(pure, nomem, nostack, preserves_flags)) };
    // SAFETY: it is the same.
    unsafe { &*pointer }
}

/// The same reference, to be loaded here and nowhere else: after a switch the compiler would load it again at once.
#[inline(always)]
#[allow(clippy::pointers_in_nomem_asm_block)] // As above.
pub(crate) fn here(kernel: &'static Scheduler) -> &'static Scheduler {
    let slots = kernel.slots.len();
    let mut pointer: *const mainspring_core::threads::Slot = core::ptr::from_ref(kernel).cast();
    // SAFETY: no instruction. Not pure, so that it stays here.
    unsafe { asm!("/* {} */", inout(reg) pointer, options(nomem, nostack, preserves_flags)) };
    // SAFETY: it is the same, with as many slots.
    unsafe { &*(core::ptr::slice_from_raw_parts(pointer, slots) as *const Scheduler) }
}

/// Sleeps until an interrupt comes.
#[inline(always)]
pub fn wait() {
    // SAFETY: `WFI` changes no register and no memory; tasks that run meanwhile may, which the declaration allows.
    unsafe { asm!("wfi", options(nostack, preserves_flags)) };
}

/// Whether the running code may let `task` through or stop it. Where masks and enable bits are separate things,
/// everyone may; the system exceptions have no enable bit.
pub(crate) const fn check_enable(by: &By, name: &str, vector: Vector, task: u8) {
    if !matches!(vector, Vector::Interrupt(_)) {
        let text = Text::of("task ")
            .name(name)
            .and(" is bound to a system exception, which has no enable bit");
        panic!("{}", text.as_str());
    }
    check_level(by, name, task);
}

/// A demand of the plan that this core cannot meet.
pub(crate) const fn problem<A: App>() -> Option<Text> {
    if cfg!(armv8m) && crate::guard::is_wanted::<A>() {
        return Some(Text::of(
            "`guard` is for the MPU of ARMv6-M and ARMv7-M: ARMv8-M has another, and limits of its stack pointers",
        ));
    }
    core_problem(&PlanOf::<A>::PLAN)
}
