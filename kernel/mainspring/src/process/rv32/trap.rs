//! The way into the kernel, and the fast way through.
//!
//! An operation of a process keeps its stack pointer, `s0`, `s1` and the place to go on, in `ra`; all other registers are the message's or unused.
//! So the fast way saves those four words of the sender, gives the receiver its own, leaves the message where it is, and clears what
//! is left: a register that is not the message's says nothing of the sender. `gp` and `tp` are nobody's: any trap clears them.
//!
//! Instructions stand where the pipeline would otherwise wait for a load. Stores stand apart from each other where that costs nothing:
//! with a write-through cache, the next one waits. A word that is stored too early, the slow way stores again. The way out is there
//! several times, to save a jump. Branches find the operation, and the most frequent one takes none of them: the core predicts that.

use core::arch::naked_asm;
use core::mem::offset_of;

use mainspring_core::processes::{CONNECTIONS, Context, FLAGS, GAVE, LENT, LENT_MUT, Operation};

use super::{NOWHERE_WORD, Processes, STACK, pages};

#[macro_use]
#[path = "parts.rs"]
mod parts;
#[path = "ask.rs"]
mod ask;
#[path = "leave.rs"]
mod leave;

pub(in super::super) use ask::{answer, ask, switch};
pub(in super::super) use leave::leave;

/// The entry of every trap, aligned as `mtvec` requires. `mscratch` holds the context of the running process, and its `t0` from here on.
#[allow(clippy::too_many_lines)] // One text: what falls through falls through.
#[unsafe(naked)]
#[unsafe(link_section = ".trap")] // SAFETY: where riscv-rt has its own: at the beginning of the code.
pub(super) extern "C" fn address<S: Processes>() -> usize {
    naked_asm!(
        "   lla a0, 1f",
        "   ret",
        "   .balign 64",
        "1: csrrw t0, mscratch, t0",
        "   csrr gp, mcause",
        "   li tp, 0", // Nobody's, after any trap.
        "   addi gp, gp, -8", // As above, and 0 then.
        "   bnez gp, 90f",
        "   andi t2, a6, 4 * {connections} - 4",
        "   bltz a7, 20f",

        // A call. The receiver, if it waits.
        "   add t2, t2, t0",
        "   lw t1, {connection}(t2)",
        "   lw t4, {client}(t0)",
        "   sw s0, {kept}(t0)",
        "   lw t2, {client}(t1)",
        "   andi t4, t4, {lent_any}",
        "   bnez a7, 30f",
        "   bnez t4, 80f", // Something is lent to the sender, which has to be out of reach meanwhile.
        "   bnez t2, 80f",
        asks!(),
        "   sw t0, {client}(t1)",
        go!(),

        // An answer to somebody who lent something to be read: before the branch to it, so that it is predicted.
        "   .if {paged} == 0",
        "15: addi t3, t2, -{lent_bit}",
        "   bnez t3, 80f",
        "   addi t1, t1, -{lent_bit}",
        close!("pmpaddr2"),
        go!(),
        "   .endif",

        // An answer, to somebody who waits, and nobody else does.
        "20: lw t1, {client}(t0)",
        "   li a6, 0",
        "   sw s0, {kept}(t0)",
        "   andi t2, t1, {flags}",
        "   bnez t2, 25f",
        answers!(),
        go!(),

        // As above, and what was lent is so no more: by Sv32 the same, however it was.
        "25:",
        "   .if {paged}",
        "   sw s1, {kept}+4(t0)",
        "   andi t3, t2, {flags} - {lent_any}",
        "   sub t1, t1, t2",
        "   bnez t3, 80f",
        "   .else",
        "   addi t3, t2, -{lent_mut_bit}",
        "   bnez t3, 15b",
        "   addi t1, t1, -{lent_mut_bit}",
        "   .endif",
        close!("pmpaddr3"),
        go!(),

        // A call that lends, to be read.
        "30: addi t3, a7, -2",
        "   bnez t3, 35f",
        lends!(),
        open!("{lent}", "pmpaddr2", "{read}", "{lent_bit}"),
        go!(),
        // To be read and written.
        "35: addi t3, a7, -3",
        "   bnez t3, 40f",
        lends!(),
        open!("{lent_mut}", "pmpaddr3", "{write}", "{lent_mut_bit}"),
        go!(),

        // A call that gives a frame away.
        "40:",
        "   .if {extra}",
        "   addi t3, a7, -4",
        "   bnez t3, 45f",
        "   lbu t5, {frame}(t0)",
        "   lw t3, {more}(t1)",
        "   bnez t4, 80f",
        "   bnez t2, 80f",
        gives!(),
        "   addi t4, t0, {gave}",
        asks!(),
        "   sw t4, {client}(t1)",
        go!(),
        // An answer that gives one.
        "45: lw t1, {client}(t0)",
        "   addi t4, a7, -{reply_move}",
        "   bnez t4, 80f",
        "   andi t2, t1, {flags}",
        "   addi t1, t1, -{gave}",
        "   addi t2, t2, -{gave}", // The asker gave one.
        "   bnez t2, 80f",
        "   lbu t5, {frame}(t0)",
        "   lw t3, {more}(t1)",
        gives!(),
        "   li a6, 0",
        "   li a7, 4",
        answers!(),
        go!(),
        "   .endif",

        // An operation that is not for the fast way.
        "80: sw ra, {pc}(t0)",
        message!("sw", "t0"),
        "   sb zero, {whole}(t0)",
        "85: lui sp, %hi({stack})",
        "   lw sp, %lo({stack})(sp)",
        "   csrw mscratch, zero",
        "   mv a0, t0",
        "   call {slow}",
        "   j {leave}",

        // An interrupt or a fault: everything may be in use.
        "90: beqz t0, 99f",
        message!("sw", "t0"),
        others!("sw", "t0"),
        "   csrr t1, mscratch",
        "   sw t1, {others}+76(t0)",
        "   csrr t1, mepc",
        "   sw t1, {pc}(t0)",
        "   li t1, 1",
        "   sb t1, {whole}(t0)",
        "   j 85b",
        // The kernel itself failed.
        "99: j {failed}",
        failed = sym super::failed::<S>,
        stack = sym STACK,
        connections = const CONNECTIONS,
        connection = const offset_of!(Context, connections),
        client = const offset_of!(Context, client),
        kept = const offset_of!(Context, kept),
        pc = const offset_of!(Context, pc),
        sp = const offset_of!(Context, sp),
        data = const offset_of!(Context, data),
        place = const offset_of!(Context, place),
        entry = const offset_of!(Context, entry),
        more = const offset_of!(Context, extra),
        lent = const offset_of!(Context, lent),
        lent_mut = const offset_of!(Context, lent_mut),
        within = const offset_of!(Context, within),
        message = const offset_of!(Context, message),
        others = const offset_of!(Context, others),
        whole = const offset_of!(Context, whole),
        frame = const offset_of!(Context, frame),
        reply_move = const Operation::ReplyMove as usize,
        extra = const S::EXTRA as usize,
        doubles = const super::doubles::<S>() as usize,
        paged = const super::paged::<S>() as usize,
        remembers = const pages::remembers::<S>() as usize,
        read = const pages::READ,
        write = const pages::READ_WRITE,
        flags = const FLAGS,
        gave = const GAVE,
        lent_bit = const LENT,
        lent_mut_bit = const LENT_MUT,
        lent_any = const LENT | LENT_MUT,
        nowhere = const NOWHERE_WORD as isize,
        slow = sym super::slow::<S>,
        leave = sym leave::<S>,
    )
}
