//! Which task has which bit, while compiling.

use mainspring_core::{Text, Vector};

use super::{plic, threads};
use crate::app::{App, PlanOf};

/// The bit of an interrupt: that of its number. Where the number is a source's of a PLIC, the lowest bit that no number has, in the order
/// of the table.
pub(crate) const fn bit<A: App>(vector: Vector) -> u32 {
    match vector {
        Vector::Interrupt(number) if number < 32 => 1 << number,
        Vector::Interrupt(_) if plic::of::<A>().is_some() => bit_of_source::<A>(vector),
        _ => 0, // Refused by `problem`.
    }
}

const fn bit_of_source<A: App>(vector: Vector) -> u32 {
    let tasks = PlanOf::<A>::PLAN.tasks;
    let (mut used, mut i) = (numbers::<A>(), 0);
    while i < tasks.len() {
        if let Some(other) = tasks[i].vector
            && plic::source(other) != 0
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

/// A demand of the plan that this core cannot meet.
pub(crate) const fn problem<A: App>() -> Option<Text> {
    let plan = &PlanOf::<A>::PLAN;
    let mut i = 0;
    while i < plan.tasks.len() {
        let task = &plan.tasks[i];
        let text = Text::of("task ").name(task.name).and(" is bound to ");
        match task.vector {
            Some(Vector::SysTick | Vector::PendSv) => {
                return Some(
                    text.and("a system exception, which is Cortex-M's: bind it to an interrupt of the chip"),
                );
            }
            Some(Vector::Interrupt(number)) if plic::of::<A>().is_some() => {
                if let Some(what) = plic::problem(number) {
                    return Some(text.and("interrupt ").number(number).and(what));
                }
            }
            Some(Vector::Interrupt(number)) if number >= 32 => {
                return Some(
                    text.and("interrupt ")
                        .number(number)
                        .and(", but this core has 0 to 31"),
                );
            }
            _ => {}
        }
        i += 1;
    }
    if let Some(lines) = plic::of::<A>()
        && lines.priorities == 0
    {
        return Some(Text::of("a PLIC has 1 priority at the least, not 0"));
    }
    threads::problem::<A>(plan)
}
