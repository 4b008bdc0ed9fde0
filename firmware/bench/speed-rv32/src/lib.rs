//! The start and the end of the RV32 programs of `./x speed`, and their work.
//!
//! The start uses no control and status register, for `PicoRV32` has none for traps; nothing here traps. There is no static
//! variable, so that nothing has to be copied or cleared.

#![no_std]

use core::arch::{asm, global_asm};
use core::hint::black_box;
use core::panic::PanicInfo;

use speed::Memory;

global_asm!(
    "    .section .text.reset, \"ax\", %progbits
    .globl _reset
_reset:
    j _start
    .section .text.start, \"ax\", %progbits
    .globl _start
_start:
    la sp, stack
    j main",
);

/// How often the whole set is done.
const ROUNDS: u32 = 100;

/// The result of all rounds together, from the same code compiled for a desktop computer.
const EXPECTED: u32 = 0x581d_d234;

/// Does the work; whether its result is right.
#[must_use]
pub fn work() -> bool {
    let mut memory = Memory::new();
    let mut sum = 0;
    for round in 0..black_box(ROUNDS) {
        sum = memory.round(sum ^ round);
    }
    sum == EXPECTED
}

/// Ends the run through the ports of the boards and of the harness of the Verilog.
pub fn end(passed: bool) -> ! {
    store(0xfff0_0000, u32::from(!passed))
}

/// Ends the run through the test finisher of QEMU's `virt`.
pub fn end_virt(passed: bool) -> ! {
    store(0x0010_0000, if passed { 0x5555 } else { 0x1_3333 })
}

fn store(address: usize, word: u32) -> ! {
    // SAFETY: a device is there, which takes words.
    unsafe {
        asm!("sw {word}, 0({address})", "2: j 2b", word = in(reg) word, address = in(reg) address, options(noreturn))
    }
}

/// Nothing here panics but what is wrong.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
