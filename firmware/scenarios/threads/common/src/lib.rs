//! Shared by the scenarios of all kernels with threads, so that only the kernel differs.

#![no_std]

use core::arch::asm;

pub use rt::{exit, fail};

/// A point that a price list names: `bkpt:#N`. No access of memory moves across it.
#[inline(always)]
pub fn mark<const N: u8>() {
    // SAFETY: under the simulator a breakpoint only marks a point in time.
    unsafe { asm!("bkpt {}", const N, options(nostack, preserves_flags)) }
}

/// So often. The compiler does not see the number, so that what a loop needs is ready before its first mark.
#[inline(always)]
pub fn rounds(mut count: u32) -> core::ops::Range<u32> {
    // SAFETY: no instruction.
    unsafe { asm!("/* {} */", inout(reg) count, options(pure, nomem, nostack, preserves_flags)) };
    0..count
}

/// Calls `f` that many times, and counts after it: no code of the loop is between its marks.
#[inline(always)]
pub fn repeat(count: u32, mut f: impl FnMut()) {
    let (mut done, count) = (0, rounds(count).end);
    while done < count {
        f();
        // SAFETY: no instruction. Behind the last mark, and what is added to comes from there.
        unsafe { asm!("/* {} */", inout(reg) done, options(nomem, nostack, preserves_flags)) };
        done += 1;
    }
}

/// So often, one after the other: where a thread takes turns, a count would be loaded between two marks.
#[inline(always)]
pub fn turns(count: u32) -> core::ops::Range<u32> {
    0..count
}

/// As [`mark`], where the compiler may double the code.
#[inline(always)]
pub fn reached<const N: u8>() {
    mark::<N>();
}

/// Lowers what [`request`] raised: an interrupt that is pending by its bit is so no more when its handler runs.
#[inline(always)]
pub fn lower() {}

/// Marks a point, and makes the interrupt pending with the very next instruction, as a peripheral would.
#[inline(always)]
pub fn request<const N: u8>(interrupt: u16) {
    // SAFETY: as `mark`; NVIC_ISPR is there on every Cortex-M, and the interrupt has a task.
    unsafe {
        asm!(
            "bkpt {}",
            "str {bit}, [{register}]",
            const N,
            bit = in(reg) 1_u32 << (interrupt % 32),
            register = in(reg) 0xe000_e200_u32 + u32::from(interrupt / 32) * 4,
            options(nostack, preserves_flags)
        );
    }
}
