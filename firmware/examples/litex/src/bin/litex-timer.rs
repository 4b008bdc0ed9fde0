//! The timer of a `LiteX` system interrupts every millisecond, through `VexRiscv`'s own mask of external interrupts.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

use riscv::interrupt::Interrupt;
use riscv::register::{mie, mstatus};
use riscv_rt::{core_interrupt, entry};
use semihosting::{println, process};

/// Its registers, a word each (`litex/soc/cores/timer.py`).
const TIMER: usize = 0xf000_1000;
const LOAD: usize = 0;
const RELOAD: usize = 1;
const ENABLE: usize = 2;
const EVENT_PENDING: usize = 6;
const EVENT_ENABLE: usize = 7;
/// The external interrupt that it is.
const LINE: u32 = 1;
/// Core clock cycles in a tick: 1 ms at 100 MHz.
const TICK: u32 = 100_000;

static TICKS: AtomicU32 = AtomicU32::new(0);

#[core_interrupt(Interrupt::MachineExternal)]
fn tick() {
    set(EVENT_PENDING, 1);
    TICKS.store(TICKS.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

#[entry]
fn main() -> ! {
    set(ENABLE, 0);
    set(LOAD, TICK);
    set(RELOAD, TICK - 1);
    set(ENABLE, 1);
    set(EVENT_PENDING, 1);
    set(EVENT_ENABLE, 1);
    // SAFETY: the handler above is in place, and touches nothing but the timer and its counter.
    unsafe {
        core::arch::asm!("csrw 0xbc0, {}", in(reg) 1 << LINE);
        mie::set_mext();
        mstatus::set_mie();
    }
    for ms in 1..=3 {
        while TICKS.load(Ordering::Relaxed) < ms {}
        println!("{ms} ms");
    }
    process::exit(0)
}

fn set(register: usize, value: u32) {
    // SAFETY: a register of the timer.
    unsafe { (TIMER as *mut u32).add(register).write_volatile(value) }
}
