//! The way from a trap to the tasks.
//!
//! An interrupt saves the registers that a called function may change, and `mepc`, and looks which tasks may start. An
//! exception goes on to `_start_trap`, which is riscv-rt's or the program's, with all registers as they were.

use core::arch::{asm, naked_asm};

use super::{App, Device, Lines, threads};
use crate::guard;

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

/// The table for `A`.
#[inline(always)]
fn table<A: App>() -> usize {
    match const { (threads::has_threads::<A>(), guard::is_wanted::<A>()) } {
        (false, false) => vectors::<A>(),
        (false, true) => guarded_vectors::<A>(),
        (true, false) => threads::vectors::<A>(),
        (true, true) => threads::guarded_vectors::<A>(),
    }
}

/// The one entry for `A`.
#[inline(always)]
fn any<A: App>() -> usize {
    let entry: extern "C" fn() = match const { (threads::has_threads::<A>(), guard::is_wanted::<A>()) } {
        (false, false) => interrupt_or_exception::<A>,
        (false, true) => guarded_interrupt_or_exception::<A>,
        (true, false) => threads::interrupt_or_exception::<A>,
        (true, true) => threads::guarded_interrupt_or_exception::<A>,
    };
    entry as usize
}

/// The ways from a trap to the handler `interrupt` of the module, of which a program has one: all traps at the entry `$any`, whose text
/// follows, and the table `$vectors`.
macro_rules! ways_to_the_interrupt {
    ($vectors:ident $any:ident [$($text:literal)*] $($operand:tt)*) => {
        /// Where a table of jumps is, one for each cause, aligned as Ibex asks for, which takes interrupts to the table's entry
        /// of their cause. Other cores take all traps to its first one.
        #[unsafe(naked)]
        pub(in crate::arch::rv32) extern "C" fn $vectors<A: App>() -> usize {
            naked_asm!(
                "   lla a0, 1f",
                "   ret",
                "   .balign 256",
                "   .option push",
                "   .option norvc",
                "1: j {any}",
                "   .rept 31",
                "   j {interrupt}",
                "   .endr",
                "   .option pop",
                any = sym $any::<A>,
                interrupt = sym interrupt::<A>,
            )
        }

        /// All traps.
        #[unsafe(naked)]
        pub(in crate::arch::rv32) extern "C" fn $any<A: App>() {
            naked_asm!("   .balign 4", $($text,)* interrupt = sym interrupt::<A>, $($operand)*)
        }
    };
    // `t0` is all that it needs, for a moment; below the stack pointer nothing is anybody's.
    () => {
        $crate::arch::rv32::trap::ways_to_the_interrupt! {
            vectors interrupt_or_exception
            ["sw t0, -4(sp)" "csrr t0, mcause" "bgez t0, 1f" "lw t0, -4(sp)" "j {interrupt}" "1: lw t0, -4(sp)" "j _start_trap"]
        }
    };
}

pub(in crate::arch::rv32) use ways_to_the_interrupt;
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
        serve = sym super::serve::<A>,
    )
}
