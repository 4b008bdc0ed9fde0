//! The way into the kernel and out of it, and the fast way through.
//!
//! An operation of a process keeps its stack pointer, `s0`, `s1` and the place to go on, in `ra`; all other registers are the message's or nobody's.
//! So the fast way saves those four words of the sender, gives the receiver its own, leaves the message where it is, and clears what
//! is left: a register that is not the message's says nothing of the sender. `gp` and `tp` are nobody's: any trap clears them.
//!
//! Instructions stand where the pipeline would otherwise wait for a load. The way out is there twice, for a jump less.

use core::arch::naked_asm;
use core::mem::offset_of;

use mainspring_core::processes::{CONNECTIONS, Context, LENT, LENT_MUT, Operation, Status};

use super::{CURRENT, NOWHERE_WORD, Processes, STACK};

/// To the process of `t1`. What `t0` to `t4` keep is its own, or the kernel's and no secret; `t0` tells it who sends.
macro_rules! go {
    () => {
        "
        lw t3, {data}(t1)
        lw ra, {pc}(t1)
        lui t4, %hi({current})
        csrw pmpaddr0, t3
        .if {extra}
        lw t3, {more}(t1)
        csrw pmpaddr1, t3
        .endif
        csrw mepc, ra
        lw sp, {sp}(t1)
        lw s0, {kept}(t1)
        lw s1, {kept}+4(t1)
        sw t1, %lo({current})(t4)
        li t5, 0
        li t6, 0
        li s2, 0
        li s3, 0
        li s4, 0
        li s5, 0
        li s6, 0
        li s7, 0
        li s8, 0
        li s9, 0
        li s10, 0
        li s11, 0
        mret"
    };
}

/// The process of `t0` waits for a message from now on.
macro_rules! answer {
    () => {
        "
        sw s0, {kept}(t0)
        sw s1, {kept}+4(t0)
        sw ra, {pc}(t0)
        sw sp, {sp}(t0)
        sw zero, {client}(t0)"
    };
}

/// The receiver, if it waits, nothing is lent to the sender, and the memory that `a3` names is within the sender's. It need not be of a
/// size that the core can tell from its neighbours: they are the sender's too.
macro_rules! lend {
    () => {
        "
        lw t1, {connection}(t2)
        lw t5, {within}(t0)
        lw t6, {within}+4(t0)
        lw t2, {client}(t1)
        lw t4, {client}(t0)
        or t3, t6, a3
        bne t3, t5, 80f
        .if {doubles}
        and t3, t6, a3
        beq t3, t6, 80f
        .endif
        andi t4, t4, {lent_any}
        bnez t4, 80f
        bnez t2, 80f
        sw s0, {kept}(t0)
        sw s1, {kept}+4(t0)
        sw ra, {pc}(t0)
        sw sp, {sp}(t0)"
    };
}

/// The frame of `t0`, whose owner is in `t5`, becomes that of `t1`, which has `t3` in its place.
macro_rules! give {
    () => {
        "
        li t4, {nowhere}
        beqz t5, 80f
        bne t3, t4, 80f
        lw a3, {more}(t0)
        li a4, 0
        sb t5, {frame}(t1)
        sb zero, {frame}(t0)
        sw a3, {more}(t1)
        sw t4, {more}(t0)"
    };
}

