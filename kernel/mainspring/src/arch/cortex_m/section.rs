//! The kernel's section of a thread: its beginning, its end, and sections of other code around it.

use core::arch::asm;

#[cfg(basepri)]
use mainspring_core::threshold;
use mainspring_core::{IDLE, Level as Facts, SWITCH};

use super::registers::{hold, release};
use crate::arch::within::within;
#[cfg(basepri)]
use crate::device::Device;
use crate::level::Transition;
use crate::model::{App, PlanOf};
use crate::threads::Section;
use crate::threads::state::of;

/// The kernel's section: no other code that may wake threads runs meanwhile, and no switch happens but `f`'s own.
///
/// # Safety
///
/// The code runs at the level at which the way `W` starts.
#[inline(always)]
pub(crate) unsafe fn kernel_section<W: Transition, O>(f: impl FnOnce() -> O) -> O {
    if const { W::ASKS } {
        // SAFETY: the caller's promise.
        return unsafe { within::<W, O>(f) };
    }
    // SAFETY: as above: this is a thread, which does not switch by itself.
    unsafe { section_of_thread::<W::App, O>(|| (f(), Section::Held)) }
}

/// Whether the kernel's section of a thread is PRIMASK's.
pub(super) const fn is_global<A: App>() -> bool {
    cfg!(enable_bits) || PlanOf::<A>::PLAN.kernel_ceiling() >= PlanOf::<A>::PLAN.levels()
}

/// Whether interrupts were held back when the running thread began the kernel's section, such as a `critical_section` around
/// the caller: then no other thread may run before that ends.
#[inline(always)]
pub(crate) fn is_held<A: App>() -> bool {
    let around = || of::<A>().around.get();
    #[cfg(basepri)]
    if const { !is_global::<A>() } {
        let by_basepri = const { !A::Device::OWNS_BASEPRI } && around() != 0;
        return by_basepri || primask() != 0;
    }
    #[cfg(basepri)]
    if const { !A::Device::OWNS_BASEPRI } && super::basepri::read() != 0 {
        return true;
    }
    around() != 0
}

#[cfg(basepri)]
#[inline(always)]
pub(super) fn primask() -> usize {
    let primask;
    // SAFETY: reading PRIMASK has no effect.
    unsafe { asm!("mrs {}, PRIMASK", out(reg) primask, options(nomem, nostack, preserves_flags)) };
    primask
}

/// The end of the kernel's section, for a thread that has none on its own stack: it is over.
///
/// # Safety
///
/// The running thread is outside of every section but the kernel's.
#[inline(always)]
pub(crate) unsafe fn end_first_section<A: App>() {}

/// # Safety
///
/// The running thread is outside of every section but the kernel's.
#[inline(always)]
pub(super) unsafe fn end_section_of_thread<A: App>() {
    if const { is_global::<A>() } {
        // SAFETY: the caller's promise.
        unsafe { asm!("cpsie i", options(nostack, preserves_flags)) };
    } else {
        #[cfg(basepri)]
        // SAFETY: the caller's promise.
        unsafe {
            super::basepri::lower(0);
        }
    }
}

/// Begins the kernel's section of a thread that is outside of every other section of the kernel's. What it does to the masks hides
/// what somebody else around it did: that is kept for [`is_held`], and comes back at the end.
#[inline(always)]
fn begin_section_of_thread<A: App, const WAITS: bool>() -> u32 {
    if const { is_global::<A>() } {
        let before = hold();
        of::<A>().around.set(before);
        return before;
    }
    #[cfg(basepri)]
    {
        let before = if const { A::Device::OWNS_BASEPRI } {
            0
        } else {
            super::basepri::read()
        };
        if WAITS {
            raise_here::<A>();
        } else {
            super::basepri::raise(const { kernel_threshold::<A>() });
        }
        if const { !A::Device::OWNS_BASEPRI } {
            of::<A>().around.set(before);
        }
        before
    }
    #[cfg(not(basepri))]
    unreachable!("the section is PRIMASK's")
}

