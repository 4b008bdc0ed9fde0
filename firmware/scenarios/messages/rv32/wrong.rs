// Operations of the process of `faults.rs` that no compiler would emit.

const THUMB: usize = 0;

fn illegal() {
    // SAFETY: no instruction.
    unsafe { core::arch::asm!("unimp") };
}

fn lose_stack() {
    // SAFETY: none.
    unsafe { core::arch::asm!("li sp, 0x10", "sw zero, 0(sp)") };
}

/// Asks the kernel, as no process, with the stack there.
fn ask_at(place: usize) {
    // SAFETY: none.
    unsafe {
        core::arch::asm!(
            "addi sp, sp, -16", "sw s1, 0(sp)", "mv s1, sp",
            "mv sp, a0", "li a6, 0", "li a7, 0", "lla ra, 2f", "ecall",
            "2: mv sp, s1", "lw s1, 0(sp)", "addi sp, sp, 16",
            inout("a0") place => _, out("a1") _, out("a2") _, out("a3") _, out("a4") _, out("a5") _, out("a6") _, out("a7") _,
            out("ra") _, out("t0") _, out("t1") _, out("t2") _, out("t3") _, out("t4") _, out("t5") _, out("t6") _,
            out("s2") _, out("s3") _, out("s4") _, out("s5") _, out("s6") _,
            out("s7") _, out("s8") _, out("s9") _, out("s10") _, out("s11") _,
        )
    };
}