/// Where every trap comes to, aligned as `mtvec` asks for. `t0` is kept in `mscratch` until it is known that an operation is asked for.
#[unsafe(naked)]
#[unsafe(link_section = ".trap")] // SAFETY: where riscv-rt has its own: at the beginning of the code.
pub(super) extern "C" fn address<S: Processes>() -> usize {
    naked_asm!(
        "   lla a0, 1f",
        "   ret",
        "   .balign 64",
        "1: csrw mscratch, t0",
        "   csrr t0, mcause",
        "   li gp, 0", // Nobody's, after any trap.
        "   addi t0, t0, -8",
        "   bnez t0, 90f",
        "   lui t0, %hi({current})",
        "   lw t0, %lo({current})(t0)",
        "   andi t2, a6, 4 * {connections} - 4",
        "   li tp, 0", // As above.
        "   bnez a7, 20f",

        // A call. The receiver, if it waits.
        "   add t2, t2, t0",
        "   lw t1, {connection}(t2)",
        "   lw t4, {client}(t0)",
        "   sw s0, {kept}(t0)",
        "   lw t2, {client}(t1)",
        "   andi t4, t4, {lent_any}",
        "   bnez t4, 80f", // Something is lent to the sender, which has to be out of reach meanwhile.
        "   bnez t2, 80f",
        "   sw s1, {kept}+4(t0)",
        "   sw ra, {pc}(t0)",
        "   sw sp, {sp}(t0)",
        "   sw t0, {client}(t1)",
        go!(),

        // An answer, to somebody who waits, and nobody else does.
        "20: lw t1, {client}(t0)",
        "   bgez a7, 30f",
        "   li a6, 0",
        "   andi t2, t1, 7",
        "   bnez t2, 25f",
        answer!(),
        go!(),

        // As above, and what was lent is so no more.
        "25: addi t3, t2, -{lent_mut_bit}",
        "   li t4, {nowhere}",
        "   bnez t3, 26f",
        "   addi t1, t1, -{lent_mut_bit}",
        "   csrw pmpaddr3, t4",
        answer!(),
        go!(),
        "26: addi t3, t2, -{lent_bit}",
        "   bnez t3, 80f",
        "   addi t1, t1, -{lent_bit}",
        "   csrw pmpaddr2, t4",
        answer!(),
        go!(),

        // A call that lends, to be read and written.
        "30: addi t4, a7, -3",
        "   add t2, t2, t0",
        "   bnez t4, 35f",
        lend!(),
        "   addi t4, t0, {lent_mut_bit}",
        "   csrw pmpaddr3, a3",
        "   sw t4, {client}(t1)",
        "   sw a3, {lent_mut}(t1)",
        go!(),
        // To be read.
        "35: addi t4, a7, -2",
        "   bnez t4, 40f",
        lend!(),
        "   addi t4, t0, {lent_bit}",
        "   csrw pmpaddr2, a3",
        "   sw t4, {client}(t1)",
        "   sw a3, {lent}(t1)",
        go!(),

        // A call that gives a frame away.
        "40:",
        "   .if {extra}",
        "   addi t4, a7, -4",
        "   bnez t4, 45f",
        "   lw t1, {connection}(t2)",
        "   lw t4, {client}(t0)",
        "   lbu t5, {frame}(t0)",
        "   lw t2, {client}(t1)",
        "   lw t3, {more}(t1)",
        "   andi t4, t4, {lent_any}",
        "   bnez t4, 80f",
        "   bnez t2, 80f",
        give!(),
        "   sw s0, {kept}(t0)",
        "   sw s1, {kept}+4(t0)",
        "   sw ra, {pc}(t0)",
        "   sw sp, {sp}(t0)",
        "   sw t0, {client}(t1)",
        go!(),
        // An answer that gives one.
        "45: lw t1, {client}(t0)",
        "   addi t4, a7, -{reply_move}",
        "   bnez t4, 80f",
        "   andi t2, t1, 7",
        "   bnez t2, 80f",
        "   lbu t5, {frame}(t0)",
        "   lw t3, {more}(t1)",
        give!(),
        "   li a6, 0",
        "   li a7, 4",
        answer!(),
        go!(),
        "   .endif",

        // An operation that is not for the fast way.
        "80: sw ra, {pc}(t0)",
        "   sw sp, {sp}(t0)",
        "   sw s0, {kept}(t0)",
        "   sw s1, {kept}+4(t0)",
        "   sw a0, {message}(t0)",
        "   sw a1, {message}+4(t0)",
        "   sw a2, {message}+8(t0)",
        "   sw a3, {message}+12(t0)",
        "   sw a4, {message}+16(t0)",
        "   sw a5, {message}+20(t0)",
        "   sw a6, {message}+24(t0)",
        "   sw a7, {message}+28(t0)",
        "   sb zero, {whole}(t0)",
        "85: lui sp, %hi({stack})",
        "   lw sp, %lo({stack})(sp)",
        "   mv a0, t0",
        "   call {slow}",
        "   j {leave}",

        // An interrupt or a fault: everything may be in use.
        "90: lui t0, %hi({current})",
        "   lw t0, %lo({current})(t0)",
        "   sw ra, {others}(t0)",
        "   sw sp, {sp}(t0)",
        "   sw t1, {others}+12(t0)",
        "   sw t2, {others}+16(t0)",
        "   sw s0, {kept}(t0)",
        "   sw s1, {kept}+4(t0)",
        "   sw a0, {message}(t0)",
        "   sw a1, {message}+4(t0)",
        "   sw a2, {message}+8(t0)",
        "   sw a3, {message}+12(t0)",
        "   sw a4, {message}+16(t0)",
        "   sw a5, {message}+20(t0)",
        "   sw a6, {message}+24(t0)",
        "   sw a7, {message}+28(t0)",
        "   sw s2, {others}+20(t0)",
        "   sw s3, {others}+24(t0)",
        "   sw s4, {others}+28(t0)",
        "   sw s5, {others}+32(t0)",
        "   sw s6, {others}+36(t0)",
        "   sw s7, {others}+40(t0)",
        "   sw s8, {others}+44(t0)",
        "   sw s9, {others}+48(t0)",
        "   sw s10, {others}+52(t0)",
        "   sw s11, {others}+56(t0)",
        "   sw t3, {others}+60(t0)",
        "   sw t4, {others}+64(t0)",
        "   sw t5, {others}+68(t0)",
        "   sw t6, {others}+72(t0)",
        "   csrr t1, mscratch",
        "   sw t1, {others}+76(t0)",
        "   csrr t1, mepc",
        "   sw t1, {pc}(t0)",
        "   li t1, 1",
        "   sb t1, {whole}(t0)",
        "   j 85b",
        current = sym CURRENT,
        stack = sym STACK,
        connections = const CONNECTIONS,
        connection = const offset_of!(Context, connections),
        client = const offset_of!(Context, client),
        kept = const offset_of!(Context, kept),
        pc = const offset_of!(Context, pc),
        sp = const offset_of!(Context, sp),
        data = const offset_of!(Context, data),
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
        lent_bit = const LENT,
        lent_mut_bit = const LENT_MUT,
        lent_any = const LENT | LENT_MUT,
        nowhere = const NOWHERE_WORD as isize,
        slow = sym super::slow::<S>,
        leave = sym leave::<S>,
    )
}

