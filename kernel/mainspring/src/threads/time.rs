//! The threads' time, by ticks or by a clock.

#![allow(unsafe_code)] // The clock, which is changed in the kernel's section.

use mainspring_core::Text;
use mainspring_core::threads::Scheduler;

use super::clock::Clocked;
use super::state::of;
use crate::arch;
use crate::model::App;

/// Ticks of the application's time: `threads (tick CYCLES)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ticks(pub u32);

/// The wait ended before the event came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimedOut;

/// The tick that it is, where the last that was counted is `counted`.
#[inline(always)]
pub(super) fn now<A: App>(counted: u32) -> u32 {
    match const { A::CLOCK } {
        Some(clock) => clock.now(counted).tick,
        None => counted,
    }
}

/// `begin` begins a wait of `rank`, which may end by itself that many ticks after the last counted one.
///
/// # Safety
///
/// In the kernel's section.
#[inline(always)]
pub(super) unsafe fn begin_wait<A: App, O>(
    kernel: &Scheduler,
    rank: usize,
    ticks: u32,
    begin: impl FnOnce(u32) -> O,
) -> O {
    let Some(clock) = (const { A::CLOCK }) else {
        return begin(ticks);
    };
    let counted = kernel.now.get();
    let now = clock.now(counted);
    let ticks = ticks.max(1);
    let out = begin(ticks.checked_add(now.passed).unwrap_or_else(|| {
        count_up_to::<A>(kernel, now.tick);
        ticks
    }));
    if kernel.ends_first(rank) {
        // SAFETY: the caller's promise.
        unsafe { clock.wake(kernel, now) };
    }
    out
}

/// It is the tick `now`: waits end whose time is up, as when the clock comes. A wait begins that the count could not hold from before.
#[cold]
#[inline(never)]
fn count_up_to<A: App>(kernel: &Scheduler, now: u32) {
    if let Some(woken) = kernel.pass(now) {
        arch::pend_switch_to::<A>(woken);
    }
}

/// The clock came: waits end whose time is up. The most urgent whose did.
///
/// # Safety
///
/// In the kernel's section.
#[inline(always)]
pub(super) unsafe fn pass<A: App>(clock: Clocked) -> Option<usize> {
    let kernel = arch::here(of::<A>());
    let counted = kernel.now.get();
    let now = clock.now(counted);
    let ended = kernel.pass_from(counted, now.passed);
    // SAFETY: the caller's promise.
    unsafe { clock.wake(kernel, now) };
    ended
}

/// Starts the clock, if there is one.
///
/// # Safety
///
/// Before any thread runs, with interrupts held back.
pub(crate) unsafe fn start<A: App>() {
    let Some(clock) = (const { A::CLOCK }) else {
        return;
    };
    // SAFETY: the caller's promise.
    unsafe {
        clock.start();
        let now = clock.now(0);
        of::<A>().now.set(now.tick);
        clock.wake(of::<A>(), now);
    }
}

/// The mistake in what the table says about time.
pub(crate) const fn problem<A: App>() -> Option<Text> {
    let Some(clock) = A::CLOCK else {
        return None;
    };
    Some(Text::of(if A::TICK > 0 {
        "`threads (tick CYCLES)` has SysTick come for every tick, and `threads (clock (…))` a clock when it is needed: take one of the two"
    } else if A::TICKED.is_none() {
        "`threads (clock (…))` needs the task that the clock's interrupt starts: say `ticked TASK`, too, and call `cx.tick()` in it"
    } else if clock.has_bad_tick() {
        "`threads (clock (…, tick COUNTS))`: a tick is at least one count of the clock, and no more than the clock's `LONGEST`"
    } else {
        return None;
    }))
}
