//! The core: what `mainspring::threads::dynamic` has, and what stands in for it on the host, where nothing of this runs.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use mainspring::threads::{Kernel, Slot, Stack, Stacked};
use mainspring::{App, Device, Idle, Named};
use mainspring_core::threads::Scheduler;

/// Threads, and the idle one.
pub(crate) const THREADS: usize = 16;

/// The rank after theirs: no thread runs, while the exception that continues one is pending.
pub(crate) const NOBODY: usize = THREADS;

/// The application that the kernel's state belongs to. It has no table.
pub(crate) struct Rtos;

pub(crate) struct Chip;

// SAFETY: no task is bound to an interrupt, so none is named; every core has two priority bits.
unsafe impl Device for Chip {
    const PRIORITY_BITS: u8 = 2;
    type Interrupt = ();
}

// SAFETY: one name.
unsafe impl Named for Rtos {
    const NAME: &'static str = "Rtos";
}

// SAFETY: there are no tasks.
unsafe impl App for Rtos {
    type Device = Chip;
    type Tasks = ();
    type Late = ();
    type IdleUses = ();
    type Threads = ();
    const KERNEL: &'static Kernel = &KERNEL;
    const IDLE_STACK: &'static dyn Stacked<Idle<Self>> = {
        static STACK: Stack<Idle<Rtos>, 256> = Stack::new();
        &STACK
    };
}

static KERNEL: Kernel<[Slot; THREADS + 1]> = Kernel::with_nobody::<Rtos>();

#[cfg(target_os = "none")]
const _: () = {
    mainspring::__switch!(unsafe Rtos KERNEL);
};

// Arm's names of the vectors.
#[cfg(target_os = "none")]
core::arch::global_asm!(
    ".global PendSV_Handler",
    ".thumb_set PendSV_Handler, PendSV",
    ".global SysTick_Handler",
    ".thumb_set SysTick_Handler, SysTick",
);

/// The scheduler. To be used with interrupts held back.
#[inline(always)]
pub(crate) fn scheduler() -> &'static Scheduler {
    // SAFETY: the application is this crate's, and its users hold interrupts back.
    unsafe { Rtos::KERNEL.scheduler() }
}

#[cfg(target_os = "none")]
pub(crate) use mainspring::threads::dynamic::{
    ask_from_limbo, can_leave_by_itself, can_switch, first_frame, hold, leave, leave_at_last, other_masks,
    pend, release, start, switch_by_exception,
};

/// The stack pointer of the thread that an exception stopped: below what the hardware saved there.
#[cfg(target_os = "none")]
#[inline(always)]
pub(crate) fn stack_of_thread() -> usize {
    let stack;
    // SAFETY: reading the stack pointer has no effect.
    unsafe { core::arch::asm!("mrs {}, PSP", out(reg) stack, options(nomem, nostack, preserves_flags)) };
    stack
}

/// The exception that is served; 0 in a thread.
#[cfg(target_os = "none")]
#[inline(always)]
pub(crate) fn exception() -> u32 {
    let number: u32;
    // SAFETY: reading IPSR has no effect.
    unsafe { core::arch::asm!("mrs {}, IPSR", out(reg) number, options(nomem, nostack, preserves_flags)) };
    number // The other bits read as 0 (ARMv7-M ARM B5.2.2).
}

/// Other than 0 if PRIMASK holds interrupts back, by the program's doing.
#[cfg(target_os = "none")]
#[inline(always)]
fn held_back() -> u32 {
    let mask: u32;
    // SAFETY: reading PRIMASK has no effect.
    unsafe { core::arch::asm!("mrs {}, PRIMASK", out(reg) mask, options(nomem, nostack, preserves_flags)) };
    mask
}

#[cfg(not(target_os = "none"))]
pub(crate) use host::*;

/// The host has no switch. This lets the crate be checked there.
#[cfg(not(target_os = "none"))]
mod host {
    pub(crate) fn stack_of_thread() -> usize {
        usize::MAX
    }

    pub(crate) fn can_switch(_stack: usize) -> bool {
        false
    }

    pub(crate) fn can_leave_by_itself() -> bool {
        false
    }

    pub(crate) unsafe fn ask_from_limbo() -> usize {
        0
    }

    pub(crate) unsafe fn first_frame(end: *mut u64, _entry: extern "C" fn() -> !) -> usize {
        end.addr()
    }

    pub(crate) fn hold() -> u32 {
        0
    }

    pub(crate) unsafe fn release(_before: u32) {}

    pub(crate) unsafe extern "C" fn leave(_place: *mut usize, _stack: usize) {}

    pub(crate) unsafe extern "C" fn leave_at_last(_place: *mut usize, _stack: usize) -> i32 {
        0
    }

    pub(crate) fn pend(_kernel: &mainspring_core::threads::Scheduler) {}

    pub(crate) unsafe fn start(_stack: *mut u64, _period: u32, _idle: extern "C" fn() -> !) -> ! {
        panic!("threads run on a chip, or in the simulator of one")
    }

    pub(crate) unsafe fn switch_by_exception() {}

    pub(crate) fn exception() -> u32 {
        0
    }

    pub(crate) fn held_back() -> u32 {
        0
    }

    pub(crate) fn other_masks() -> u32 {
        0
    }
}

/// The value of PRIMASK when the present section began. It is used only in sections, and a thread that leaves one for another thread had 0
/// there, so one place is enough for all of them.
static BEFORE: AtomicU32 = AtomicU32::new(0);

/// With every interrupt held back.
#[inline(always)]
pub(crate) fn section<O>(f: impl FnOnce() -> O) -> O {
    let before = hold();
    BEFORE.store(before, Relaxed);
    let out = f();
    // SAFETY: this is what `hold` found.
    unsafe { release(before) };
    out
}

/// Runs `f` with every interrupt held back, unless no other thread may run here: see [`in_interrupt`].
#[inline(always)]
pub(crate) fn section_of_thread<O>(f: impl FnOnce() -> O) -> Option<O> {
    begin_section().then(|| {
        BEFORE.store(0, Relaxed);
        let out = f();
        // SAFETY: this is what the beginning found.
        unsafe { release(0) };
        out
    })
}

/// Holds every interrupt back, unless no other thread may run here: see [`in_interrupt`]. Whether it did.
#[inline(always)]
pub(crate) fn begin_section() -> bool {
    let before = hold();
    let is_thread = exception() | before | other_masks() == 0;
    if !is_thread {
        core::hint::cold_path();
        // SAFETY: this is what `hold` found.
        unsafe { release(before) };
    }
    is_thread
}

/// Whether no other thread may run here and now: this is an interrupt's handler, or the program holds interrupts back, by PRIMASK,
/// FAULTMASK or BASEPRI, the exception that switches always among them. Arm's text has one word for both. Outside of sections.
#[inline(always)]
pub(crate) fn in_interrupt() -> bool {
    exception() | held_back() | other_masks() != 0
}

/// The same inside of a section, of the place where it began.
#[inline(always)]
pub(crate) fn began_in_interrupt() -> bool {
    exception() | BEFORE.load(Relaxed) | other_masks() != 0
}

/// Where the idle thread's stack ends.
pub(crate) fn idle_stack() -> *mut u64 {
    let (lowest, bytes) = Rtos::IDLE_STACK.memory();
    lowest.wrapping_byte_add(bytes)
}
