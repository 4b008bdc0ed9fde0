//! Shared by the programs: the UART, the way out, and a panic that uses both.

#![no_std]

use core::fmt::Write;
use core::panic::PanicInfo;

/// The 16550: a byte goes out when there is room for it.
pub struct Uart;

impl Write for Uart {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        const BASE: *mut u8 = 0x1000_0000 as *mut u8;
        const LINE_STATUS: usize = 5;
        const EMPTY: u8 = 0x20;
        for byte in text.bytes() {
            // SAFETY: registers of the UART.
            unsafe {
                while BASE.add(LINE_STATUS).read_volatile() & EMPTY == 0 {}
                BASE.write_volatile(byte);
            }
        }
        Ok(())
    }
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    let _ = writeln!(Uart, "{info}");
    finish(101 << 16 | 0x3333)
}

/// The argument of [`finish`] when all is well.
pub const PASSED: u32 = 0x5555;

/// The test finisher ends the run; the exit code is in the upper half.
pub fn finish(word: u32) -> ! {
    // SAFETY: the register of the test finisher.
    unsafe { (0x0010_0000 as *mut u32).write_volatile(word) }
    loop {
        riscv::asm::wfi();
    }
}
