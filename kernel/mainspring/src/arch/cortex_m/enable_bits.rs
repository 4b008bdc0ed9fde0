//! Cores without BASEPRI (ARMv6-M): a section clears the enable bits of the tasks between its level and its ceiling.
//!
//! Which bits is a constant. On the way out those come back that were set on the way in, so a task that was disabled
//! stays so. A more urgent task that pre-empts the section may not touch the bits of a less urgent one, which could be
//! masked just then: [`check_level`] sees to that while compiling.

use core::arch::asm;
use core::ptr;
use core::sync::atomic::{Ordering::SeqCst, compiler_fence};

use mainspring_core::{Plan, Restore, Text, Vector};

use super::{ICER, IPR, ISER, SHPR3, write};
use crate::app::PlanOf;
use crate::level::Way;

/// Runs `f` while the tasks above the level and up to the ceiling are disabled.
#[inline(always)]
pub(crate) fn threshold_section<W: Way, O>(_raised: u8, _restore: Restore, f: impl FnOnce() -> O) -> O {
    let mask = const { PlanOf::<W::App>::PLAN.mask(W::FROM.priority, W::CEILING, 0) };
    let were = read(ISER) & mask;
    write(ICER, mask);
    // SAFETY: barriers have no effect on the program's state. With them no interrupt that was on its way is taken
    // after the bits are cleared. Declared to touch memory: no access of the section moves up across them.
    unsafe { asm!("dsb", "isb", options(nostack, preserves_flags)) };
    let out = f();
    compiler_fence(SeqCst);
    write(ISER, were);
    compiler_fence(SeqCst);
    out
}

/// Gives `vector` its priority. ARMv6-M takes whole words only (ARMv6-M ARM B3.4.7).
#[inline(always)]
pub(crate) fn set_priority(vector: Vector, value: u8) {
    let (register, byte) = match vector {
        Vector::Interrupt(number) => (IPR + (number as usize & !3), number as u32 % 4),
        Vector::PendSv => (SHPR3, 2),
        Vector::SysTick => (SHPR3, 3),
    };
    write(
        register,
        read(register) & !(0xff << (8 * byte)) | u32::from(value) << (8 * byte),
    );
}

#[inline(always)]
fn read(register: usize) -> u32 {
    // SAFETY: the callers name registers of the NVIC and the system control block; reading them has no effect.
    unsafe { ptr::read_volatile(ptr::with_exposed_provenance(register)) }
}

/// Only code that is not more urgent than the task may use its enable bit: only then can no section be under way that
/// has it cleared.
pub(super) const fn check_level(name: &str, task: u8, level: u8) {
    if level > task {
        let text = Text::of("task ").name(name).and(
            " cannot be enabled or disabled from a more urgent level: this core has no BASEPRI, so a section that was \
             pre-empted may have its enable bit cleared; let a task at its priority or below do it",
        );
        panic!("{}", text.as_str());
    }
}

/// The system exceptions have no enable bit, so no section could hold them back, and there is one word of interrupts.
pub(super) const fn core_problem(plan: &Plan) -> Option<Text> {
    let mut i = 0;
    while i < plan.tasks.len() {
        let task = &plan.tasks[i];
        match task.vector {
            Some(Vector::SysTick | Vector::PendSv) if !task.uses.is_empty() => {
                return Some(Text::of("task ").name(task.name).and(
                    " is bound to a system exception and uses something: this core has no BASEPRI, so no section \
                     could hold it back; bind it to an interrupt",
                ));
            }
            Some(Vector::Interrupt(number)) if number >= 32 => {
                return Some(
                    Text::of("task ")
                        .name(task.name)
                        .and(" is bound to interrupt ")
                        .number(number)
                        .and(", but this core has 0 to 31"),
                );
            }
            _ => {}
        }
        i += 1;
    }
    None
}
