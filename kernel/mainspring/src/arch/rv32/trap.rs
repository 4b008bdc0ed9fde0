//! The way from a trap to the tasks.
//!
//! An interrupt saves the registers that a called function may change, and `mepc`, and looks which tasks may start. An
//! exception goes on to `_start_trap`, which is riscv-rt's or the program's, with all registers as they were.

use core::arch::{asm, naked_asm};
use core::sync::atomic::Ordering::Relaxed;

use super::bits::has_threads;
use super::entry::ways_to_the_interrupt;
use super::guard::HANDLERS;
use super::threads::interrupt as threads;
use crate::device::{Device, Lines};
use crate::guard;
use crate::model::App;

/// Has traps come here.
///
/// # Safety
///
/// `A` is being started, and interrupts are held back.
#[inline(always)]
pub(super) unsafe fn install<A: App>() {
    let entry = match const { <A::Device as Device>::LINES } {
        Lines::Standard | Lines::Plic(_) => table::<A>(),
        Lines::VexRiscv => any::<A>(),
    };
    // SAFETY: the caller's promise. The low bits are zero: all traps go to one place, except on cores that do not have that.
    unsafe { asm!("csrw mtvec, {}", in(reg) entry, options(nostack, preserves_flags)) };
}

/// They guard already. Where the handlers' stack begins is noted, and traps come here: `init` may overflow.
///
/// # Safety
///
/// The application is being started, on the handlers' stack, with interrupts held back.
#[inline(always)]
pub(crate) unsafe fn begin_guards<A: App>() {
    let stack: usize;
    // SAFETY: reading the stack pointer has no effect.
    unsafe { asm!("mv {}, sp", out(reg) stack, options(nomem, nostack, preserves_flags)) };
    HANDLERS.store(stack & !15, Relaxed);
    // SAFETY: no thread runs, which is what 0 says; the rest is the caller's promise.
    unsafe {
        asm!("csrw mscratch, zero", options(nostack, preserves_flags));
        install::<A>();
    }
}

/// The table for `A`.
#[inline(always)]
fn table<A: App>() -> usize {
    match const { (has_threads::<A>(), guard::is_wanted::<A>()) } {
        (false, false) => vectors::<A>(),
        (false, true) => guarded_vectors::<A>(),
        (true, false) => threads::vectors::<A>(),
        (true, true) => threads::guarded_vectors::<A>(),
    }
}

/// The one entry for `A`.
#[inline(always)]
fn any<A: App>() -> usize {
    let entry: extern "C" fn() = match const { (has_threads::<A>(), guard::is_wanted::<A>()) } {
        (false, false) => interrupt_or_exception::<A>,
        (false, true) => guarded_interrupt_or_exception::<A>,
        (true, false) => threads::interrupt_or_exception::<A>,
        (true, true) => threads::guarded_interrupt_or_exception::<A>,
    };
    entry as usize
}

ways_to_the_interrupt!();

// With guards `t0` waits in `mscratch`, which is unused where there are no threads.
ways_to_the_interrupt! {
    guarded_vectors guarded_interrupt_or_exception
    [
        "csrw mscratch, t0" "csrr t0, mcause" "bgez t0, 1f" "csrr t0, mscratch" "j {interrupt}"
        "1: lla t0, {emergency}" "sw t1, 4(t0)" "li t1, 0" "j {look}"
    ]
    emergency = sym super::guard::EMERGENCY,
    look = sym super::guard::look::<A>,
}

/// An interrupt: it holds interrupts back, it was taken, so nobody else did, and the mask is the interrupted code's. What a task
/// may have left in `mstatus` is put right before the return: MPIE is set, because interrupts came, and MPP says machine mode, where a return of an interrupt that came in between has put the least mode that there is.
#[unsafe(naked)]
extern "C" fn interrupt<A: App>() {
    naked_asm!(
        "   addi sp, sp, -80",
        "   sw ra, 0(sp)",
        "   sw t0, 4(sp)",
        "   sw t1, 8(sp)",
        "   sw t2, 12(sp)",
        "   sw a0, 16(sp)",
        "   sw a1, 20(sp)",
        "   sw a2, 24(sp)",
        "   sw a3, 28(sp)",
        "   sw a4, 32(sp)",
        "   sw a5, 36(sp)",
        "   sw a6, 40(sp)",
        "   sw a7, 44(sp)",
        "   sw t3, 48(sp)",
        "   sw t4, 52(sp)",
        "   sw t5, 56(sp)",
        "   sw t6, 60(sp)",
        "   csrr t0, mepc",
        "   sw t0, 64(sp)",
        "   call {serve}",
        "   lw t0, 64(sp)",
        "   csrw mepc, t0",
        "   li t0, 0x1880",
        "   csrs mstatus, t0",
        "   lw ra, 0(sp)",
        "   lw t0, 4(sp)",
        "   lw t1, 8(sp)",
        "   lw t2, 12(sp)",
        "   lw a0, 16(sp)",
        "   lw a1, 20(sp)",
        "   lw a2, 24(sp)",
        "   lw a3, 28(sp)",
        "   lw a4, 32(sp)",
        "   lw a5, 36(sp)",
        "   lw a6, 40(sp)",
        "   lw a7, 44(sp)",
        "   lw t3, 48(sp)",
        "   lw t4, 52(sp)",
        "   lw t5, 56(sp)",
        "   lw t6, 60(sp)",
        "   addi sp, sp, 80",
        "   mret",
        serve = sym super::start::serve::<A>,
    )
}
