//! Mainspring with guards below its stacks: interrupts come and go as ever, until a thread's stack overflows.

#![no_std]
#![no_main]

use core::fmt::Write;
use core::hint::black_box;

use mainspring::threads::Thread;
use mainspring::{Context, Handles, Init, Main, Read, Run, Write as Writes};
use riscv_rt as _;
use virt::{PASSED, Uart, finish};

/// QEMU's virt, as far as this program uses it.
struct Virt;

/// Interrupts, by their bits in `mie`.
#[repr(u16)]
enum Interrupt {
    Supervisor = 1,
    Soft = 3,
    Timer = 7,
}

// SAFETY: the architecture's bits, which this core has; nothing else writes `mie` or `mtvec`; one core.
unsafe impl mainspring::Device for Virt {
    const PRIORITY_BITS: u8 = 3;
    type Interrupt = Interrupt;
}

mainspring::app! {
    struct Guarded;
    device = Virt;
    guard = __estack;
    resources {
        Ticks: u32 = 0;
    }
    tasks {
        Tick = Tick, on Timer, priority 2, uses Writes<Ticks>;
        Asked = Asked, on Soft, priority 1, uses Writes<Ticks>;
    }
    threads (switch Supervisor) {
        Deep = Deep, priority 1, stack 1024, uses Read<Ticks>;
        Other = Other, priority 2, stack 1024;
    }
}

struct Tick;
impl Run for Tick {
    fn run(&mut self, cx: Context<Self>, mut ticks: Handles<Self>) {
        *cx.get(&mut ticks) += 1;
        wake_in(100);
    }
}

struct Asked;
impl Run for Asked {
    fn run(&mut self, mut cx: Context<Self>, mut ticks: Handles<Self>) {
        cx.lock(&mut ticks, |ticks, _| *ticks += 1000);
    }
}

struct Other;
impl Thread for Other {
    fn run(&mut self, _: Context<Self>, (): Handles<Self>) {}
}

struct Deep;
impl Thread for Deep {
    fn run(&mut self, mut cx: Context<Self>, ticks: Handles<Self>) {
        cx.pend::<Asked>();
        while cx.lock(&ticks, |ticks, _| *ticks) < 1003 {
            cx.restart::<Other>();
        }
        let _ = writeln!(Uart, "three ticks, unused: {}", cx.unused_stack() > 100);
        black_box(deeper(black_box(0)));
        finish(PASSED)
    }
}

#[inline(never)]
fn deeper(depth: u32) -> u32 {
    if depth > 10_000 {
        finish(PASSED)
    }
    let below = black_box(deeper(black_box(depth + 1)));
    below.wrapping_mul(depth)
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

impl Main for Guarded {
    fn init(_: Init<Self>) {
        wake_in(100);
    }
}
