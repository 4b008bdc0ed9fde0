//! Where there is no switch between threads: on the host, which tests the kernel's state by itself (`mainspring-core`).

#![allow(unsafe_code, clippy::extra_unused_type_parameters)] // The same signatures as where there are threads.

use mainspring_core::threads::Scheduler;

use super::within::within;
use crate::level::Transition;
use crate::model::App;
use crate::model::Threaded;
use crate::threads::{First, Section};

const ONLY_ON_CHIPS: &str = "threads run on a chip, or in the simulator of one; here there are tasks alone";

pub(crate) const LEAST_STACK: usize = 128;

/// # Safety
///
/// As for [`within`].
#[inline(always)]
pub(crate) unsafe fn kernel_section<W: Transition, O>(f: impl FnOnce() -> O) -> O {
    // SAFETY: the caller's promise.
    unsafe { within::<W, O>(f) }
}

pub(crate) fn here(kernel: &'static Scheduler) -> &'static Scheduler {
    kernel
}

pub(crate) const CHOOSES_AHEAD: bool = true;

/// Nothing: no thread runs.
#[inline(always)]
pub(crate) fn find_first(_kernel: &Scheduler, _members: u32) -> Option<First> {
    None
}

#[derive(Clone, Copy)]
pub(crate) struct Leave;

impl Leave {
    /// A 0.
    #[inline(always)]
    #[allow(clippy::unused_self)] // The seam: elsewhere it is in a register.
    pub(crate) fn zero(self) -> usize {
        0
    }
}

pub(crate) fn may_switch<A: App>(_stack: usize) -> Option<Leave> {
    None
}

pub(crate) fn may_switch_to<A: App>(_stack: usize, _special: u32, _next: usize) -> Option<Leave> {
    None
}

pub(crate) fn may_go_on<A: App>(_stack: usize, _no: usize) -> Option<Leave> {
    None
}

pub(crate) fn may_go_on_before<A: App>(_stack: usize, _who: u32, _others: u32) -> Option<Leave> {
    None
}

pub(crate) fn may_hand_over<A: App>(_stack: usize, _contending: u32, _next: usize) -> Option<Leave> {
    None
}

pub(crate) fn is_held<A: App>() -> bool {
    false
}

/// # Safety
///
/// Never called.
pub(crate) unsafe fn switch<T: Threaded>(_kernel: &Scheduler, _next: usize, _stack: usize, _leave: Leave) {
    unreachable!("{ONLY_ON_CHIPS}")
}

/// # Safety
///
/// None is needed: nothing is done.
pub(crate) unsafe fn leave_to_exception<T: Threaded>() -> Option<(usize, usize, Leave)> {
    None
}

pub(crate) use leave_to_exception as wait_for_exception;

/// Whether a thread goes to a pre-empted one as to any other.
pub(crate) const GOES_TO_PREEMPTED: bool = true;

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
/// As above.
pub(crate) unsafe fn section_of_waiter<A: App, O>(f: impl FnOnce() -> (O, Section)) -> O {
    f().0
}

/// # Safety
///
/// None is needed: it stops.
pub(crate) unsafe fn start_threads<A: App>(_stack: *mut u64, _idle: extern "C" fn() -> !) -> ! {
    panic!("{ONLY_ON_CHIPS}")
}

/// No thread runs.
pub(crate) fn stack_of_thread() -> usize {
    usize::MAX
}

/// The switch is nothing here: no thread runs.
pub(crate) fn pend_minded_switch<A: App>() {}

pub(crate) fn pend_minded_switch_to<A: App>(_rank: usize) {}

pub(crate) fn pend_switch<A: App>() {}

pub(crate) fn pend_switch_to<A: App>(_rank: usize) {}

/// # Safety
///
/// None is needed: nothing runs beside it.
pub(crate) unsafe fn kernel_section_of_tick<A: App, O>(f: impl FnOnce() -> O) -> O {
    f()
}

pub(crate) fn kernel_section_anywhere<A: App, O>(f: impl FnOnce() -> O) -> O {
    f()
}

/// Nothing runs beside it, so nothing is held back.
pub(crate) fn hold() -> u32 {
    0
}

/// # Safety
///
/// None is needed: nothing was held back.
pub(crate) unsafe fn release(_before: u32) {}

/// There is no such thread.
///
/// # Safety
///
/// None is needed.
pub(crate) unsafe fn guard_of_nobody() -> usize {
    0
}
