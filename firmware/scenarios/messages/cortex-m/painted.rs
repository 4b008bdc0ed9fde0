// Use of registers that a compiler does not give to programs.

/// Fills every register that is neither the message's nor the stack's, and calls.
macro_rules! painted {
    ($tag:literal, $operation:literal, $connection:literal, $words:expr) => {{
        let [mut a, mut b, mut c, mut d, mut e, mut f] = $words;
        // SAFETY: as the kernel's own call, but that registers are filled before.
        unsafe {
            asm!(
                "push {{r6, r7}}",
                "mov r6, r2",
                "mov r7, r3",
                "mov r0, r12", "mov r1, r12", "mov r2, r12", "mov r3, r12", "mov lr, r12",
                "svc 0",
                "mov r2, r6",
                "mov r3, r7",
                "pop {{r6, r7}}",
                inlateout("r12") $tag => _,
                inlateout("r4") a, inlateout("r5") b, inlateout("r2") c, inlateout("r3") d, inlateout("r8") e,
                inlateout("r9") f, inlateout("r10") 4 * $connection => _, inlateout("r11") $operation => _,
                out("r0") _, out("r1") _, out("lr") _,
            );
        }
        [a, b, c, d, e, f]
    }};
}
