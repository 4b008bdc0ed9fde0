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

/// A call. The receiver, if it waits.
macro_rules! call {
    () => {
        concat!(
            // A call. The receiver, if it waits.
            "   add t2, t2, t0\n",
            "   lw t1, {connection}(t2)\n",
            "   lw t4, {client}(t0)\n",
            "   sw s0, {kept}(t0)\n",
            "   lw t2, {client}(t1)\n",
            "   andi t4, t4, {lent_any}\n",
            "   bnez a7, 30f\n",
            "   bnez t4, 80f\n", // Something is lent to the sender, which has to be out of reach meanwhile.
            "   bnez t2, 80f\n",
            asks!(),
            "\n",
            "   sw t0, {client}(t1)\n",
            go!(),
            "\n",
        )
    };
}

/// An answer.
macro_rules! answer {
    () => {
        concat!(
        // An answer to somebody who lent something to be read: before the branch to it, so that it is predicted.
        "   .if {paged} == 0\n",
        "15: addi t3, t2, -{lent_bit}\n",
        "   bnez t3, 80f\n",
        "   addi t1, t1, -{lent_bit}\n",
        close!("pmpaddr2"), "\n",
        go!(), "\n",
        "   .endif\n",

        // An answer, to somebody who waits, and nobody else does.
        "20: lw t1, {client}(t0)\n",
        "   li a6, 0\n",
        "   sw s0, {kept}(t0)\n",
        "   andi t2, t1, {flags}\n",
        "   bnez t2, 25f\n",
        answers!(), "\n",
        go!(), "\n",

        // As above, and what was lent is so no more: by Sv32 the same, however it was.
        "25:\n",
        "   .if {paged}\n",
        "   sw s1, {kept}+4(t0)\n",
        "   andi t3, t2, {flags} - {lent_any}\n",
        "   sub t1, t1, t2\n",
        "   bnez t3, 80f\n",
        "   .else\n",
        "   addi t3, t2, -{lent_mut_bit}\n",
        "   bnez t3, 15b\n",
        "   addi t1, t1, -{lent_mut_bit}\n",
        "   .endif\n",
        close!("pmpaddr3"), "\n",
        go!(), "\n",

        )
    };
}

/// A call that lends.
macro_rules! lend {
    () => {
        concat!(
            // A call that lends, to be read.
            "30: addi t3, a7, -2\n",
            "   bnez t3, 35f\n",
            lends!(),
            "\n",
            open!("{lent}", "pmpaddr2", "{read}", "{lent_bit}"),
            "\n",
            go!(),
            "\n",
            // To be read and written.
            "35: addi t3, a7, -3\n",
            "   bnez t3, 40f\n",
            lends!(),
            "\n",
            open!("{lent_mut}", "pmpaddr3", "{write}", "{lent_mut_bit}"),
            "\n",
            go!(),
            "\n",
        )
    };
}

/// A call or an answer that gives a frame away.
macro_rules! give {
    () => {
        concat!(
            // A call that gives a frame away.
            "40:\n",
            "   .if {extra}\n",
            "   addi t3, a7, -4\n",
            "   bnez t3, 45f\n",
            "   lbu t5, {frame}(t0)\n",
            "   lw t3, {more}(t1)\n",
            "   bnez t4, 80f\n",
            "   bnez t2, 80f\n",
            gives!(),
            "\n",
            "   addi t4, t0, {gave}\n",
            asks!(),
            "\n",
            "   sw t4, {client}(t1)\n",
            go!(),
            "\n",
            // An answer that gives one.
            "45: lw t1, {client}(t0)\n",
            "   addi t4, a7, -{reply_move}\n",
            "   bnez t4, 80f\n",
            "   andi t2, t1, {flags}\n",
            "   addi t1, t1, -{gave}\n",
            "   addi t2, t2, -{gave}\n", // The asker gave one.
            "   bnez t2, 80f\n",
            "   lbu t5, {frame}(t0)\n",
            "   lw t3, {more}(t1)\n",
            gives!(),
            "\n",
            "   li a6, 0\n",
            "   li a7, 4\n",
            answers!(),
            "\n",
            go!(),
            "\n",
            "   .endif\n",
        )
    };
}

/// Operations that the fast path does not do, interrupts and faults.
macro_rules! slow {
    () => {
        concat!(
            // An operation that is not for the fast way.
            "80: sw ra, {pc}(t0)\n",
            message!("sw", "t0"),
            "\n",
            "   sb zero, {whole}(t0)\n",
            "85: lui sp, %hi({stack})\n",
            "   lw sp, %lo({stack})(sp)\n",
            "   csrw mscratch, zero\n",
            "   mv a0, t0\n",
            "   call {slow}\n",
            "   j {leave}\n",
            // An interrupt or a fault: everything may be in use.
            "90: beqz t0, 99f\n",
            message!("sw", "t0"),
            "\n",
            others!("sw", "t0"),
            "\n",
            "   csrr t1, mscratch\n",
            "   sw t1, {others}+76(t0)\n",
            "   csrr t1, mepc\n",
            "   sw t1, {pc}(t0)\n",
            "   li t1, 1\n",
            "   sb t1, {whole}(t0)\n",
            "   j 85b\n",
            // The kernel itself failed.
            "99: j {failed}\n",
        )
    };
}

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

        call!(),
        answer!(),
        lend!(),
        give!(),
        slow!(),
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
