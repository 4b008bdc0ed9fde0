//! Guards below stacks: locked entries of the PMP, which hold in machine mode too, and what the trap makes of them.
//!
//! Where a stack has no room left, a trap has none either. So in an application with guards a trap writes nothing before it knows
//! that it is no exception, and exceptions are looked at on a stack of their own; those that are no guard's go on to `_start_trap`
//! with all registers as they were.

use core::arch::{asm, naked_asm};
use core::cell::UnsafeCell;
use core::sync::atomic::AtomicUsize;

use super::bits::bit;
use super::csr;
use crate::guard;
use crate::model::{App, PlanOf};
use crate::threads::state::{self, slot};

/// Where the handlers' stack is when nothing is on it: what `mscratch` holds while a thread runs.
pub(super) static HANDLERS: AtomicUsize = AtomicUsize::new(0);

/// Bytes for looking at an exception.
const EMERGENCY_BYTES: usize = 512;

/// Registers at its beginning, a stack at its end.
#[repr(C, align(16))]
pub(super) struct Emergency(UnsafeCell<[u8; EMERGENCY_BYTES]>);

// SAFETY: exceptions alone use it, with interrupts held back; one core.
unsafe impl Sync for Emergency {}

pub(super) static EMERGENCY: Emergency = Emergency(UnsafeCell::new([0; EMERGENCY_BYTES]));

/// Locked, NAPOT, no rights.
const NOBODY: usize = 1 << 7 | 3 << 3;
const _: () = assert!(guard::BYTES == 32);

/// One instruction on `pmpaddr$number`, or on the `pmpcfg` that it is in.
macro_rules! on_entry {
    ($number:expr, $address:literal, $configuration:literal, $($operand:tt)*) => {
        on_entry!(@ $number, $address, $configuration, [$($operand)*] 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $number:expr, $address:literal, $configuration:literal, $operands:tt $($entry:literal)*) => {
        match $number {
            $($entry => on_entry!(! $entry $address $configuration $operands),)*
            _ => return false,
        }
    };
    (! $entry:literal $address:literal $configuration:literal [$($operand:tt)*]) => {
        // SAFETY: the caller says why.
        unsafe {
            asm!(
                $address, $configuration, $($operand)*
                address = const 0x3b0 + $entry, configuration = const 0x3a0 + $entry / 4,
                options(nostack, preserves_flags)
            );
        }
    };
}

/// Makes the guard at `place` inaccessible. Returns whether there is an entry for it that does so: `VexRiscv` has other regions than
/// the manual, and its registers do not tell.
///
/// # Safety
///
/// No code needs that memory. Interrupts are held back, and the stack that it guards follows the guard.
pub(crate) unsafe fn put_guard(number: usize, place: usize) -> bool {
    // An address of words whose lowest bits say how long it is: 2 ^ (2 + 3) bytes.
    let (address, shift) = (place >> 2 | 3, number % 4 * 8);
    on_entry!(number, "csrw {address}, {0}", "csrs {configuration}, {1}", in(reg) address, in(reg) NOBODY << shift,);
    let (is, configuration): (usize, usize);
    on_entry!(number, "csrr {0}, {address}", "csrr {1}, {configuration}", out(reg) is, out(reg) configuration,);
    // SAFETY: these are words of memory, and the rest is the caller's promise.
    let refuses = |place| unsafe { is_refused(place) } != 0;
    is == address
        && configuration >> shift & 0xff == NOBODY
        && refuses(place)
        && refuses(place + guard::BYTES - 4)
        && !refuses(place + guard::BYTES)
}

/// Whether a load of the word at `place` traps, which meanwhile leads to the end of this function: 1, or 0. Ibex wants it aligned.
///
/// # Safety
///
/// The place is memory's, and interrupts are held back.
#[unsafe(naked)]
unsafe extern "C" fn is_refused(place: usize) -> usize {
    naked_asm!(
        "lla t0, 1f",
        "csrr t1, mstatus",
        "csrrw t0, mtvec, t0",
        "lw a1, 0(a0)",
        "li a0, 0",
        "j 2f",
        ".balign 256",
        "1: li a0, 1",
        "2: csrw mtvec, t0",
        "csrw mstatus, t1",
        "ret",
    )
}

/// Whether an exception is a guard's.
unsafe extern "C" fn is_guards<A: App>(cause: usize, address: usize, in_thread: usize) -> bool {
    /// Load access fault and store access fault (Privileged ISA, `mcause`).
    const LOAD: usize = 5;
    const STORE: usize = 7;
    let place = if in_thread == 0 {
        guard::tasks::<A>()
    } else {
        slot::<A>(state::of::<A>().running.get() as usize).guard.get()
    };
    matches!(cause, LOAD | STORE) && guard::is_within(address, place)
}

/// Says whose stack has overflowed.
unsafe extern "C" fn report<A: App>(in_thread: usize) -> ! {
    if in_thread == 0 {
        guard::tasks_overflowed(who::<A>());
    }
    state::overflowed::<A>(state::of::<A>().running.get() as usize)
}

/// The most urgent task whose bit is cleared: the one that runs, unless it is in a section that holds others back.
fn who<A: App>() -> Option<&'static str> {
    let plan = &PlanOf::<A>::PLAN;
    let (mask, mut who, mut priority) = (csr::mask::<A>(), None, 0);
    for task in plan.tasks {
        let Some(vector) = task.vector else { continue };
        if task.priority > priority && mask & bit::<A>(vector) == 0 {
            (who, priority) = (Some(task.name), task.priority);
        }
    }
    who.or(plan.threads.is_empty().then_some("idle"))
}

