//! Guards: where a stack ends, the core's protection unit forbids reads and writes.
//!
//! `guard = SYMBOL;` in the table asks for one below the stack of the tasks, whose end the symbol is (cortex-m-rt: `_stack_end`),
//! and below the stack of every thread. Each is a region of the MPU, or a locked entry of the PMP, of its own, which stays as it
//! is: a switch does nothing for it, and an application without guards has none of this. One region that moved with the threads would
//! do for any number of them, at a price in each switch, and not on RV32: machine mode minds no entry but a locked one, which stays
//! until a reset. The access that would leave a stack
//! faults; what the fault's handler finds is told by a panic that names the task or the thread.

#![allow(unsafe_code)] // Regions of the protection unit.

use core::sync::atomic::{AtomicBool, AtomicU16, Ordering::Relaxed};

use mainspring_core::Text;

use crate::device::Device;
use crate::model::{App, PlanOf, Task};

/// Bytes of a guard, and its alignment: the least that an MPU of ARMv7-M and, by its subregions, of ARMv6-M can tell apart.
pub(crate) const BYTES: usize = 32;

/// Whether the stacks of `A` are guarded.
pub(crate) const fn is_wanted<A: App>() -> bool {
    A::STACK_END.is_some()
}

/// How many guards `A` has: the tasks', and, if there are threads, one for each and the idle loop's.
const fn stacks<A: App>() -> usize {
    let threads = PlanOf::<A>::PLAN.threads.len();
    if threads == 0 { 1 } else { threads + 2 }
}

/// What is wrong with as many.
pub(crate) const fn problem<A: App>() -> Option<Text> {
    if !is_wanted::<A>() || stacks::<A>() <= A::Device::GUARDS {
        return None;
    }
    Some(
        Text::of("`guard` is for each stack, of the tasks, the idle loop and each thread: ")
            .number(stacks::<A>() as u16)
            .and(", but this chip's protection unit has room for ")
            .number(A::Device::GUARDS as u16)
            .and("; without `guard`, each tick looks at a word where each stack of a thread ends"),
    )
}

/// The task that runs, where the core does not tell which: its place in the table, from 1 on.
static RUNNING: AtomicU16 = AtomicU16::new(0);

/// Whether the tasks of `A` note that they run: ARMv6-M has no bits for that.
const fn is_noted<A: App>() -> bool {
    cfg!(all(enable_bits, target_arch = "arm")) && is_wanted::<A>()
}

/// Notes that `T` runs, if the core does not; what [`leave`] wants.
#[inline(always)]
pub(crate) fn enter<T: Task>() -> u16 {
    if const { is_noted::<T::App>() } {
        let before = RUNNING.load(Relaxed);
        RUNNING.store(const { number::<T>() }, Relaxed);
        return before;
    }
    0
}

/// `T` has ended; `before` is what [`enter`] said.
#[inline(always)]
pub(crate) fn leave<T: Task>(before: u16) {
    if const { is_noted::<T::App>() } {
        RUNNING.store(before, Relaxed);
    }
}

/// The place of `T` in the table, from 1 on.
const fn number<T: Task>() -> u16 {
    let tasks = PlanOf::<T::App>::PLAN.tasks;
    let mut i = 0;
    while i < tasks.len() {
        if let Some(vector) = tasks[i].vector
            && vector.is(T::VECTOR)
            && !tasks[i].behind
        {
            return i as u16 + 1;
        }
        i += 1;
    }
    0
}

/// The name of the task that runs; `None` in the idle loop or a thread.
#[cfg(all(enable_bits, target_arch = "arm"))]
pub(crate) fn running<A: App>() -> Option<&'static str> {
    let place = usize::from(RUNNING.load(Relaxed)).checked_sub(1)?;
    PlanOf::<A>::PLAN.tasks.get(place).map(|task| task.name)
}

/// Where the guard of a stack is that begins at `lowest`.
pub(crate) const fn place(lowest: usize) -> usize {
    lowest.next_multiple_of(BYTES)
}

/// Whether `init` has ended.
pub(crate) static IS_STARTED: AtomicBool = AtomicBool::new(false);

/// Bytes left free below the guard of the tasks' stack, where a core writes a frame for the fault: of its words those that are not in
/// the guard. They must not overwrite what is noted here. With floating-point registers the frame begins further down.
const BELOW: usize = if cfg!(not(target_arch = "arm")) {
    0
} else if cfg!(float) {
    112
} else {
    32
};

/// Where the guard of the tasks' stack is.
pub(crate) fn tasks<A: App>() -> usize {
    place(A::STACK_END.map_or(0, <*const u8>::addr) + BELOW)
}

/// Whether an access of `address` is one of the guard at `place`.
#[cfg(all(target_os = "none", any(basepri, target_arch = "riscv32")))]
pub(crate) const fn is_within(address: usize, place: usize) -> bool {
    address & !(BYTES - 1) == place
}

/// Reports that the tasks' stack has overflowed, and in which task, if that is known.
#[cfg(target_os = "none")]
#[cold]
pub(crate) fn tasks_overflowed(who: Option<&str>) -> ! {
    match who {
        _ if !IS_STARTED.load(Relaxed) => panic!("the stack of the tasks has overflowed, in `init`"),
        Some(name) => panic!("the stack of the tasks has overflowed, in `{name}`"),
        None => panic!("the stack of the tasks has overflowed"),
    }
}
