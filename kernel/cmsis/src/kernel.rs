//! The kernel: its state, its time, and the way from one thread to another.

use core::cell::Cell;
use core::ffi::c_char;

use mainspring_core::threads::{LENT, Outcome, Set, behind, bit, top};

use crate::port::{
    self, NOBODY, THREADS, ask_from_limbo, began_in_interrupt, can_leave_by_itself, can_switch, in_interrupt,
    leave, leave_at_last, pend, release, scheduler, section, section_of_thread, switch_by_exception,
};
use crate::tcb::{self, Tcb};
use crate::types::{ERROR, FOREVER, ISR, OK, PARAMETER, RESOURCE, Status, TIMEOUT, Version};

/// Ticks in a second.
const TICKS: u32 = 1000;

unsafe extern "C" {
    /// The core's clock, as CMSIS has it.
    static SystemCoreClock: u32;
}

/// States, by Arm's numbers.
const INACTIVE: i32 = 0;
const READY: i32 = 1;
const RUNNING: i32 = 2;
const LOCKED: i32 = 3;
const SUSPENDED: i32 = 4;

struct State {
    now: Cell<i32>,
    /// A switch was wanted while the kernel was locked.
    is_late: Cell<bool>,
}

// SAFETY: used with interrupts held back.
unsafe impl Sync for State {}

static STATE: State = State {
    now: Cell::new(INACTIVE),
    is_late: Cell::new(false),
};

/// Whether threads run.
pub(crate) fn is_running() -> bool {
    STATE.now.get() >= RUNNING
}

/// Runs `f` in the kernel's section, unless this is an interrupt.
pub(crate) fn in_thread(f: impl FnOnce() -> Status) -> Status {
    section_of_thread(f).unwrap_or(ISR)
}

/// Switches to the thread that should run. In the kernel's section; comes back when this thread should run again.
pub(crate) fn reschedule() {
    let kernel = scheduler();
    if !is_running() {
        return;
    }
    if STATE.now.get() != RUNNING {
        STATE.is_late.set(true);
        return;
    }
    let running = kernel.running.get() as usize;
    if began_in_interrupt() {
        return pend(kernel);
    }
    kernel.keep_turn(running);
    switch_to(kernel.select());
}

/// Goes on with `next`. In the kernel's section of a thread; comes back when that one should run.
#[inline(always)]
fn switch_to(next: usize) {
    let kernel = scheduler();
    let running = kernel.running.get() as usize;
    if next == running {
        return;
    }
    let stack = kernel.slots[next].stack.get();
    // SAFETY: interrupts are held back; the slots are those of the two threads.
    unsafe {
        if can_switch(stack) {
            kernel.switch_to(next);
            leave(kernel.slots[running].stack.as_ptr(), stack);
        } else {
            leave_to_exception();
        }
    }
}

/// Goes on with the one whose turn it is, by the exception: it was pre-empted, or the running thread has floating-point registers.
#[cold]
#[inline(never)]
fn leave_to_exception() {
    let kernel = scheduler();
    let own = &kernel.slots[kernel.running.get() as usize].stack;
    // SAFETY: a thread, with interrupts held back, whose slot this is.
    unsafe {
        if can_leave_by_itself() {
            kernel.switch_to(NOBODY);
            leave(own.as_ptr(), ask_from_limbo());
        } else {
            switch_by_exception();
        }
    }
}

/// The running thread waits, in `set` if there is one, for at most that many ticks. Returns how it ended. In the kernel's section.
pub(crate) fn wait(set: Option<&'static Set>, timeout: u32) -> Status {
    let kernel = scheduler();
    let own = tcb::running();
    let rank = own.rank.get();
    kernel.give_turn(rank);
    kernel.wait(rank, set);
    if timeout != FOREVER {
        kernel.end_after(rank, set, timeout);
    }
    sleep(own, set, timeout)
}

/// The running thread does not contend any more, and waits in `set`.
pub(crate) fn sleep(own: &'static Tcb, set: Option<&'static Set>, timeout: u32) -> Status {
    let kernel = scheduler();
    own.within.set(set);
    own.result.set(OK);
    own.is_waiting.set(true);
    switch_to(kernel.select());
    own.is_waiting.set(false);
    own.within.set(None);
    if timeout != FOREVER && own.result.get() == OK && kernel.outcome(own.rank.get()) == Outcome::TimedOut {
        return TIMEOUT;
    }
    own.result.get()
}

/// Whether the running thread may wait: not in an interrupt or with interrupts held back, with threads running, and the kernel not locked.
pub(crate) fn may_wait(timeout: u32) -> Result<(), Status> {
    match (timeout, began_in_interrupt()) {
        (0, _) => Err(RESOURCE),
        (_, true) => Err(PARAMETER),
        _ if STATE.now.get() == RUNNING => Ok(()),
        _ => Err(ERROR),
    }
}

