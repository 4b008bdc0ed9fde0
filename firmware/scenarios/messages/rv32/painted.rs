// Use of registers that a compiler does not give to programs.

/// Fills every register that is neither the message's nor the stack's, and calls.
macro_rules! painted {
    ($tag:literal, $operation:literal, $connection:literal, $words:expr) => {{
        let [mut a, mut b, mut c, mut d, mut e, mut f] = $words;
        // SAFETY: as the kernel's own call, but that registers are filled before.
        unsafe {
            asm!(
                "li t0, {tag}", "mv t1, t0", "mv t2, t0", "mv t3, t0", "mv t4, t0", "mv t5, t0", "mv t6, t0",
                "mv s2, t0", "mv s3, t0", "mv s4, t0", "mv s5, t0", "mv s6, t0", "mv s7, t0", "mv s8, t0",
                "mv s9, t0", "mv s10, t0", "mv s11, t0", "mv gp, t0", "mv tp, t0",
                "lla ra, 2f", "ecall", "2:",
                tag = const $tag,
                inlateout("a0") a, inlateout("a1") b, inlateout("a2") c, inlateout("a3") d, inlateout("a4") e,
                inlateout("a5") f, inlateout("a6") 4 * $connection => _, inlateout("a7") $operation => _,
                out("ra") _, out("t0") _, out("t1") _, out("t2") _, out("t3") _, out("t4") _, out("t5") _,
                out("t6") _, out("s2") _, out("s3") _, out("s4") _, out("s5") _, out("s6") _, out("s7") _,
                out("s8") _, out("s9") _, out("s10") _, out("s11") _,
            );
        }
        [a, b, c, d, e, f]
    }};
}
