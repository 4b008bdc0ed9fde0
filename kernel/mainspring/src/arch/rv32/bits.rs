//! Which task has which bit, while compiling.

use mainspring_core::{IDLE, SWITCH, Vector};

use super::sources;
use crate::level::Level;
use crate::model::{App, PlanOf};

/// The bit of an interrupt: that of its number. Where the number is a source's of a PLIC, the lowest bit that no number has, in the order
/// of the table.
pub(crate) const fn bit<A: App>(vector: Vector) -> u32 {
    match vector {
        Vector::Interrupt(number) if number < 32 => 1 << number,
        Vector::Interrupt(_) if sources::of::<A>().is_some() => bit_of_source::<A>(vector),
        _ => 0, // Refused by `problem`.
    }
}

const fn bit_of_source<A: App>(vector: Vector) -> u32 {
    let tasks = PlanOf::<A>::PLAN.tasks;
    let (mut used, mut i) = (numbers::<A>(), 0);
    while i < tasks.len() {
        if let Some(other) = tasks[i].vector
            && sources::source(other) != 0
            && !tasks[i].behind
        {
            let lowest = !used & used.wrapping_add(1);
            if other.is(vector) {
                return lowest;
            }
            used |= lowest;
        }
        i += 1;
    }
    0
}

/// The bits of the interrupts that have a number, and that of the switch.
const fn numbers<A: App>() -> u32 {
    let tasks = PlanOf::<A>::PLAN.tasks;
    let mut used = match A::SWITCH {
        Some(Vector::Interrupt(number)) if number < 32 => 1 << number,
        _ => 0,
    };
    let mut i = 0;
    while i < tasks.len() {
        if let Some(Vector::Interrupt(number)) = tasks[i].vector
            && number < 32
        {
            used |= 1 << number;
        }
        i += 1;
    }
    used
}

/// The bits of the tasks above `above` and up to `to`.
pub(super) const fn mask<A: App>(above: u8, to: u8) -> u32 {
    let tasks = PlanOf::<A>::PLAN.tasks;
    let (mut mask, mut i) = (0, 0);
    while i < tasks.len() {
        if let Some(vector) = tasks[i].vector
            && tasks[i].priority > above
            && tasks[i].priority <= to
        {
            mask |= bit::<A>(vector);
        }
        i += 1;
    }
    mask
}

/// The bits of the tasks that may run as soon as `init` is done.
pub(super) const fn enabled<A: App>() -> u32 {
    let tasks = PlanOf::<A>::PLAN.tasks;
    let (mut mask, mut i) = (0, 0);
    while i < tasks.len() {
        if let Some(vector) = tasks[i].vector
            && tasks[i].enabled
        {
            mask |= bit::<A>(vector);
        }
        i += 1;
    }
    mask
}

/// Whether the application has threads.
pub(super) const fn has_threads<A: App>() -> bool {
    !PlanOf::<A>::PLAN.threads.is_empty()
}

/// The bit of the switch; none, if there are no threads.
pub(super) const fn switch_bit<A: App>() -> u32 {
    match A::SWITCH {
        Some(vector) if has_threads::<A>() => bit::<A>(vector),
        _ => 0,
    }
}

/// Whether the actor of this name is a thread, or the idle loop among threads.
pub(super) const fn is_thread<A: App>(name: &str) -> bool {
    has_threads::<A>() && PlanOf::<A>::PLAN.priority_of(name) == IDLE
}

/// The bits of the tasks above `above` and up to `to`, and that of the switch if it lies there.
pub(super) const fn mask_with_switch<A: App>(above: u8, to: u8) -> u32 {
    let tasks = mask::<A>(above, to);
    if above < SWITCH && to >= SWITCH {
        tasks | switch_bit::<A>()
    } else {
        tasks
    }
}

/// Whether code at `L` is a thread's, whose stack is too small for tasks.
pub(super) const fn is_of_thread<L: Level>() -> bool {
    is_thread::<L::App>(L::ACTOR)
}
