//! A clock in place of ticks: it is looked at, and asked to come when the first wait ends.

#![allow(unsafe_code)] // The clock, which is changed in the kernel's section.

use core::cell::UnsafeCell;

use mainspring_core::threads::Scheduler;

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
pub(super) struct Now {
    pub(super) tick: u32,
    /// Ticks since the last that was counted.
    pub(super) passed: u32,
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
    pub(super) fn now(self, counted: u32) -> Now {
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
    pub(super) unsafe fn wake(self, kernel: &Scheduler, now: Now) {
        let counts = match kernel.ticks_to_next(now.tick) {
            Some(ticks) if ticks <= self.longest / self.tick => ticks * self.tick - now.since,
            _ => self.longest,
        };
        let passed = self.alarm.count().wrapping_sub(now.count);
        // SAFETY: the caller's promise.
        unsafe { self.alarm.wake_after(counts.saturating_sub(passed)) };
    }
}

impl Clocked {
    /// Starts the clock.
    ///
    /// # Safety
    ///
    /// Before anything runs.
    pub(super) unsafe fn start(self) {
        // SAFETY: the caller's promise.
        unsafe { self.alarm.start() }
    }

    /// The mistake in the length of a tick.
    pub(super) const fn has_bad_tick(&self) -> bool {
        self.tick == 0 || self.tick > self.longest
    }
}
