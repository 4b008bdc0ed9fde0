//! Cores without BASEPRI (ARMv6-M): a section clears the enable bits of the tasks between its level and its ceiling.
//!
//! Which bits is a constant. On the way out those come back that were set on the way in, so a task that was disabled
//! stays so. No code may use the enable bit of a task that a section could be holding back just then: [`check_level`] sees
//! to that while compiling.
//!
//! SysTick and PendSV have no such bit: a section that has to hold a task of theirs back holds back everything.

use core::arch::asm;
use core::ptr;
use core::sync::atomic::{Ordering::SeqCst, compiler_fence};

use mainspring_core::{Plan, Restore, Text, Vector};

use super::registers::{ICER, IPR, ISER, SHPR3, global_section, hold, release, write};
use crate::level::{By, Transition};
use crate::model::PlanOf;

/// ARMv6-M and ARMv8-M Baseline have two priority bits (ARMv6-M ARM B1.5.4), neither more nor less: [`core_problem`].
pub(crate) const LEAST_PRIORITY_BITS: u8 = 2;

/// Runs `f` while the tasks above the level and up to the ceiling are disabled.
///
/// # Safety
///
/// The code runs at the level at which the way `W` starts.
#[inline(always)]
pub(crate) unsafe fn threshold_section<W: Transition, O>(
    _raised: u8,
    _restore: Restore,
    f: impl FnOnce() -> O,
) -> O {
    // The switch between threads has no enable bit.
    if const { W::FROM.priority == mainspring_core::IDLE && !PlanOf::<W::App>::PLAN.threads.is_empty() } {
        // SAFETY: the caller's promise.
        return unsafe { global_section::<W, O>(f) };
    }
    if const { PlanOf::<W::App>::PLAN.has_system(W::FROM.priority, W::CEILING) } {
        // SAFETY: the caller's promise. No bit holds a system exception back.
        return unsafe { global_section::<W, O>(f) };
    }
    let mask = const { PlanOf::<W::App>::PLAN.mask(W::FROM.priority, W::CEILING, 0) };
    let were = clear(mask);
    let out = f();
    compiler_fence(SeqCst);
    // SAFETY: these were set when the section began, and no other code may use them meanwhile.
    unsafe { write(ISER, were) };
    compiler_fence(SeqCst);
    out
}

/// Clears the enable bits in `mask`, and says which of them were set. Both with interrupts off: a task that started in
/// between could use such a bit, and what it did would be lost at the section's end.
///
/// The barriers come before the interrupts are let through again. Behind it, an interrupt that was on its way could
/// still start one of these tasks, and that task could enable a more urgent one, whose bit was not set when it was read:
/// it would be enabled inside of the section.
#[inline(always)]
fn clear(mask: u32) -> u32 {
    let before = hold();
    let were = read(ISER) & mask;
    // SAFETY: a section may stop the tasks that it holds back; its end lets them through again.
    unsafe { write(ICER, mask) };
    // SAFETY: barriers have no effect on the program's state. Behind them no interrupt is on its way whose bit is
    // cleared.
    unsafe { asm!("dsb", "isb", options(nostack, preserves_flags)) };
    // SAFETY: what `hold` found. Declared to touch memory: no access of the section moves up across it.
    unsafe { release(before) };
    were
}

/// The number is the architecture's.
pub(crate) fn has_priority_bits(bits: u8) -> bool {
    bits <= LEAST_PRIORITY_BITS
}

/// Gives `vector` its priority. ARMv6-M takes whole words only (ARMv6-M ARM B3.4.7).
///
/// # Safety
///
/// It is that of a task of the application that is being started, before any task runs.
#[inline(always)]
pub(crate) unsafe fn set_priority(vector: Vector, value: u8) {
    let (register, byte) = match vector {
        Vector::Interrupt(number) => (IPR + (number as usize & !3), number as u32 % 4),
        Vector::PendSv => (SHPR3, 2),
        Vector::SysTick => (SHPR3, 3),
    };
    let word = read(register) & !(0xff << (8 * byte)) | u32::from(value) << (8 * byte);
    // SAFETY: the caller's promise; the other three bytes stay as they are.
    unsafe { write(register, word) };
}

#[inline(always)]
fn read(register: usize) -> u32 {
    // SAFETY: the callers name registers of the NVIC and the system control block; reading them has no effect.
    unsafe { ptr::read_volatile(ptr::with_exposed_provenance(register)) }
}

/// See [`mainspring_core::Level::may_use_enable_bit`].
pub(super) const fn check_level(by: &By, name: &str, task: u8) {
    if by.system || !by.level.may_use_enable_bit(task, by.in_section) {
        let text = Text::of("task ").name(name).and(
            " cannot be enabled or disabled here: this core has no BASEPRI, so a section that is under way may have \
             its enable bit cleared; do it outside of sections, in a task that is not more urgent and is bound to an \
             interrupt",
        );
        panic!("{}", text.as_str());
    }
}

/// There is one word of interrupts.
pub(super) const fn core_problem(plan: &Plan) -> Option<Text> {
    if plan.bits > LEAST_PRIORITY_BITS {
        return Some(
            Text::of("this core has 2 priority bits, not ")
                .number(plan.bits as u16)
                .and(": levels 1 to 4"),
        );
    }
    let mut i = 0;
    while i < plan.tasks.len() {
        let task = &plan.tasks[i];
        match task.vector {
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
