//! How a process asks the kernel.

use mainspring_core::processes::{Operation, Status};

use crate::process::local::Kept;

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
pub(crate) fn ask(message: [usize; 8]) -> [usize; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, connection, mut h] = message;
    ask!(a b c d e f h, inlateout("a6") connection => _)
}

/// Answers, and waits for the next message.
#[inline(always)]
pub(crate) fn answer(words: [usize; 5]) -> [usize; 8] {
    let [mut a, mut b, mut c, mut d, mut e] = words;
    let (mut status, mut operation) = (Status::Done as usize, Operation::Reply as usize);
    ask!(a b c d e status operation, lateout("a6") _)
}

/// Goes on with the other of two coroutines, with a message, and comes back with its next one.
///
/// # Safety
///
/// `kept` is where the other one waits, in here or at its beginning, on a stack of its own.
#[inline(always)]
pub(crate) unsafe fn switch(kept: *mut Kept, message: [usize; 6]) -> [usize; 6] {
    let [mut a, mut b, mut c, mut d, mut e, mut f] = message;
    // SAFETY: the caller's promise; each finds its stack pointer, `s0` and `s1` as they were.
    unsafe {
        core::arch::asm!(
            "lw t1, 0(t0)",
            "lw t2, 4(t0)",
            "lw t3, 8(t0)",
            "lw t4, 12(t0)",
            "lla ra, 2f",
            "sw ra, 0(t0)",
            "sw sp, 4(t0)",
            "sw s0, 8(t0)",
            "sw s1, 12(t0)",
            "mv sp, t2",
            "mv s0, t3",
            "mv s1, t4",
            "jr t1",
            "2:",
            inlateout("t0") kept => _,
            inlateout("a0") a, inlateout("a1") b, inlateout("a2") c, inlateout("a3") d, inlateout("a4") e, inlateout("a5") f,
            out("ra") _, out("a6") _, out("a7") _,
            out("t1") _, out("t2") _, out("t3") _, out("t4") _, out("t5") _, out("t6") _,
            out("s2") _, out("s3") _, out("s4") _, out("s5") _, out("s6") _,
            out("s7") _, out("s8") _, out("s9") _, out("s10") _, out("s11") _,
        );
    }
    [a, b, c, d, e, f]
}
