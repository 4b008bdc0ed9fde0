//! Demands of an application that these cores cannot meet.

use mainspring_core::{Plan, Text, Vector};

use super::sources;
use crate::model::{App, PlanOf};

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
            Some(Vector::Interrupt(number)) if sources::of::<A>().is_some() => {
                if let Some(what) = sources::problem(number) {
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
    if let Some(lines) = sources::of::<A>()
        && lines.priorities == 0
    {
        return Some(Text::of("a PLIC has 1 priority at the least, not 0"));
    }
    of_threads::<A>(plan)
}

/// Whether an application with threads states all that this core needs.
const fn of_threads<A: App>(plan: &Plan) -> Option<Text> {
    if plan.threads.is_empty() {
        return None;
    }
    if A::TICK > 0 {
        return Some(Text::of(
            "`threads (tick CYCLES)` is SysTick's, which is Cortex-M's: bind a task to a timer, call `cx.tick()` in it, and \
             say `threads (ticked TASK)`",
        ));
    }
    let Some(vector) = A::SWITCH else {
        return Some(Text::of(
            "threads need a bit of the interrupt mask for the switch on RV32: say `threads (switch NAME)`, an interrupt of the \
             chip that nothing raises",
        ));
    };
    if !matches!(vector, Vector::Interrupt(..32)) {
        return Some(Text::of(
            "`threads (switch NAME)`: this core has interrupts 0 to 31",
        ));
    }
    let mut i = 0;
    while i < plan.tasks.len() {
        if let Some(used) = plan.tasks[i].vector
            && used.is(vector)
        {
            let text = Text::of("task ").name(plan.tasks[i].name).and(
                " is bound to the interrupt that `threads (switch NAME)` names: take one that nobody uses",
            );
            return Some(text);
        }
        i += 1;
    }
    None
}
