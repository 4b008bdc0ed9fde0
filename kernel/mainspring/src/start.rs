//! The start of an application: what is checked while compiling, and the steps from the reset to the idle loop.

#![allow(unsafe_code)] // The first context, and what takes effect before anything runs.

use core::sync::atomic::Ordering::Relaxed;

use mainspring_core::{IDLE, Problem, Text};

use crate::arch;
use crate::context::{Context, Init};
use crate::device::Device;
use crate::guard;
use crate::model::{App, Idle, PlanOf, Tasks, Threads, slots};
use crate::stored::Initial;
use crate::threads::state::slot;
use crate::threads::{guard_idle, time};
use crate::uses::{Handles, handles};

/// The code of the application outside its tasks. You write this.
pub trait Main: App {
    /// Runs once, with interrupts off, before any task, and hands over the first values of whatever has none in the
    /// table, by the names of the rows: `Initials::<Self> { Port: uart, … }`; nothing, if there is none.
    fn init(cx: Init<Self>) -> Initials<Self>;

    /// Runs when no task does. It is less urgent than every task and never returns.
    fn idle(cx: Context<Idle<Self>>, shared: Handles<Idle<Self>>) -> ! {
        let _ = (cx, shared);
        loop {
            crate::wait();
        }
    }
}

/// The values that `init` returns: a struct with a field for each row without a value, named as the row is.
pub type Initials<A> = <<A as App>::Late as Initial>::Values;

/// Stops the compiler if something is wrong with the application, and says what. [`app!`](crate::app!) puts a constant
/// of it beside the table, so that the mistake is found even by `cargo check`.
///
/// # Panics
///
/// While compiling, with a message that says what is wrong and what to do about it.
pub const fn check<A: App>() {
    if let Some(problem) = problem::<A>() {
        let text = problem.text();
        panic!("{}", text.as_str());
    }
    if let Some(text) = arch::problem::<A>() {
        panic!("{}", text.as_str());
    }
    if let Some(text) = guard::problem::<A>() {
        panic!("{}", text.as_str());
    }
    if let Some(text) = time::problem::<A>() {
        panic!("{}", text.as_str());
    }
    if let Some(name) = A::TICKED
        && PlanOf::<A>::PLAN.priority_of(name) == IDLE
    {
        let text = Text::of("`threads (ticked ")
            .name(name)
            .and(")` names no task of the table: it is the one that calls `cx.tick()`");
        panic!("{}", text.as_str());
    }
}

const fn problem<A: App>() -> Option<Problem> {
    PlanOf::<A>::PLAN.problem()
}

/// Starts the application: `init`, the priorities and enable bits of the tasks, the idle loop. [`app!`](crate::app!)
/// calls this from `main`.
///
/// # Safety
///
/// Called once, after a reset, in thread mode, on the one core that runs the application, before anything of it ran.
///
/// # Panics
///
/// If the chip has fewer priority bits than its [`Device`] says: levels would be one that the table holds apart, and the
/// threshold of a section could be none at all.
#[inline(always)]
pub unsafe fn start<A: Main>() -> ! {
    const { check::<A>() };
    arch::hold_all();
    // The architecture guarantees the least number. More is what the table's author says, and is checked.
    if const { A::Device::PRIORITY_BITS > arch::LEAST_PRIORITY_BITS } {
        assert!(
            arch::has_priority_bits(A::Device::PRIORITY_BITS),
            "the chip has fewer priority bits than the table says"
        );
    }
    // SAFETY: the caller says that this is the first start.
    unsafe { guard_first_stack::<A>() };
    // SAFETY: interrupts are off, no task has run, and the caller says that this is the first start.
    let values = A::init(unsafe { Init::new() });
    // SAFETY: as above.
    unsafe { prepare::<A>(values) };
    if const { PlanOf::<A>::PLAN.threads.is_empty() } {
        // SAFETY: there are no threads.
        unsafe { guard_stacks::<A>() };
        // SAFETY: this is thread mode, the only call, and everything is in its place.
        unsafe { release_and_idle::<A>() }
    }
    // SAFETY: no thread has run.
    unsafe { A::Threads::prepare() };
    let (lowest, bytes) = A::IDLE_STACK.memory();
    // SAFETY: the stack is the idle loop's.
    unsafe { guard_idle::<A>(lowest, bytes) };
    // SAFETY: each has its stack now.
    unsafe { guard_stacks::<A>() };
    // SAFETY: interrupts are off, and no thread has run.
    unsafe { time::start::<A>() };
    // SAFETY: interrupts are off, and the stack, all of it, is the idle loop's.
    unsafe { arch::start_threads::<A>(lowest.byte_add(bytes), idle_thread::<A>) }
}

