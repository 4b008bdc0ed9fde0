//! Says hello on the UART, sleeps for two ticks of the timer, and ends by the test finisher.

#![no_std]
#![no_main]

use core::fmt::Write;
use core::panic::PanicInfo;

use riscv::interrupt::Interrupt;
use riscv::register::{mie, mstatus};
use riscv_rt::{core_interrupt, entry};

/// The CLINT's time and, for hart 0, when it interrupts.
const MTIME: *const u32 = 0x0200_bff8 as *const u32;
const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;
/// Steps of the CLINT's time in a tick: 1 ms at 10 MHz.
const TICK: u32 = 10_000;

#[core_interrupt(Interrupt::MachineTimer)]
fn tick() {
    wake_in(TICK);
}

#[entry]
fn main() -> ! {
    let _ = writeln!(Uart, "hello, virt");
    wake_in(TICK);
    // SAFETY: the handler above is in place, and touches nothing but the timer.
    unsafe {
        mie::set_mtimer();
        mstatus::set_mie();
    }
    for ms in 1..=2 {
        riscv::asm::wfi();
        let _ = writeln!(Uart, "{ms} ms");
    }
    finish(0x5555)
}

/// The first second has no carry into the upper word.
fn wake_in(steps: u32) {
    // SAFETY: registers of the CLINT.
    unsafe {
        MTIMECMP.add(1).write_volatile(0);
        MTIMECMP.write_volatile(MTIME.read_volatile() + steps);
    }
}

/// The 16550: a byte goes out when there is room for it.
struct Uart;

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

/// The test finisher ends the run; the exit code is in the upper half.
fn finish(word: u32) -> ! {
    // SAFETY: the register of the test finisher.
    unsafe { (0x0010_0000 as *mut u32).write_volatile(word) }
    loop {
        riscv::asm::wfi();
    }
}