/// An exception: `t0` is where [`EMERGENCY`] is, `t1` has been saved after its first word and says whether a thread ran, and
/// `mscratch` has what was in `t0`.
#[unsafe(naked)]
pub(super) unsafe extern "C" fn look<A: App>() {
    naked_asm!(
        "sw t1, 0(t0)",
        "sw sp, 8(t0)",
        "sw ra, 12(t0)",
        "sw t2, 16(t0)",
        "sw a0, 20(t0)",
        "sw a1, 24(t0)",
        "sw a2, 28(t0)",
        "sw a3, 32(t0)",
        "sw a4, 36(t0)",
        "sw a5, 40(t0)",
        "sw a6, 44(t0)",
        "sw a7, 48(t0)",
        "sw t3, 52(t0)",
        "sw t4, 56(t0)",
        "sw t5, 60(t0)",
        "sw t6, 64(t0)",
        "mv a2, t1",
        "csrr t1, mscratch",
        "sw t1, 68(t0)",
        "csrr a0, mcause",
        "csrr a1, mtval",
        "addi sp, t0, {bytes}",
        "call {is_guards}",
        "lla t0, {emergency}",
        "lw t1, 0(t0)",
        "bnez a0, 2f",
        "beqz t1, 1f",
        "lla t1, {handlers}",
        "lw t1, 0(t1)",
        "1: csrw mscratch, t1",
        "lw t1, 4(t0)",
        "lw sp, 8(t0)",
        "lw ra, 12(t0)",
        "lw t2, 16(t0)",
        "lw a0, 20(t0)",
        "lw a1, 24(t0)",
        "lw a2, 28(t0)",
        "lw a3, 32(t0)",
        "lw a4, 36(t0)",
        "lw a5, 40(t0)",
        "lw a6, 44(t0)",
        "lw a7, 48(t0)",
        "lw t3, 52(t0)",
        "lw t4, 56(t0)",
        "lw t5, 60(t0)",
        "lw t6, 64(t0)",
        "lw t0, 68(t0)",
        "j _start_trap",
        // The stack of the handlers begins again: no code comes back to its contents.
        "2: mv a0, t1",
        "lla sp, {handlers}",
        "lw sp, 0(sp)",
        "j {report}",
        bytes = const EMERGENCY_BYTES,
        is_guards = sym is_guards::<A>,
        report = sym report::<A>,
        emergency = sym EMERGENCY,
        handlers = sym HANDLERS,
    )
}