/// The idle loop, among threads.
extern "C" fn idle_thread<A: Main>() -> ! {
    // SAFETY: the end of the start.
    unsafe { release_and_idle::<A>() }
}

/// # Safety
///
/// Everything is in its place, this is thread mode, and the only call.
#[inline(always)]
unsafe fn release_and_idle<A: Main>() -> ! {
    // SAFETY: the caller's promise.
    unsafe { arch::release_all::<A>() };
    // SAFETY: the caller's promise.
    unsafe { idle::<A>() }
}

/// The steps between `init` and the idle loop: first values, priorities, enable bits.
///
/// # Safety
///
/// Interrupts are off, and no task has run since `A` was started.
#[inline(always)]
pub(crate) unsafe fn prepare<A: App>(values: Initials<A>) {
    // SAFETY: the caller's promise.
    unsafe { A::Late::store(values) };
    // SAFETY: the caller's promise.
    unsafe { A::Tasks::set_priorities() };
    // SAFETY: every place has its value now, and every task its priority.
    unsafe { arch::enable_all::<A>() };
}

/// The idle loop.
///
/// # Safety
///
/// The application was started, this is thread mode, and the idle loop does not run yet.
#[inline(always)]
unsafe fn idle<A: Main>() -> ! {
    // SAFETY: the caller's promise: this is the one run of the idle loop, at its level.
    A::idle(unsafe { Context::new() }, unsafe { handles::<Idle<A>>() })
}

/// Guards the stack that `init` runs on, if that is wanted: the tasks'.
///
/// # Panics
///
/// If the core's protection unit has no region for it.
///
/// # Safety
///
/// `A` is being started, and nothing of it has run.
#[inline(always)]
unsafe fn guard_first_stack<A: App>() {
    if const { guard::is_wanted::<A>() } {
        // SAFETY: below a stack nothing is anybody's.
        check_guarded(unsafe { arch::put_guard(0, guard::tasks::<A>()) });
        // SAFETY: the region is a guard, and everything else stays as it was.
        unsafe { arch::begin_guards::<A>() };
    }
}

/// Guards the stacks of the threads, if that is wanted. `init` has ended.
///
/// # Panics
///
/// If the core's protection unit has too few regions for them.
///
/// # Safety
///
/// `A` is being started; its threads have their stacks.
#[inline(always)]
unsafe fn guard_stacks<A: App>() {
    if const { guard::is_wanted::<A>() } {
        guard::IS_STARTED.store(true, Relaxed);
        if const { !PlanOf::<A>::PLAN.threads.is_empty() } {
            // SAFETY: the caller's promise.
            unsafe { guard_threads::<A>() };
        }
    }
}

/// # Safety
///
/// As for [`guard_stacks`].
unsafe fn guard_threads<A: App>() {
    let mut is_there = true;
    for rank in 0..const { slots::<A>() } {
        let place = slot::<A>(rank).guard.get();
        // SAFETY: the lowest bytes of a stack are unused.
        is_there &= unsafe { arch::put_guard(1 + rank, place) };
    }
    check_guarded(is_there);
    // SAFETY: as in `guard_first_stack`.
    unsafe { arch::begin_guards::<A>() };
}

#[inline(always)]
fn check_guarded(is_there: bool) {
    assert!(
        is_there,
        "the chip's protection unit has fewer regions than the table has stacks to be guarded"
    );
}
