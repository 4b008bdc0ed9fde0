//! Says hello on the UART, sleeps for two ticks of the timer, and ends by the test finisher.

#![no_std]
#![no_main]

use core::fmt::Write;

use riscv::interrupt::Interrupt;
use riscv::register::{mie, mstatus};
use riscv_rt::{core_interrupt, entry};
use virt::{PASSED, Uart, finish};

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
    finish(PASSED)
}

/// The first second has no carry into the upper word.
fn wake_in(steps: u32) {
    // SAFETY: registers of the CLINT.
    unsafe {
        MTIMECMP.add(1).write_volatile(0);
        MTIMECMP.write_volatile(MTIME.read_volatile() + steps);
    }
}
