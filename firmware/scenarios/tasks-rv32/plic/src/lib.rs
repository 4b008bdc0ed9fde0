//! QEMU's virt for the RV32 scenarios: the same programs as `../mainspring` has, behind a PLIC.

#![no_std]

use core::arch::asm;
use core::panic::PanicInfo;
use core::ptr::{addr_of, addr_of_mut, read_volatile, write_volatile};

use mainspring::{Lines, Plic};
use riscv_rt as _;

/// The chip.
pub struct Chip;

/// The UART's source, and numbers that have no line.
#[repr(u16)]
pub enum Interrupt {
    /// No line: software asks.
    A = 0,
    /// As above.
    B = 1,
    /// A line that the scenarios raise.
    Line = 32 + 10,
}

// SAFETY: the source of the 16550; nothing else in these programs uses the PLIC, `mie` or `mtvec`.
unsafe impl mainspring::Device for Chip {
    const PRIORITY_BITS: u8 = 3;
    type Interrupt = Interrupt;
    const LINES: Lines = Lines::Plic(Plic {
        base: 0x0c00_0000,
        context: 0,
        priorities: 7,
    });
}

/// Interrupts that the 16550 lets through: that it has room.
const ENABLES: *mut u8 = 0x1000_0001 as *mut u8;
/// The line that raises [`Interrupt::Line`].
pub const LINE: u8 = 2;

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

/// Raises the line, or lowers it.
#[inline(always)]
pub fn raise(line: u8) {
    // SAFETY: the register of the UART.
    unsafe { write_volatile(ENABLES, line) };
}

/// Marks a point, and raises the line with the very next instruction.
#[inline(always)]
#[allow(named_asm_labels)] // As above.
pub fn request<const N: u8>(line: u8) {
    // SAFETY: as above.
    unsafe {
        asm!(
            ".globl mark_{0}",
            "mark_{0}:",
            "sb {1}, 0({2})",
            const N,
            in(reg) line,
            in(reg) ENABLES,
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

/// Ends the program: the test finisher's word for one that passed.
pub fn exit() -> ! {
    end(0x5555)
}

fn end(word: u32) -> ! {
    loop {
        // SAFETY: the register of the test finisher.
        unsafe { write_volatile(0x0010_0000 as *mut u32, word) };
    }
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    end(1 << 16 | 0x3333)
}
