//! Shared by every firmware program in this workspace.
//!
//! `cortex-m-rt` provides the reset handler and the first sixteen vectors. This crate adds the external interrupts
//! (`IRQ0` … `IRQ15`, enough for every program here), and the few lines that a program needs to give one of them a
//! priority, let it through and ask for it. A program defines a handler by defining a function with the vector's
//! name; in assembly, `.thumb_set IRQ6, t1` after the function `t1` does that.

#![no_std]

use cortex_m::interrupt::InterruptNumber;
use cortex_m::peripheral::NVIC;
use cortex_m_rt as _;
use cortex_m_semihosting::debug;
use panic_semihosting as _;

/// Number of external interrupts that have a vector.
const VECTORS: usize = 16;

unsafe extern "C" {
    fn IRQ0();
    fn IRQ1();
    fn IRQ2();
    fn IRQ3();
    fn IRQ4();
    fn IRQ5();
    fn IRQ6();
    fn IRQ7();
    fn IRQ8();
    fn IRQ9();
    fn IRQ10();
    fn IRQ11();
    fn IRQ12();
    fn IRQ13();
    fn IRQ14();
    fn IRQ15();
}

/// The external part of the vector table; `cortex-m-rt` places it after the system exceptions.
// SAFETY: the section and the name are the contract of `cortex-m-rt`'s feature `device`; the table holds nothing
// but the addresses of functions that the linker resolves (to `DefaultHandler` at the least).
#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
#[used]
static __INTERRUPTS: [unsafe extern "C" fn(); VECTORS] = [
    IRQ0, IRQ1, IRQ2, IRQ3, IRQ4, IRQ5, IRQ6, IRQ7, IRQ8, IRQ9, IRQ10, IRQ11, IRQ12, IRQ13, IRQ14, IRQ15,
];

/// An external interrupt by its number, 0 to 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Irq(pub u16);

// SAFETY: the number names an implemented vector and never changes, which is what the trait asks for.
unsafe impl InterruptNumber for Irq {
    fn number(self) -> u16 {
        assert!(usize::from(self.0) < VECTORS, "no vector for this interrupt");
        self.0
    }
}

/// Gives `irq` the priority register value `priority` (0 is the most urgent; only the bits that the chip
/// implements, the upper ones, count) and lets it through.
pub fn enable(irq: Irq, priority: u8) {
    // SAFETY: programs here call this before any handler can run, so no critical section is there to be broken,
    // and nothing else owns the NVIC.
    unsafe {
        cortex_m::Peripherals::steal().NVIC.set_priority(irq, priority);
        NVIC::unmask(irq);
    }
}

/// Marks `irq` as pending: its handler runs at once if its priority allows it.
pub fn pend(irq: Irq) {
    NVIC::pend(irq);
}

/// Ends the program through semihosting; the host sees exit code 0.
pub fn exit() -> ! {
    loop {
        debug::exit(debug::EXIT_SUCCESS);
    }
}

/// Ends the program through semihosting as one that failed.
pub fn fail() -> ! {
    loop {
        debug::exit(debug::EXIT_FAILURE);
    }
}
