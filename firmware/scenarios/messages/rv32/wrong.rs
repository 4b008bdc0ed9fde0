// What the process of `faults.rs` does that no compiler would.

const THUMB: usize = 0;

fn illegal() {
    // SAFETY: no instruction.
    unsafe { core::arch::asm!("unimp") };
}

fn lose_stack() {
    // SAFETY: none.
    unsafe { core::arch::asm!("li sp, 0x10", "sw zero, 0(sp)") };
}
