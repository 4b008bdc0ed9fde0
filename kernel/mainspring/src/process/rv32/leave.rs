//! The way out of the kernel.

use core::arch::naked_asm;
use core::mem::offset_of;

use mainspring_core::processes::Context;

use super::super::{Processes, paged, pages};

/// Goes to a process, from the kernel.
///
/// # Safety
///
/// `context` is that of a process which can run, and it is the current one.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn leave<S: Processes>(context: usize) -> ! {
    naked_asm!(
        "   mv t0, a0",
        "   csrw mscratch, a0",
        "   li gp, 0",
        "   li tp, 0",
        "   lw t1, {data}(t0)",
        "   lw t5, {pc}(t0)",
        "   .if {paged}",
        "   lw t2, {data}+4(t0)",
        "   lw t3, {place}(t0)",
        "   sw t2, 0(t3)",
        "   csrw satp, t1",
        "   .if {remembers}",
        "   sfence.vma",
        "   .endif",
        "   .else",
        "   lw t2, {more}(t0)",
        "   lw t3, {lent}(t0)",
        "   lw t4, {lent_mut}(t0)",
        "   csrw pmpaddr0, t1",
        "   csrw pmpaddr1, t2",
        "   csrw pmpaddr2, t3",
        "   csrw pmpaddr3, t4",
        "   .endif",
        "   csrw mepc, t5",
        "   lbu t6, {whole}(t0)",
        message!("lw", "t0"),
        "   bnez t6, 1f",
        "   mv ra, t5",
        "   mv t0, a6",
        "   li t1, 0",
        "   li t2, 0",
        "   li s2, 0",
        "   li s3, 0",
        "   li s4, 0",
        "   li s5, 0",
        "   li s6, 0",
        "   li s7, 0",
        "   li s8, 0",
        "   li s9, 0",
        "   li s10, 0",
        "   li s11, 0",
        "   li t3, 0",
        "   li t4, 0",
        "   li t5, 0",
        "   li t6, 0",
        "   mret",
        "1:",
        others!("lw", "t0"),
        "   lw t0, {others}+76(t0)",
        "   mret",
        kept = const offset_of!(Context, kept),
        pc = const offset_of!(Context, pc),
        sp = const offset_of!(Context, sp),
        data = const offset_of!(Context, data),
        place = const offset_of!(Context, place),
        more = const offset_of!(Context, extra),
        lent = const offset_of!(Context, lent),
        lent_mut = const offset_of!(Context, lent_mut),
        message = const offset_of!(Context, message),
        others = const offset_of!(Context, others),
        whole = const offset_of!(Context, whole),
        paged = const paged::<S>() as usize,
        remembers = const pages::remembers::<S>() as usize,
    )
}