/// Goes to a process, from the kernel.
///
/// # Safety
///
/// `context` is that of a process which can run, and it is the current one.
#[unsafe(naked)]
pub(in super::super) unsafe extern "C" fn leave<S: Processes>(context: usize) -> ! {
    naked_asm!(
        "   lui t1, %hi({current})",
        "   sw a0, %lo({current})(t1)",
        "   mv t0, a0",
        "   li gp, 0",
        "   li tp, 0",
        "   lw t1, {data}(t0)",
        "   lw t2, {more}(t0)",
        "   lw t3, {lent}(t0)",
        "   lw t4, {lent_mut}(t0)",
        "   lw t5, {pc}(t0)",
        "   csrw pmpaddr0, t1",
        "   csrw pmpaddr1, t2",
        "   csrw pmpaddr2, t3",
        "   csrw pmpaddr3, t4",
        "   csrw mepc, t5",
        "   lbu t6, {whole}(t0)",
        "   lw sp, {sp}(t0)",
        "   lw s0, {kept}(t0)",
        "   lw s1, {kept}+4(t0)",
        "   lw a0, {message}(t0)",
        "   lw a1, {message}+4(t0)",
        "   lw a2, {message}+8(t0)",
        "   lw a3, {message}+12(t0)",
        "   lw a4, {message}+16(t0)",
        "   lw a5, {message}+20(t0)",
        "   lw a6, {message}+24(t0)",
        "   lw a7, {message}+28(t0)",
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
        "1: lw ra, {others}(t0)",
        "   lw t1, {others}+12(t0)",
        "   lw t2, {others}+16(t0)",
        "   lw s2, {others}+20(t0)",
        "   lw s3, {others}+24(t0)",
        "   lw s4, {others}+28(t0)",
        "   lw s5, {others}+32(t0)",
        "   lw s6, {others}+36(t0)",
        "   lw s7, {others}+40(t0)",
        "   lw s8, {others}+44(t0)",
        "   lw s9, {others}+48(t0)",
        "   lw s10, {others}+52(t0)",
        "   lw s11, {others}+56(t0)",
        "   lw t3, {others}+60(t0)",
        "   lw t4, {others}+64(t0)",
        "   lw t5, {others}+68(t0)",
        "   lw t6, {others}+72(t0)",
        "   lw t0, {others}+76(t0)",
        "   mret",
        current = sym CURRENT,
        kept = const offset_of!(Context, kept),
        pc = const offset_of!(Context, pc),
        sp = const offset_of!(Context, sp),
        data = const offset_of!(Context, data),
        more = const offset_of!(Context, extra),
        lent = const offset_of!(Context, lent),
        lent_mut = const offset_of!(Context, lent_mut),
        message = const offset_of!(Context, message),
        others = const offset_of!(Context, others),
        whole = const offset_of!(Context, whole),
    )
}

/// Asks the kernel. Everything but the stack and two registers is its to change.
macro_rules! ask {
    ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $h:ident, $($a6:tt)*) => {{
        let from: usize;
        // SAFETY: the kernel goes on at the label, with the stack pointer, `s0` and `s1` as they were. Memory that is lent may change.
        unsafe {
            core::arch::asm!(
                "lla ra, 2f",
                "ecall",
                "2:",
                inlateout("a0") $a,
                inlateout("a1") $b,
                inlateout("a2") $c,
                inlateout("a3") $d,
                inlateout("a4") $e,
                inlateout("a5") $f,
                $($a6)*,
                inlateout("a7") $h,
                lateout("t0") from,
                out("ra") _,
                out("t1") _, out("t2") _, out("t3") _, out("t4") _, out("t5") _, out("t6") _,
                out("s2") _, out("s3") _, out("s4") _, out("s5") _, out("s6") _,
                out("s7") _, out("s8") _, out("s9") _, out("s10") _, out("s11") _,
            );
        }
        [$a, $b, $c, $d, $e, $f, from, $h]
    }};
}

/// Asks the kernel.
#[inline(always)]
pub(in super::super) fn ask(message: [usize; 8]) -> [usize; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, connection, mut h] = message;
    ask!(a b c d e f h, inlateout("a6") connection => _)
}

/// Answers, and waits for the next message.
#[inline(always)]
pub(in super::super) fn answer(words: [usize; 5]) -> [usize; 8] {
    let [mut a, mut b, mut c, mut d, mut e] = words;
    let (mut status, mut operation) = (Status::Done as usize, Operation::Reply as usize);
    ask!(a b c d e status operation, lateout("a6") _)
}
