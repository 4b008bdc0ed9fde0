//! The ways into the kernel and out of it, and the fast way through.
//!
//! The registers that the hardware does not stack are the message's, R4 to R11: they stay where they are. All others are the process's own,
//! in the frame on its own stack. So nothing has to be saved, loaded or cleared but the stack pointer.

use core::arch::naked_asm;
use core::mem::offset_of;

use mainspring_core::processes::{CONNECTIONS, Context, FLAGS, GAVE, LENT, LENT_MUT, Operation, Status};

use crate::process::local::Kept;

use super::{CURRENT, LENT_ANY, Processes, Rights, attributes};

/// `r3` is the address of `MPU_RBAR`.
macro_rules! regions {
    () => {
        "
        movw r3, #0xed9c
        movt r3, #0xe000"
    };
}

/// To the process of `r2`. `r3` is as said above.
macro_rules! go {
    () => {
        "
        ldrd r12, r1, [r2, #{data}]
        orr r12, r12, #0x11
        strd r12, r1, [r3]
        .if {extra}
        ldrd r12, r1, [r2, #{more}]
        bic r12, r12, #31
        orr r12, r12, #0x12
        strd r12, r1, [r3]
        .endif
        .if {float}
        ldr r12, [r0, #4]
        movw r3, #0xed88
        movt r3, #0xe000
        mov r1, #0
        cmp r12, r2
        it eq
        moveq r1, #0xf00000
        str r1, [r3]
        .endif
        ldr r1, [r2, #{sp}]
        str r2, [r0]
        msr psp, r1
        dsb
        bx lr"
    };
}

/// The memory that `r7` and `r8` name becomes a region of the receiver's.
macro_rules! lend {
    ($place:literal, $bit:literal, $rights:literal, $number:literal) => {
        concat!(
            "
        mov r10, r1
        orr r1, r1, #{",
            $bit,
            "}
        str r1, [r2, #{client}]
        lsl r1, r8, #1
        sub r1, r1, #1
        movt r1, #{",
            $rights,
            "}
        bic r12, r7, #31",
            regions!(),
            "
        strd r12, r1, [r2, #{",
            $place,
            "}]
        orr r12, r12, #",
            $number,
            "
        strd r12, r1, [r3]"
        )
    };
}

/// The upper half of a region's attributes; the lower one is twice the number of bits of an address within it, less one.
const fn upper(rights: Rights) -> usize {
    let all = attributes(16, rights);
    assert!(all & 0xffff == 2 * 16 - 1 && LENT == 2 && LENT_MUT == 4 && GAVE == 8);
    all >> 16
}

/// An answer.
macro_rules! answer {
    () => {
        concat!(
            // An answer, to somebody who waits, and nobody else does.
            "20: ldr r2, [r1, #{client}]\n",
            "   ands r3, r2, #{flags}\n",
            "   bne 25f\n",
            "   str r12, [r1, #{sp}]\n",
            "   mov r10, #0\n",
            "   str r10, [r1, #{client}]\n",
            regions!(),
            "\n",
            go!(),
            "\n",
            // As above, and what was lent is so no more.
            "25: sub r2, r2, r3\n",
            "   lsrs r3, r3, #1\n", // 1 or 2: regions 3 and 4; the carry is `SLOW`
            "   bcs 80f\n",
            "   cmp r3, #2\n",
            "   bhi 80f\n",
            "   str r12, [r1, #{sp}]\n",
            "   add r12, r3, #0x12\n",
            "   mov r10, #0\n",
            regions!(),
            "\n",
            "   str r10, [r1, #{client}]\n",
            "   strd r12, r10, [r3]\n",
            go!(),
            "\n",
        )
    };
}

/// A call that lends: memory within the sender's.
macro_rules! check_lend {
    () => {
        concat!(
            "30: bic r3, r11, #1\n",
            "   cmp r3, #2\n",
            "   bne 80f\n",
            "   ldr r2, [r2, #{connection}]\n",
            "   ldr r3, [r1, #{client}]\n",
            "   tst r3, #{lent_any}\n",
            "   bne 80f\n",
            "   ldr r3, [r2, #{client}]\n",
            "   str r12, [r1, #{sp}]\n",
            "   cmp r3, #0\n",
            "   bne 80f\n",
            "   ldrd r3, r12, [r1, #{within}]\n",
            "   eor r3, r3, r7\n",
            "   lsrs r3, r3, r12\n",
            "   bne 80f\n",
            "   sub r12, r12, #5\n",
            "   sub r3, r8, #5\n",
            "   cmp r3, r12\n",
            "   bhi 80f\n",
            "   cmp r11, #3\n",
            "   beq 35f\n",
        )
    };
}

/// SVCall: an operation.
///
/// # Safety
///
/// Called by SVCall alone.
#[unsafe(naked)]
pub unsafe extern "C" fn supervisor_call<S: Processes>() {
    naked_asm!(
        "   movw r0, #:lower16:{current}",
        "   movt r0, #:upper16:{current}",
        "   ldr r1, [r0]",
        "   mrs r12, psp",
        "   and r2, r10, #4 * {connections} - 4",
        "   add r2, r2, r1",
        "   cmp r11, #0",
        "   bmi 20f",
        "   bne 30f",

        // A call. The receiver, if it waits.
        "   ldr r2, [r2, #{connection}]",
        "   ldr r3, [r1, #{client}]",
        "   tst r3, #{lent_any}",
        "   bne 80f",
        "   ldr r3, [r2, #{client}]",
        "   str r12, [r1, #{sp}]",
        "   cmp r3, #0",
        "   bne 80f",
        "   str r1, [r2, #{client}]",
        "   mov r10, r1",
        regions!(),
        go!(),

        answer!(),
        // A call that lends: memory within the sender's.
        check_lend!(),
        lend!("lent", "lent_bit", "read", "0x13"),
        go!(),
        "35:",
        lend!("lent_mut", "lent_mut_bit", "write", "0x14"),
        go!(),

        // An operation that is not for the fast way.
        "80: b {all}",
        current = sym CURRENT,
        connections = const CONNECTIONS,
        connection = const offset_of!(Context, connections),
        client = const offset_of!(Context, client),
        sp = const offset_of!(Context, sp),
        data = const offset_of!(Context, data),
        more = const offset_of!(Context, extra),
        extra = const S::EXTRA as usize,
        lent = const offset_of!(Context, lent),
        lent_mut = const offset_of!(Context, lent_mut),
        within = const offset_of!(Context, within),
        flags = const FLAGS,
        lent_any = const LENT_ANY,
        lent_bit = const LENT,
        lent_mut_bit = const LENT_MUT,
        read = const upper(Rights::Read),
        write = const upper(Rights::Write),
        float = const super::HAS_FLOATS as usize,
        all = sym other_exception::<S>,
    )
}

/// Every other exception, and operations that are not for the fast way.
///
/// # Safety
///
/// Called by exceptions alone.
#[unsafe(naked)]
pub unsafe extern "C" fn other_exception<S: Processes>() {
    naked_asm!(
        "   tst lr, #8",
        "   beq 90f",
        "   movw r0, #:lower16:{current}",
        "   movt r0, #:upper16:{current}",
        "   ldr r0, [r0]",
        "   mrs r12, psp",
        "   str r12, [r0, #{sp}]",
        "   add r3, r0, #{message}",
        "   stm r3, {{r4-r11}}",
        "   mrs r1, ipsr",
        "   push {{r4, lr}}",
        "   bl {slow}",
        "   pop {{r4, lr}}",
        "   add r3, r0, #{message}",
        "   ldm r3, {{r4-r11}}",
        "   ldr r12, [r0, #{sp}]",
        "   msr psp, r12",
        "   dsb",
        "   bx lr",
        // The kernel itself failed.
        "90: b {failed}",
        current = sym CURRENT,
        sp = const offset_of!(Context, sp),
        message = const offset_of!(Context, message),
        slow = sym super::slow::<S>,
        failed = sym failed::<S>,
    )
}

extern "C" fn failed<S: Processes>() -> ! {
    use super::Chip;
    S::Chip::failed()
}

/// PendSV: the first process begins. From then on there is no privileged thread any more.
///
/// # Safety
///
/// Called by PendSV alone.
#[unsafe(naked)]
pub unsafe extern "C" fn first_process<S: Processes>() {
    naked_asm!(
        "   movw r0, #:lower16:{current}",
        "   movt r0, #:upper16:{current}",
        "   ldr r0, [r0]",
        "   mov r1, #3",
        "   msr control, r1",
        "   mvn lr, #2",
        "   add r3, r0, #{message}",
        "   ldm r3, {{r4-r11}}",
        "   ldr r12, [r0, #{sp}]",
        "   msr psp, r12",
        "   dsb",
        "   isb",
        "   bx lr",
        current = sym CURRENT,
        sp = const offset_of!(Context, sp),
        message = const offset_of!(Context, message),
    )
}

/// Goes to the first process. PendSV has the number of the lowest exception of its priority, so it comes before any interrupt.
///
/// # Safety
///
/// `context` is that of a process which can run; interrupts are held back.
pub(in super::super) unsafe fn leave<S: Processes>(context: usize) -> ! {
    let context = context as *mut Context;
    CURRENT.runs.store(context, core::sync::atomic::Ordering::Relaxed);
    // SAFETY: the caller's promise; PENDSVSET.
    unsafe {
        super::protect(&*context);
        (0xe000_ed04 as *mut usize).write_volatile(1 << 28);
        core::arch::asm!("dsb", "cpsie i", "isb", "2: b 2b", options(noreturn));
    }
}

/// Asks the kernel: R4 to R11 are the message. R6 and R7 cannot be named as operands.
macro_rules! ask {
    ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {{
        // SAFETY: the kernel changes R4 to R11 alone. Memory that is lent may change.
        unsafe {
            core::arch::asm!(
                "push {{r6, r7}}",
                "mov r6, r2",
                "mov r7, r3",
                "svc 0",
                "mov r2, r6",
                "mov r3, r7",
                "pop {{r6, r7}}",
                inlateout("r4") $a,
                inlateout("r5") $b,
                inlateout("r2") $c,
                inlateout("r3") $d,
                inlateout("r8") $e,
                inlateout("r9") $f,
                inlateout("r10") $g,
                inlateout("r11") $h,
            );
        }
        [$a, $b, $c, $d, $e, $f, $g, $h]
    }};
}

/// Asks the kernel.
#[inline(always)]
pub(in super::super) fn ask(message: [usize; 8]) -> [usize; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = message;
    ask!(a b c d e f g h)
}

/// Answers, and waits for the next message.
#[inline(always)]
pub(in super::super) fn answer(words: [usize; 5]) -> [usize; 8] {
    let [mut a, mut b, mut c, mut d, mut e] = words;
    let (mut status, mut nobody, mut operation) = (Status::Done as usize, 0, Operation::Reply as usize);
    ask!(a b c d e status nobody operation)
}

/// Goes on with the other of two coroutines, with a message, and comes back with its next one.
///
/// # Safety
///
/// `kept` is where the other one waits, in here or at its beginning, on a stack of its own.
#[inline(always)]
pub(in super::super) unsafe fn switch(kept: *mut Kept, message: [usize; 6]) -> [usize; 6] {
    let [mut a, mut b, mut c, mut d, mut e, mut f] = message;
    // SAFETY: the caller's promise; each finds its stack pointer, R6, R7 and R11 as they were. Bit 0 does not count for MOV to the PC.
    unsafe {
        core::arch::asm!(
            "push {{r6, r7, r11}}",
            "adr r10, 2f",
            "mov r11, sp",
            "ldrd r8, r9, [r12]",
            "strd r10, r11, [r12]",
            "mov sp, r9",
            "mov pc, r8",
            ".p2align 2",
            "2:",
            "pop {{r6, r7, r11}}",
            inlateout("r12") kept => _,
            inlateout("r0") a, inlateout("r1") b, inlateout("r2") c, inlateout("r3") d, inlateout("r4") e, inlateout("r5") f,
            out("r8") _, out("r9") _, out("r10") _, out("lr") _,
        );
    }
    [a, b, c, d, e, f]
}
