// Shared by the RV32 scenarios of all kernels, so that only the kernel differs.

use core::arch::asm;
use core::panic::PanicInfo;
use core::ptr::{addr_of, addr_of_mut, read_volatile, write_volatile};

/// The ports of these boards: the way out, and the levels of the interrupt inputs.
const FINISH: *mut u32 = 0xfff0_0000 as *mut u32;
/// A VexRiscv has 32 external interrupts, of which programs here use the first; Ibex has one for all of them.
const EXTERNAL: *mut u32 = 0xfff0_000c as *mut u32;

/// A point that a price list names: the label `mark_<N>`. It is no instruction, and no access of memory moves across it. Where the
/// compiler doubles the code around it, the first is meant: the straight line, not the loop after it.
#[inline(always)]
#[allow(named_asm_labels)] // The price list names it.
pub fn mark<const N: u8>() {
    // SAFETY: no instruction.
    unsafe {
        asm!(
            ".ifndef mark_{0}",
            ".globl mark_{0}",
            "mark_{0}:",
            ".endif",
            const N,
            options(nostack, preserves_flags)
        );
    }
}

/// Raises external interrupts, as peripherals would.
#[inline(always)]
pub fn raise(lines: u32) {
    // SAFETY: the port is there on each of these boards.
    unsafe { write_volatile(EXTERNAL, lines) };
}

/// Marks a point, and raises the lines with the very next instruction.
#[inline(always)]
#[allow(named_asm_labels)] // As above.
pub fn request<const N: u8>(lines: u32) {
    // SAFETY: as above.
    unsafe {
        asm!(
            ".globl mark_{0}",
            "mark_{0}:",
            "sw {1}, 0({2})",
            const N,
            in(reg) lines,
            in(reg) EXTERNAL,
            options(nostack, preserves_flags)
        );
    }
}

static INPUT: u32 = 7;
static mut OUTPUT: u32 = 0;

/// A number that the compiler cannot know.
#[inline(always)]
pub fn input() -> u32 {
    // SAFETY: reads a static that is never written.
    unsafe { read_volatile(addr_of!(INPUT)) }
}

/// So often a scenario runs: caches are warm before it is measured. The compiler does not see the number, so the loop is one.
#[inline(always)]
pub fn times() -> core::ops::Range<u32> {
    0..input() - 1
}

/// Makes use of a number.
#[inline(always)]
pub fn output(number: u32) {
    // SAFETY: one task of each program uses this.
    unsafe { write_volatile(addr_of_mut!(OUTPUT), number) }
}

/// Ends the program; the host sees exit code 0.
pub fn exit() -> ! {
    end(0)
}

/// Ends the program as one that failed; the host sees exit code 1.
pub fn fail() -> ! {
    end(1)
}

fn end(code: u32) -> ! {
    loop {
        // SAFETY: the port is there on each of these boards.
        unsafe { write_volatile(FINISH, code) };
    }
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    fail()
}

#[allow(dead_code)] // For kernels with `async` tasks.
#[path = "../tasks/event.rs"]
pub mod event;
