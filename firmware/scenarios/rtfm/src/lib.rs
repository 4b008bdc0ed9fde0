//! The part of RTFM 0.1 that runs before and around its tasks.
//!
//! In RTFM a task *is* an interrupt handler: the framework gives each its priority, enables it, and is gone. What
//! the study measured happens inside the tasks, whose machine code each program of this package states exactly as
//! the study printed it; a difference of one encoding or of one halfword of alignment could change a figure.
//!
//! The tasks are `t1` and `t2`, on the external interrupts 6 and 7 (`EXTI0` and `EXTI1` of the STM32F100).

#![no_std]

use rt::Irq;

/// Interrupt of the task `t1` (`EXTI0`).
const T1: Irq = Irq(6);
/// Interrupt of the task `t2` (`EXTI1`).
const T2: Irq = Irq(7);
/// Priority bits that an STM32F1 implements.
const PRIORITY_BITS: u8 = 4;

/// Runs `t1` once at priority 1 and ends the program.
pub fn run_t1() -> ! {
    rt::enable(T1, hardware_priority(1));
    rt::pend(T1);
    rt::exit()
}

/// Runs `t1` once at priority 1, which asks for `t2` at priority `t2_priority`, and ends the program.
pub fn run_t1_t2(t2_priority: u8) -> ! {
    rt::enable(T2, hardware_priority(t2_priority));
    run_t1()
}

/// Starts the cycle counter, for the one program that reads it.
pub fn enable_cycle_counter() {
    // SAFETY: no task has started, so nothing else touches the debug peripherals.
    let mut core = unsafe { cortex_m::Peripherals::steal() };
    core.DCB.enable_trace();
    core.DWT.enable_cycle_counter();
}

/// Where the tasks that borrow a `RefCell` go when it is already borrowed; with one task it never is.
#[unsafe(no_mangle)] // SAFETY: no other function of this name is linked into these programs.
extern "C" fn already_borrowed() -> ! {
    panic!("already borrowed")
}

/// RTFM counts priorities upwards from 1 (least urgent); the hardware counts downwards, in the upper bits.
const fn hardware_priority(logical: u8) -> u8 {
    ((1 << PRIORITY_BITS) - logical) << (8 - PRIORITY_BITS)
}
