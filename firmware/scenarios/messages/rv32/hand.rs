// Operations of the process of `fuzz.rs` that no compiler would emit.

/// What is refused in user mode, and a jump. Not to code, where it would find the way out: PMP does not protect the port.
fn meddle(kind: usize, place: usize) {
    match kind {
        // SAFETY: none: this must not harm any other process.
        2 => unsafe { asm!("jr {}", in(reg) place & !3 | 1 << 28) },
        // SAFETY: as above.
        3 => unsafe { asm!("csrw mstatus, {}", in(reg) place) },
        // SAFETY: as above.
        _ => unsafe { asm!("mret") },
    }
}

fn ask(words: [usize; 8]) -> [usize; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = words;
    // SAFETY: the kernel changes no more than an operation of its own does, whatever is asked for.
    unsafe {
        asm!(
            "lla ra, 2f", "ecall", "2:",
            inlateout("a0") a, inlateout("a1") b, inlateout("a2") c, inlateout("a3") d, inlateout("a4") e,
            inlateout("a5") f, inlateout("a6") g, inlateout("a7") h,
            out("ra") _, out("t0") _, out("t1") _, out("t2") _, out("t3") _, out("t4") _, out("t5") _,
            out("t6") _, out("s2") _, out("s3") _, out("s4") _, out("s5") _, out("s6") _, out("s7") _,
            out("s8") _, out("s9") _, out("s10") _, out("s11") _,
        );
    }
    [a, b, c, d, e, f, g, h]
}
