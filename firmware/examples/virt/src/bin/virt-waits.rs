//! Threads that wait for what another thread alone can give, on RV32: one case of `waits/cases.rs` of the scenarios with threads, whose number
//! the test writes into the program.

#![no_std]
#![no_main]

use mainspring::{Init, Main, Run};
use riscv_rt as _;
use virt::{PASSED, finish};

/// QEMU's virt, as far as this program uses it.
struct Virt;

/// Interrupts, by their bits in `mie`.
#[repr(u16)]
enum Interrupt {
    Supervisor = 1,
    Timer = 7,
}

// SAFETY: the architecture's bits, which this core has; nothing else writes `mie` or `mtvec`; one core.
unsafe impl mainspring::Device for Virt {
    const PRIORITY_BITS: u8 = 3;
    type Interrupt = Interrupt;
}

mainspring::app! {
    struct Scenario;
    device = Virt;
    tasks {
        Tick = Tick, on Timer, priority 1;
    }
    threads (switch Supervisor, ticked Tick) {
        Serves = Serves, priority 4, stack 2048;
        First = First, priority 3, stack 2048;
        Second = Second, priority 2, stack 2048;
        Last = Last, priority 1, stack 2048;
    }
}

include!("../../../../scenarios/threads/mainspring/src/waits.rs");

struct Tick;
impl Run for Tick {
    fn run(&mut self, mut cx: Context<Self>, (): Handles<Self>) {
        wake_in(100);
        cx.tick();
    }
}

/// The CLINT's time and, for hart 0, when it interrupts.
fn wake_in(steps: u32) {
    const MTIME: *const u32 = 0x0200_bff8 as *const u32;
    const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;
    // SAFETY: registers of the CLINT. The first second has no carry into the upper word.
    unsafe {
        MTIMECMP.add(1).write_volatile(0);
        MTIMECMP.write_volatile(MTIME.read_volatile() + steps);
    }
}

fn exit() -> ! {
    finish(PASSED)
}

fn fail() -> ! {
    finish(1 << 16 | 0x3333)
}

impl Main for Scenario {
    fn init(_: Init<Self>) {
        wake_in(100);
    }
}