/// Everyone in `set` goes on with an error.
pub(crate) fn give_up_all(set: &'static Set) {
    while !set.is_empty() {
        let rank = top(set.members());
        tcb::at(rank).result.set(RESOURCE);
        scheduler().withdraw(rank, Some(set));
    }
}

/// `osKernelInitialize`
#[unsafe(no_mangle)]
pub extern "C" fn osKernelInitialize() -> Status {
    in_thread(|| match STATE.now.get() {
        INACTIVE => {
            let kernel = scheduler();
            // Only the idle thread exists yet.
            (0..THREADS - 1).for_each(|rank| kernel.finish(rank));
            tcb::initialize();
            STATE.now.set(READY);
            OK
        }
        READY => OK,
        _ => ERROR,
    })
}

/// `osKernelGetInfo`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn osKernelGetInfo(version: *mut Version, text: *mut c_char, size: u32) -> Status {
    const TEXT: &[u8] = concat!("Mainspring ", env!("CARGO_PKG_VERSION")).as_bytes();
    // SAFETY: places of the caller's, or null.
    unsafe {
        if let Some(version) = version.as_mut() {
            *version = Version {
                api: 20_010_003,
                kernel: 1_000,
            };
        }
        if !text.is_null() && size > 0 {
            let length = TEXT.len().min(size as usize - 1);
            text.cast::<u8>().copy_from_nonoverlapping(TEXT.as_ptr(), length);
            text.cast::<u8>().add(length).write(0);
        }
    }
    OK
}

/// `osKernelGetState`
#[unsafe(no_mangle)]
pub extern "C" fn osKernelGetState() -> i32 {
    STATE.now.get()
}

/// `osKernelStart`
#[unsafe(no_mangle)]
pub extern "C" fn osKernelStart() -> Status {
    if in_interrupt() {
        return ISR;
    }
    if STATE.now.get() != READY {
        return ERROR;
    }
    port::hold();
    STATE.now.set(RUNNING);
    // SAFETY: interrupts are held back; the idle thread's stack is its own. The clock is a number of the program's.
    unsafe { port::start(port::idle_stack(), SystemCoreClock / TICKS, idle) }
}

extern "C" fn idle() -> ! {
    loop {
        mainspring::wait();
    }
}

/// Sets the state, and says whether the kernel was locked.
fn set_locked(locked: bool) -> i32 {
    section(|| {
        let was = STATE.now.get();
        match (was, locked) {
            (RUNNING, true) => STATE.now.set(LOCKED),
            (LOCKED, false) => {
                STATE.now.set(RUNNING);
                if STATE.is_late.replace(false) {
                    reschedule();
                }
            }
            (RUNNING | LOCKED, _) => {}
            _ => return ERROR,
        }
        i32::from(was == LOCKED)
    })
}

/// `osKernelLock`
#[unsafe(no_mangle)]
pub extern "C" fn osKernelLock() -> i32 {
    if in_interrupt() { ISR } else { set_locked(true) }
}

/// `osKernelUnlock`
#[unsafe(no_mangle)]
pub extern "C" fn osKernelUnlock() -> i32 {
    if in_interrupt() { ISR } else { set_locked(false) }
}

/// `osKernelRestoreLock`
#[unsafe(no_mangle)]
pub extern "C" fn osKernelRestoreLock(lock: i32) -> i32 {
    match lock {
        _ if in_interrupt() => ISR,
        0 | 1 => {
            let was = set_locked(lock == 1);
            if was < 0 { was } else { lock }
        }
        _ => ERROR,
    }
}

/// `osKernelSuspend`
#[unsafe(no_mangle)]
pub extern "C" fn osKernelSuspend() -> u32 {
    if in_interrupt() {
        return 0;
    }
    section(|| {
        if STATE.now.get() != RUNNING {
            return 0;
        }
        STATE.now.set(SUSPENDED);
        scheduler().idle_ticks().unwrap_or(FOREVER)
    })
}

/// `osKernelResume`
#[unsafe(no_mangle)]
pub extern "C" fn osKernelResume(ticks: u32) {
    if in_interrupt() {
        return;
    }
    section(|| {
        if STATE.now.get() == SUSPENDED {
            STATE.now.set(RUNNING);
            scheduler().pass(scheduler().now.get().wrapping_add(ticks));
            STATE.is_late.set(false);
            reschedule();
        }
    });
}

/// `osKernelGetTickCount`
#[unsafe(no_mangle)]
pub extern "C" fn osKernelGetTickCount() -> u32 {
    section(|| scheduler().now.get())
}

/// `osKernelGetTickFreq`
#[unsafe(no_mangle)]
pub extern "C" fn osKernelGetTickFreq() -> u32 {
    TICKS
}

