// Operations of the process of `fuzz.rs` that no compiler would emit.

/// What unprivileged code has no right to, and a jump. Not to code, where it would find the way out.
fn meddle(kind: usize, place: usize) {
    match kind {
        // SAFETY: none: this must not harm any other process.
        2 => unsafe { asm!("bx {}", in(reg) place | 0x2000_0001, out("lr") _) },
        // SAFETY: as above: it is ignored.
        3 => unsafe { asm!("msr control, {0}", "msr basepri, {0}", "isb", in(reg) place & 1) },
        // SAFETY: as above: an exception's return, or what devices and the core's own registers are.
        _ if place & 1 == 0 => unsafe { asm!("bx {}", in(reg) place | 0xffff_ff01, out("lr") _) },
        // SAFETY: as above.
        _ => unsafe { write_volatile((0xe000_e000 | place & 0xffc) as *mut usize, place) },
    }
}

fn ask(words: [usize; 8]) -> [usize; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = words;
    // SAFETY: the kernel changes no more than an operation of its own does, whatever is asked for.
    unsafe {
        asm!(
            "push {{r6, r7}}",
            "mov r6, r2",
            "mov r7, r3",
            "svc 0",
            "mov r2, r6",
            "mov r3, r7",
            "pop {{r6, r7}}",
            inlateout("r4") a, inlateout("r5") b, inlateout("r2") c, inlateout("r3") d, inlateout("r8") e,
            inlateout("r9") f, inlateout("r10") g, inlateout("r11") h,
        );
    }
    [a, b, c, d, e, f, g, h]
}
