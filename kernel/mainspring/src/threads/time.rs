//! The threads' time without ticks: a clock that is looked at, and asked to come when the first wait ends.

#![allow(unsafe_code)] // The clock, which is changed in the kernel's section.

use core::cell::UnsafeCell;

use mainspring_core::Text;
use mainspring_core::threads::Scheduler;

use super::kernel::of;
use crate::app::App;
use crate::arch;
use crate::time::Clock;

/// Where an application keeps the clock of its threads. [`app!`](crate::app!) writes this.
#[doc(hidden)]
pub struct ClockPlace<C>(UnsafeCell<C>);

// SAFETY: the clock is changed by one at a time: in the kernel's section, or before anything runs.
unsafe impl<C: Send> Sync for ClockPlace<C> {}

impl<C: Clock> ClockPlace<C> {
    /// With this clock.
    #[must_use]
    pub const fn new(clock: C) -> Self {
        ClockPlace(UnsafeCell::new(clock))
    }
}

/// The work of the kernel with a clock.
trait Alarm: Sync {
    fn count(&self) -> u32;

    /// # Safety
    ///
    /// Before anything runs.
    unsafe fn start(&self);

    /// # Safety
    ///
    /// In the kernel's section, or before anything runs.
    unsafe fn wake_after(&self, counts: u32);
}

impl<C: Clock + Send> Alarm for ClockPlace<C> {
    #[inline(always)]
    fn count(&self) -> u32 {
        C::count()
    }

    unsafe fn start(&self) {
        // SAFETY: the caller's promise: nobody else has a reference.
        unsafe { (*self.0.get()).start() }
    }

    #[inline(always)]
    unsafe fn wake_after(&self, counts: u32) {
        // SAFETY: as above.
        unsafe { (*self.0.get()).wake_after(counts) }
    }
}

/// The clock of an application's threads, and how many of its counts are a tick: `threads (clock (…))`.
#[derive(Clone, Copy)]
pub struct Clocked {
    alarm: &'static dyn Alarm,
    tick: u32,
    longest: u32,
}

/// The present: the tick, what the clock's count was, and the counts since the tick began.
#[derive(Clone, Copy)]
struct Now {
    tick: u32,
    /// Ticks since the last that was counted.
    passed: u32,
    count: u32,
    since: u32,
}

impl Clocked {
    /// The clock in this place, of which so many counts are a tick.
    #[must_use]
    pub const fn new<C: Clock + Send>(place: &'static ClockPlace<C>, tick: u32) -> Self {
        Clocked {
            alarm: place,
            tick,
            longest: C::LONGEST,
        }
    }

    /// The tick that it is, where the last that was counted is `counted`: less than a turn of the clock ago. Ticks are multiples of
    /// their length, so nothing else has to be kept.
    #[inline(always)]
    fn now(self, counted: u32) -> Now {
        let count = self.alarm.count();
        let since = count.wrapping_sub(counted.wrapping_mul(self.tick));
        let passed = since / self.tick;
        Now {
            tick: counted.wrapping_add(passed),
            passed,
            count,
            since: since % self.tick,
        }
    }

    /// Has the clock come when the first wait ends, or in time to count its turns: from `now` on, which was a while ago.
    ///
    /// # Safety
    ///
    /// In the kernel's section, or before anything runs.
    #[inline(always)]
    unsafe fn wake(self, kernel: &Scheduler, now: Now) {
        let counts = match kernel.ticks_to_next(now.tick) {
            Some(ticks) if ticks <= self.longest / self.tick => ticks * self.tick - now.since,
            _ => self.longest,
        };
        let passed = self.alarm.count().wrapping_sub(now.count);
        // SAFETY: the caller's promise.
        unsafe { self.alarm.wake_after(counts.saturating_sub(passed)) };
    }
}

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
        clock.alarm.start();
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
    } else if clock.tick == 0 || clock.tick > clock.longest {
        "`threads (clock (…, tick COUNTS))`: a tick is at least one count of the clock, and no more than the clock's `LONGEST`"
    } else {
        return None;
    }))
}
