//! Cores without BASEPRI (ARMv6-M): a section clears the enable bits of the tasks between its level and its ceiling.
//!
//! Which bits is a constant. On the way out those come back that were set on the way in, so a task that was disabled
//! stays so. Nobody may use the enable bit of a task that a section could be holding back just then: [`check_level`] sees
//! to that while compiling.

use core::arch::asm;
use core::ptr;
use core::sync::atomic::{Ordering::SeqCst, compiler_fence};

use mainspring_core::{Level, Plan, Restore, Text, Vector};

use super::{ICER, IPR, ISER, SHPR3, hold, release, write};
use crate::app::PlanOf;
use crate::level::Way;

/// Runs `f` while the tasks above the level and up to the ceiling are disabled.
#[inline(always)]
pub(crate) fn threshold_section<W: Way, O>(_raised: u8, _restore: Restore, f: impl FnOnce() -> O) -> O {
    let mask = const { PlanOf::<W::App>::PLAN.mask(W::FROM.priority, W::CEILING, 0) };
    let were = clear(mask);
    // SAFETY: barriers have no effect on the program's state. With them no interrupt that was on its way is taken
    // after the bits are cleared. Declared to touch memory: no access of the section moves up across them.
    unsafe { asm!("dsb", "isb", options(nostack, preserves_flags)) };
    let out = f();
    compiler_fence(SeqCst);
    write(ISER, were);
    compiler_fence(SeqCst);
    out
}

/// Clears the enable bits in `mask`, and says which of them were set. Both with interrupts off: a task that started in
/// between could use such a bit, and what it did would be lost at the section's end.
#[inline(always)]
fn clear(mask: u32) -> u32 {
    let before = hold();
    let were = read(ISER) & mask;
    write(ICER, mask);
    release(before);
    were
}

/// Sections here do not depend on it.
pub(crate) fn has_priority_bits(_bits: u8) -> bool {
    true
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

/// See [`mainspring_core::Level::may_use_enable_bit`].
pub(super) const fn check_level(name: &str, task: u8, level: Level, in_section: bool) {
    if !level.may_use_enable_bit(task, in_section) {
        let text = Text::of("task ").name(name).and(
            " cannot be enabled or disabled here: this core has no BASEPRI, so a section that is under way may have \
             its enable bit cleared; do it outside of sections, in a task that is not more urgent",
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