/// Raises the threshold to that of the kernel's section. The constant is loaded here: after a switch no register has it, and the
/// compiler would load it there, before it is needed.
#[cfg(all(basepri, not(feature = "cm7-r0p1")))]
#[inline(always)]
fn raise_here<A: App>() {
    // SAFETY: as `basepri::raise`.
    unsafe {
        asm!(
            "mov {value}, #{threshold}",
            "msr BASEPRI_MAX, {value}",
            value = out(reg) _,
            threshold = const const { kernel_threshold::<A>() },
            options(nostack, preserves_flags)
        );
    }
}

#[cfg(all(basepri, feature = "cm7-r0p1"))]
#[inline(always)]
fn raise_here<A: App>() {
    super::basepri::raise(const { kernel_threshold::<A>() });
}

#[cfg(basepri)]
const fn kernel_threshold<A: App>() -> u8 {
    threshold(
        PlanOf::<A>::PLAN.kernel_ceiling() % PlanOf::<A>::PLAN.levels(),
        A::Device::PRIORITY_BITS,
    )
}

/// Ends the kernel's section of a thread that has not switched.
///
/// # Safety
///
/// `before` is what the beginning of this section found.
#[inline(always)]
unsafe fn end_section_before<A: App>(before: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        if const { is_global::<A>() } {
            release(before);
        } else {
            #[cfg(basepri)]
            super::basepri::lower(before);
        }
    }
}

/// Begins the kernel's section of a thread again that has waited in it.
#[inline(always)]
pub(crate) fn begin_section_again<A: App>(section: Section) {
    if section == Section::Over {
        begin_section_of_thread::<A, false>();
    }
}

/// The kernel's section of a thread, which `f` may have ended.
///
/// # Safety
///
/// The code is that of a thread, outside of every section of the kernel's.
#[inline(always)]
pub(crate) unsafe fn section_of_thread<A: App, O>(f: impl FnOnce() -> (O, Section)) -> O {
    // SAFETY: the caller's promise.
    unsafe { section_of::<A, false, O>(f) }
}

/// As [`section_of_thread`], where `f` mostly waits.
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(crate) unsafe fn section_of_waiter<A: App, O>(f: impl FnOnce() -> (O, Section)) -> O {
    // SAFETY: the caller's promise.
    unsafe { section_of::<A, true, O>(f) }
}

/// # Safety
///
/// As for [`section_of_thread`].
#[inline(always)]
unsafe fn section_of<A: App, const WAITS: bool, O>(f: impl FnOnce() -> (O, Section)) -> O {
    let before = begin_section_of_thread::<A, WAITS>();
    let (out, section) = f();
    if section == Section::Held {
        // SAFETY: this is what the beginning found; who waited in between found nothing, else it could not have waited.
        unsafe { end_section_before::<A>(before) };
    }
    out
}

/// From SysTick, or from any place of a thread, to the kernel's section.
struct To<A, const TICK: bool>(core::marker::PhantomData<A>);

impl<A: App, const TICK: bool> Transition for To<A, TICK> {
    type App = A;
    const FROM: Facts = Facts {
        priority: if TICK { SWITCH } else { IDLE },
        threshold: mainspring_core::Restore::Read,
    };
    const CEILING: u8 = PlanOf::<A>::PLAN.kernel_ceiling();
    const ACTION: mainspring_core::Action = Self::FROM.action(&PlanOf::<A>::PLAN, Self::CEILING);
}

/// The kernel's section, in SysTick.
///
/// # Safety
///
/// Called by SysTick.
#[inline(always)]
pub(crate) unsafe fn kernel_section_of_tick<A: App, O>(f: impl FnOnce() -> O) -> O {
    // SAFETY: SysTick has the priority at which the way starts.
    unsafe { within::<To<A, true>, O>(f) }
}

/// The kernel's section, in a thread, inside of other sections or not.
#[inline(always)]
pub(crate) fn kernel_section_anywhere<A: App, O>(f: impl FnOnce() -> O) -> O {
    // SAFETY: a thread is at the lowest level at the least; what is held back already stays so.
    unsafe { within::<To<A, false>, O>(f) }
}
