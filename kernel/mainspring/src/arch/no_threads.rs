//! Where there is no switch between threads: on the host, which tests the kernel's state by itself (`mainspring-core`).

#![allow(unsafe_code, clippy::extra_unused_type_parameters)] // The same signatures as where there are threads.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use mainspring_core::Text;
use mainspring_core::threads::Ownership;

use crate::app::App;
use crate::level::{By, Way};
use crate::threads::{Kernel, Section, Threaded};

const ONLY_ON_CHIPS: &str = "threads run on a chip, or in the simulator of one; here there are tasks alone";

pub(crate) const LEAST_STACK: usize = 128;

/// # Safety
///
/// As for [`within`](crate::context::within).
#[inline(always)]
pub(crate) unsafe fn kernel_section<W: Way, O>(f: impl FnOnce() -> O) -> O {
    // SAFETY: the caller's promise.
    unsafe { crate::context::within::<W, O>(f) }
}

pub(crate) fn here(kernel: &'static Kernel) -> &'static Kernel {
    kernel
}

pub(crate) fn may_switch<A: App>(_stack: usize) -> bool {
    false
}

pub(crate) fn may_hand_over<A: App>(_stack: usize, _contending: u32, _next: usize) -> bool {
    false
}

pub(crate) fn is_held<A: App>() -> bool {
    false
}

/// # Safety
///
/// Never called.
pub(crate) unsafe fn switch<T: Threaded>(_kernel: &Kernel, _next: usize, _stack: usize) {
    unreachable!("{ONLY_ON_CHIPS}")
}

/// # Safety
///
/// None is needed: nothing is done.
pub(crate) unsafe fn leave_to_exception<T: Threaded>() -> bool {
    false
}

/// # Safety
///
/// None is needed: it stops.
pub(crate) unsafe fn switch_by_exception<A: App>() {
    panic!("{ONLY_ON_CHIPS}")
}

/// # Safety
///
/// As for a chip; the frame is never used.
pub(crate) unsafe fn first_frame(end: *mut u64, _entry: extern "C" fn() -> !) -> usize {
    end.addr()
}

/// # Safety
///
/// Never called.
pub(crate) unsafe fn end_first_section<A: App>() {}

pub(crate) fn begin_section_again<A: App>(_section: Section) {}

/// Nothing switches.
pub(crate) const BEHIND_SWITCH: Section = Section::Held;

/// # Safety
///
/// Nothing is held back: no thread runs.
pub(crate) unsafe fn section_of_thread<A: App, O>(f: impl FnOnce() -> (O, Section)) -> O {
    f().0
}

/// # Safety
///
/// None is needed: it stops.
pub(crate) unsafe fn start_threads<A: App>(_stack: *mut u64, _idle: extern "C" fn() -> !) -> ! {
    panic!("{ONLY_ON_CHIPS}")
}

/// The switch is nothing here: no thread runs.
pub(crate) fn pend_switch<A: App>() {}

/// # Safety
///
/// None is needed: nothing runs beside it.
pub(crate) unsafe fn kernel_section_of_tick<A: App, O>(f: impl FnOnce() -> O) -> O {
    f()
}

pub(crate) fn kernel_section_anywhere<A: App, O>(f: impl FnOnce() -> O) -> O {
    f()
}

pub(crate) const fn may_not_wake(_by: &By, _name: &str) -> Option<Text> {
    None
}

/// Changes `word` to what `f` makes of it; leaves it alone, and says so, where that is nothing. Nothing runs beside it.
pub(crate) fn update(word: &AtomicU32, f: impl Fn(u32) -> Option<u32>) -> bool {
    let new = f(word.load(Relaxed));
    if let Some(new) = new {
        word.store(new, Relaxed);
    }
    new.is_some()
}

/// Adds 1 to `word`, or where `DOWN` takes 1 off, unless that gives a negative number: then it is left alone. Whether it was
/// done.
#[inline(always)]
pub(crate) fn count<const DOWN: bool>(word: &AtomicU32) -> bool {
    update(word, |count| {
        let new = if DOWN {
            count.wrapping_sub(1)
        } else {
            count.wrapping_add(1)
        };
        (new as i32 >= 0).then_some(new)
    })
}

/// As [`count`]: there is nothing to be done again.
#[inline(always)]
pub(crate) fn count_at_once<const DOWN: bool>(word: &AtomicU32) -> bool {
    count::<DOWN>(word)
}

/// Makes nobody's mutex that of `T`. Not done where it is somebody's.
#[inline(always)]
pub(crate) fn claim_at_once<T: Threaded>(word: &AtomicU32) -> bool {
    update(word, |word| {
        (word == 0).then_some(const { Ownership::held_by(T::RANK) })
    })
}

/// Makes the mutex nobody's that `T` has and nobody wants. Not done where somebody wants it.
#[inline(always)]
pub(crate) fn give_back_at_once<T: Threaded>(word: &AtomicU32) -> bool {
    update(word, |word| {
        (word == const { Ownership::held_by(T::RANK) }).then_some(0)
    })
}
