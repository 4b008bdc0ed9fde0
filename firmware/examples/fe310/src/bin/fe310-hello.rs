//! Runs from the 16 MHz crystal, says hello on the UART at 115200 baud, and sleeps until the CLINT's timer wakes it.

#![no_std]
#![no_main]

use core::fmt::Write;

use riscv::register::mie;
use riscv_rt::entry;
use semihosting::process;

/// Clocks: the crystal's control, and the choice of the core's clock (FE310-G002 Manual, chapter 6).
const HFXOSCCFG: *mut u32 = 0x1000_8004 as *mut u32;
const PLLCFG: *mut u32 = 0x1000_8008 as *mut u32;
/// UART 0 (chapter 18).
const UART: *mut u32 = 0x1001_3000 as *mut u32;
const TXDATA: usize = 0;
const TXCTRL: usize = 2;
const DIV: usize = 6;
/// Pins 16 and 17 of the GPIO are the UART's (chapter 17).
const IOF_EN: *mut u32 = 0x1001_2038 as *mut u32;
/// The CLINT's time, which counts at 32768 Hz, and when it interrupts (chapter 9).
const MTIME: *const u32 = 0x0200_bff8 as *const u32;
const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;
/// Steps of that time in 1 ms.
const TICKS: u32 = 33;

#[entry]
fn main() -> ! {
    run_from_crystal();
    // SAFETY: registers of the UART and its pins.
    unsafe {
        IOF_EN.write_volatile(3 << 16);
        UART.add(DIV).write_volatile(16_000_000 / 115_200 - 1);
        UART.add(TXCTRL).write_volatile(1);
    }
    let _ = writeln!(Uart, "hello, FE310");
    // SAFETY: WFI wakes by it; interrupts stay masked, so no handler is needed.
    unsafe { mie::set_mtimer() };
    for _ in 0..2 {
        let from = now();
        // SAFETY: registers of the CLINT. The first hours have no carry into the upper word.
        unsafe {
            MTIMECMP.add(1).write_volatile(0);
            MTIMECMP.write_volatile(from + TICKS);
        }
        // The last interrupt may be pending still when the core comes to WFI.
        while now() - from < TICKS {
            riscv::asm::wfi();
        }
        let _ = writeln!(Uart, "slept for {} ticks", now() - from);
    }
    process::exit(0)
}

/// The crystal in place of the PLL, which is bypassed, and of the ring oscillator.
fn run_from_crystal() {
    const ENABLE: u32 = 1 << 30;
    const READY: u32 = 1 << 31;
    const BYPASS: u32 = 1 << 18;
    const FROM_CRYSTAL: u32 = 1 << 17;
    const FROM_PLL: u32 = 1 << 16;
    // SAFETY: registers of the clocks.
    unsafe {
        HFXOSCCFG.write_volatile(ENABLE);
        while HFXOSCCFG.read_volatile() & READY == 0 {}
        PLLCFG.write_volatile(PLLCFG.read_volatile() | BYPASS | FROM_CRYSTAL | FROM_PLL);
    }
}

fn now() -> u32 {
    // SAFETY: a register of the CLINT.
    unsafe { MTIME.read_volatile() }
}

/// A byte goes out when there is room for it.
struct Uart;

impl Write for Uart {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        const FULL: u32 = 1 << 31;
        for byte in text.bytes() {
            // SAFETY: a register of the UART.
            unsafe {
                while UART.add(TXDATA).read_volatile() & FULL != 0 {}
                UART.add(TXDATA).write_volatile(byte.into());
            }
        }
        Ok(())
    }
}