/// SysTick's present value, and whether it has come round (ARMv7-M ARM B3.3).
fn systick() -> (u32, bool) {
    const SYST_CVR: usize = 0xe000_e018;
    const ICSR: usize = 0xe000_ed04;
    const PENDSTSET: u32 = 1 << 26;
    // SAFETY: registers of every Cortex-M; reading these has no effect.
    unsafe {
        let read = |register| core::ptr::with_exposed_provenance::<u32>(register).read_volatile();
        let before = read(SYST_CVR);
        let came_round = read(ICSR) & PENDSTSET != 0;
        (if came_round { read(SYST_CVR) } else { before }, came_round)
    }
}

/// `osKernelGetSysTimerCount`
#[unsafe(no_mangle)]
pub extern "C" fn osKernelGetSysTimerCount() -> u32 {
    section(|| {
        // SAFETY: a number of the program's.
        let period = unsafe { SystemCoreClock } / TICKS;
        let (left, came_round) = systick();
        let ticks = scheduler().now.get().wrapping_add(u32::from(came_round));
        ticks
            .wrapping_mul(period)
            .wrapping_add(period.wrapping_sub(1).wrapping_sub(left))
    })
}

/// `osKernelGetSysTimerFreq`
#[unsafe(no_mangle)]
pub extern "C" fn osKernelGetSysTimerFreq() -> u32 {
    // SAFETY: a number of the program's.
    unsafe { SystemCoreClock }
}

/// The tick.
///
/// # Panics
/// If the stack of the thread that runs has overflowed.
#[unsafe(no_mangle)]
pub extern "C" fn SysTick() {
    section(|| {
        let kernel = scheduler();
        // While it is suspended, the code that suspended it counts the time.
        if STATE.now.get() == SUSPENDED || !is_running() {
            return;
        }
        let ended = kernel.tick().is_some();
        if kernel.end_turn() || ended {
            reschedule();
        }
        let running = kernel.running.get() as usize;
        if !tcb::is_whole(running) {
            overflowed(running);
        }
    });
}

#[cold]
#[inline(never)]
fn overflowed(rank: usize) -> ! {
    panic!("the stack of thread `{}` has overflowed", tcb::at(rank).name())
}

/// `osDelay`
#[unsafe(no_mangle)]
pub extern "C" fn osDelay(ticks: u32) -> Status {
    in_thread(|| match may_wait(ticks) {
        Ok(()) => delay(ticks),
        Err(RESOURCE) => OK,
        Err(status) => status,
    })
}

/// The running thread waits for that many ticks.
fn delay(ticks: u32) -> Status {
    match wait(None, ticks) {
        TIMEOUT => OK,
        other => other,
    }
}

/// `osDelayUntil`
#[unsafe(no_mangle)]
pub extern "C" fn osDelayUntil(ticks: u32) -> Status {
    in_thread(|| {
        let left = ticks.wrapping_sub(scheduler().now.get());
        if left == 0 || left > FOREVER / 2 {
            return PARAMETER;
        }
        may_wait(left).map_or_else(|status| status, |()| delay(left))
    })
}

/// Yields: an equal runs, if one is ready. The whole of it: interrupts are let through again at the end of this alone, so that a switch is
/// the last thing that the function does.
///
/// # Safety
///
/// By a thread, in a section that has begun, which this ends.
#[inline(always)]
pub(crate) unsafe fn pass() -> Status {
    let kernel = scheduler();
    let (running, contending) = (kernel.running.get() as usize, kernel.contending.get());
    let others = kernel.equals_of(running) & contending & !bit(running);
    // A thread runs, and the kernel is not locked.
    let may_pass = may_pass();
    if others == 0 || !may_pass {
        // SAFETY: the caller's promise.
        unsafe { release(0) };
        return if may_pass { OK } else { ERROR };
    }
    // First those after it in the circle, then those before it. None is more urgent, or it would be running.
    let behind = others & behind(bit(running));
    let next = top(if behind != 0 { behind } else { others });
    let stack = kernel.slots[next].stack.get();
    if contending & LENT != 0 || !can_switch(stack) {
        return pass_otherwise(running);
    }
    kernel.switch_to(next);
    // SAFETY: interrupts are held back; the slots are those of the two threads.
    unsafe { leave_at_last(kernel.slots[running].stack.as_ptr(), stack) }
}

/// Whether this is a thread that may give way: with threads running, and the kernel not locked.
pub(crate) fn may_pass() -> bool {
    STATE.now.get() == RUNNING
}

/// As [`pass`], while a thread lends its priority, or where the next one was pre-empted. The exception has to end the turn of the running
/// thread: a thread that is stopped where it is would keep it.
#[cold]
#[inline(never)]
fn pass_otherwise(running: usize) -> Status {
    let kernel = scheduler();
    let next = kernel.pass_turn(running);
    if !can_leave_by_itself() {
        kernel.end_turn();
    }
    switch_to(next);
    // SAFETY: as in `pass`.
    unsafe { release(0) };
    OK
}
