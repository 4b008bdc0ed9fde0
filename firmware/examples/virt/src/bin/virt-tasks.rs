//! Tasks behind a PLIC: locks, nested levels, a timer and a UART that interrupt inside of them. Ends well if nothing came where it was held
//! back, and nothing was lost: so it may be interrupted by sources 1, 2 and 10 in any cycle.

#![no_std]
#![no_main]

use mainspring::{Context, Handles, Idle, Init, Lines, Main, Plic, Run, Write};
use riscv_rt as _;
use virt::{PASSED, finish};

#[path = "../../../../scenarios/tasks/mainspring/src/sweep.rs"]
mod sweep;
use sweep::{Guarded, Tally, broken, verdict};

/// QEMU's virt, as far as this program uses it.
struct Virt;

/// Interrupts: numbers of the core, and behind 32 the PLIC's sources.
#[repr(u16)]
enum Interrupt {
    /// No line: software asks.
    Asked = 0,
    /// As above.
    AskedToo = 1,
    Timer = 7,
    First = 32 + 1,
    Second = 32 + 2,
    Uart = 32 + 10,
}

// SAFETY: the bits of the architecture, and the sources of this machine; nothing else here uses the PLIC, `mie` or `mtvec`.
unsafe impl mainspring::Device for Virt {
    const PRIORITY_BITS: u8 = 3;
    type Interrupt = Interrupt;
    const LINES: Lines = Lines::Plic(Plic {
        base: 0x0c00_0000,
        context: 0,
        priorities: 7,
    });
}

mainspring::app! {
    struct Tasks;
    device = Virt;
    resources {
        Outer: Guarded = Guarded::new();
        Inner: Guarded = Guarded::new();
        Ticks: Guarded = Guarded::new();
    }
    tasks {
        Low = Low, on Asked, priority 1, uses (Write<Outer>, Write<Inner>, Write<Ticks>);
        Mid = Mid, on First, priority 2, uses (Write<Outer>, Write<Inner>);
        Same = Same, on AskedToo, priority 2, uses Write<Outer>;
        Tick = Tick, on Timer, priority 3, uses Write<Ticks>;
        High = High, on Second, priority 4, uses Write<Inner>;
        Sent = Sent, on Uart, priority 5;
    }
    idle uses (Write<Outer>, Write<Inner>, Write<Ticks>);
}

static MID: Tally = Tally::new();
static SAME: Tally = Tally::new();
static TICK: Tally = Tally::new();
static HIGH: Tally = Tally::new();
static SENT: Tally = Tally::new();

struct Low;
struct Mid;
struct Same;
struct Tick;
struct High;
struct Sent;

const UART_ENABLES: *mut u8 = 0x1000_0001 as *mut u8;
const TRANSMITTER_IS_EMPTY: u8 = 2;
const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;

/// The UART interrupts from now on, until its task is done.
fn send() {
    // SAFETY: a register of the UART.
    unsafe { UART_ENABLES.write_volatile(TRANSMITTER_IS_EMPTY) }
    settle();
}

/// Until an interrupt has found its way.
#[inline(never)]
fn settle() {
    for _ in 0..16 {
        riscv::asm::nop();
    }
}

/// The timer interrupts at once, or not.
fn timer(comes: bool) {
    let upper = if comes { 0 } else { u32::MAX };
    // SAFETY: the register of the CLINT.
    unsafe {
        MTIMECMP.write_volatile(0);
        MTIMECMP.add(1).write_volatile(upper);
    }
    settle();
}

impl Run for Low {
    fn run(&mut self, mut cx: Context<Self>, (mut outer, mut inner, mut ticks): Handles<Self>) {
        cx.lock(&mut outer, |outer, cx| {
            outer.count();
            let sent = SENT.get();
            send();
            cx.lock(&mut inner, |inner, cx| {
                inner.work();
                // Held back until the outer section ends.
                cx.pend::<Same>();
                if SENT.get() == sent {
                    broken(); // It is more urgent than the sections.
                }
                inner.count();
            });
            outer.work();
            let before = TICK.get();
            cx.lock(&mut ticks, |ticks, _| {
                timer(true);
                ticks.work();
                if TICK.get() != before {
                    broken();
                }
            });
            // It has a ceiling of its own, above that of `outer`.
            if TICK.get() != before + 1 {
                broken();
            }
        });
        // Its line is there again.
        let before = TICK.get();
        timer(true);
        if TICK.get() != before + 1 {
            broken();
        }
        cx.disable::<Sent>();
        let sent = SENT.get();
        send();
        if SENT.get() != sent {
            broken();
        }
        cx.enable::<Sent>();
        if SENT.get() == sent {
            broken();
        }
        let sent = cx.atomic(|cx| {
            send();
            cx.pend::<Same>();
            SENT.get()
        });
        if SENT.get() == sent || SAME.get() != 2 {
            broken();
        }
    }
}

impl Run for Mid {
    fn run(&mut self, mut cx: Context<Self>, (mut outer, mut inner): Handles<Self>) {
        cx.get(&mut outer).work();
        cx.lock(&mut inner, |inner, _| inner.work());
        MID.add();
    }
}

impl Run for Same {
    fn run(&mut self, cx: Context<Self>, mut outer: Handles<Self>) {
        cx.get(&mut outer).work();
        SAME.add();
    }
}

impl Run for Tick {
    fn run(&mut self, cx: Context<Self>, mut ticks: Handles<Self>) {
        timer(false);
        cx.get(&mut ticks).work();
        TICK.add();
    }
}

impl Run for High {
    fn run(&mut self, cx: Context<Self>, mut inner: Handles<Self>) {
        cx.get(&mut inner).work();
        HIGH.add();
    }
}

impl Run for Sent {
    fn run(&mut self, cx: Context<Self>, (): Handles<Self>) {
        // SAFETY: a register of the UART.
        unsafe { UART_ENABLES.write_volatile(0) }
        SENT.add();
        // Whoever is less urgent waits for its turn.
        let before = MID.get();
        cx.pend::<Mid>();
        if MID.get() != before {
            broken();
        }
    }
}

impl Main for Tasks {
    fn init(_: Init<Self>) {
        timer(false);
    }

    fn idle(mut cx: Context<Idle<Self>>, (outer, inner, ticks): Handles<Idle<Self>>) -> ! {
        cx.pend::<Low>();
        cx.atomic(|cx| {
            let totals = [
                cx.get(&outer).total(),
                cx.get(&inner).total(),
                cx.get(&ticks).total(),
            ];
            let sums = totals
                == [
                    2 + SAME.get() + MID.get(),
                    2 + MID.get() + HIGH.get(),
                    1 + TICK.get(),
                ];
            verdict(sums && SAME.get() == 2 && TICK.get() == 2 && SENT.get() >= 3 && MID.get() > 0)
        })
    }
}

/// Ends the program well.
fn exit() -> ! {
    finish(PASSED)
}

/// Ends the program as one that failed.
fn fail() -> ! {
    finish(1 << 16 | 0x3333)
}
