//! Time: what is to happen when.
//!
//! The application's timers are one resource, and the interrupt of its clock is one task:
//!
//! ```
//! # use mainspring::{Context, Handles, Init, Main, Run, Write, Initials};
//! # struct Chip;
//! # enum Interrupt { TIM2 = 28, EXTI0 = 6 }
//! # // SAFETY: nothing here runs on a chip.
//! # unsafe impl mainspring::Device for Chip { const PRIORITY_BITS: u8 = 4; type Interrupt = Interrupt; }
//! # mod chip {
//! #     pub struct Counter;
//! #     impl mainspring::time::Clock for Counter {
//! #         type Instant = fugit::Instant<u64, 1, 1_000_000>;
//! #         type Duration = fugit::Duration<u64, 1, 1_000_000>;
//! #         const LONGEST: u32 = 1 << 30;
//! #         fn count() -> u32 { 0 }
//! #         fn wake_after(&mut self, _: u32) {}
//! #     }
//! # }
//! use fugit::ExtU64;
//! use mainspring::time::{self, Timers};
//!
//! mainspring::app! {
//!     struct Blinky;
//!     device = Chip;
//!     resources {
//!         Alarms: Timers<Tick, chip::Counter, 4> = Timers::new(chip::Counter);
//!     }
//!     tasks {
//!         Tick = Tick, on TIM2, priority 3, uses Write<Alarms>;
//!         Blink = Blink, on EXTI0, priority 1, uses Write<Alarms>;
//!     }
//!     idle uses Write<Alarms>;
//! }
//!
//! struct Tick;
//! impl Run for Tick {
//!     fn run(&mut self, mut cx: Context<Self>, mut alarms: Handles<Self>) {
//!         time::serve(&mut cx, &mut alarms);
//!     }
//! }
//!
//! struct Blink;
//! impl Run for Blink {
//!     fn run(&mut self, mut cx: Context<Self>, mut alarms: Handles<Self>) {
//!         // Again in 10 ms.
//!         let _alarm = cx.lock(&mut alarms, |alarms, _| alarms.spawn_after::<Blink>(10.millis()));
//!     }
//! }
//!
//! impl Main for Blinky {
//!     fn init(mut cx: Init<Self>) {
//!         cx.get::<Alarms>().start();
//!         cx.pend::<Blink>();
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! There is no tick: the clock's interrupt comes when the first alarm is due, or when the counter would run out of its bits.
//! Setting an alarm locks the timers, so their ceiling is the clock's priority or higher. A task can lose this much to them:
//! a section that goes along the alarms that wait, of which there are `N` at the most.
//!
//! | | |
//! |---|---|
//! | once, later | [`spawn_at`](Timers::spawn_at), [`spawn_after`](Timers::spawn_after) |
//! | again and again, without drift | [`spawn_every`](Timers::spawn_every) |
//! | a timeout | `spawn_after`, and [`cancel`](Timers::cancel) where what was waited for came |
//! | a watched deadline | `spawn_after` of who is to hear of it, [`reschedule_after`](Timers::reschedule_after) at each sign of life |
//! | a short wait | [`Delay`] |

use core::marker::PhantomData;

use mainspring_core::time::{Queue, Ticket, extended, following};

use crate::context::Context;
use crate::model::Task;
use crate::resource::Resource;
use crate::stored::Stored;
use crate::uses::{Handle, Write};

mod clock;
pub use clock::{Clock, Ticks};
#[cfg(all(target_os = "none", target_arch = "arm", basepri))]
mod cycles;
#[cfg(all(target_os = "none", target_arch = "arm", basepri))]
pub use cycles::Cycles;
#[cfg(feature = "embassy-time")]
mod embassy;
#[cfg(feature = "embassy-time")]
pub use embassy::Embassy;
#[cfg(all(target_os = "none", target_arch = "riscv32"))]
mod mtime;
#[cfg(all(target_os = "none", target_arch = "riscv32"))]
pub use mtime::{MachineTimer, Mtime};
#[cfg(all(target_os = "none", target_arch = "arm"))]
mod systick;
#[cfg(all(target_os = "none", target_arch = "arm"))]
pub use systick::SysTick;

/// The alarms of an application, of which `N` can wait at once, by the clock `C`, whose interrupt starts the task `T`.
pub struct Timers<T: Task, C, const N: usize> {
    queue: Queue<Entry<T>, N>,
    clock: C,
    /// The time of the last look.
    last: u64,
}

struct Entry<T: Task> {
    /// Asks for a task.
    pend: fn(&Context<'_, T>),
    /// Counts from one to the next, if it comes again.
    period: Option<u64>,
    missed: u32,
}

/// An alarm that was set. Once it has gone off for good, it is no alarm's any more; kept for 2^32 further alarms in its place, it is that one's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alarm(Ticket);

/// `N` alarms wait already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TooMany;

impl<T: Task, C: Clock, const N: usize> Timers<T, C, N> {
    /// Without alarms.
    pub const fn new(clock: C) -> Self {
        const {
            assert!(
                C::LONGEST < 1 << 31,
                "the clock's interrupt must come at every half turn of its counter"
            );
        };
        Timers {
            queue: Queue::new(),
            clock,
            last: 0,
        }
    }

    /// Starts the clock. For `init`.
    pub fn start(&mut self) {
        self.clock.start();
        self.last = u64::from(C::count());
        self.wake();
    }

    /// Now.
    pub fn now(&mut self) -> C::Instant {
        C::Instant::from_ticks(self.look())
    }

    /// Asks for `S` at an instant; at once, if it is past.
    ///
    /// # Errors
    ///
    /// [`TooMany`] if `N` alarms wait.
    pub fn spawn_at<S: Task<App = T::App>>(&mut self, at: C::Instant) -> Result<Alarm, TooMany> {
        self.set::<S>(at.ticks(), None)
    }

    /// Asks for `S` in a while.
    ///
    /// # Errors
    ///
    /// As for [`spawn_at`](Timers::spawn_at).
    pub fn spawn_after<S: Task<App = T::App>>(&mut self, after: C::Duration) -> Result<Alarm, TooMany> {
        let at = self.look().saturating_add(after.ticks());
        self.set::<S>(at, None)
    }

    /// Asks for `S` after `period`, and after each `period` from then on, until it is cancelled. The instants are multiples of the
    /// period from now, however late anybody is; those that are past when somebody looks are left out ([`missed`](Timers::missed)).
    ///
    /// # Errors
    ///
    /// As for [`spawn_at`](Timers::spawn_at).
    pub fn spawn_every<S: Task<App = T::App>>(&mut self, period: C::Duration) -> Result<Alarm, TooMany> {
        let at = self.look().saturating_add(period.ticks());
        self.set::<S>(at, Some(period.ticks()))
    }

    /// Takes an alarm back, and says whether it still waited.
    pub fn cancel(&mut self, alarm: Alarm) -> bool {
        self.queue.cancel(alarm.0).is_some()
    }

    /// Moves an alarm to another instant, and says whether it still waited. A periodic one goes on from there.
    pub fn reschedule_at(&mut self, alarm: Alarm, at: C::Instant) -> bool {
        let waited = self.queue.reschedule(alarm.0, at.ticks());
        self.wake();
        waited
    }

    /// Moves an alarm to a while from now, and says whether it still waited.
    pub fn reschedule_after(&mut self, alarm: Alarm, after: C::Duration) -> bool {
        let at = self.look().saturating_add(after.ticks());
        self.reschedule_at(alarm, C::Instant::from_ticks(at))
    }

    /// How many instants of a periodic alarm had passed at the last look; `None` if it no longer waits.
    #[must_use]
    pub fn missed(&self, alarm: Alarm) -> Option<u32> {
        self.queue.get(alarm.0).map(|entry| entry.missed)
    }

    fn set<S: Task<App = T::App>>(&mut self, at: u64, period: Option<u64>) -> Result<Alarm, TooMany> {
        let entry = Entry {
            pend: |cx| cx.pend::<S>(),
            period,
            missed: 0,
        };
        let ticket = self.queue.insert(at, entry).map_err(|_| TooMany)?;
        // Only the first one decides when the clock's interrupt comes.
        if self.queue.is_first(ticket) {
            self.wake();
        }
        Ok(Alarm(ticket))
    }

    fn look(&mut self) -> u64 {
        self.last = extended(self.last, C::count());
        self.last
    }

    fn wake(&mut self) {
        let now = self.look();
        let wait = self.queue.next().map_or(u64::MAX, |at| at.saturating_sub(now));
        self.clock
            .wake_after(u32::try_from(wait).unwrap_or(u32::MAX).min(C::LONGEST));
    }

    /// Takes the first alarm that was due at the last look. Without one, sets the clock's interrupt for the next.
    fn due(&mut self) -> Option<fn(&Context<'_, T>)> {
        let now = self.last;
        let due = self.queue.pass(now, |at, entry| {
            let again = entry.period.map(|period| {
                let (again, missed) = following(at, period, now);
                entry.missed = entry
                    .missed
                    .saturating_add(u32::try_from(missed).unwrap_or(u32::MAX));
                again
            });
            (again, entry.pend)
        });
        if due.is_none() {
            self.wake();
        }
        due
    }
}

/// Asks for all tasks whose alarms are due. For the task that the clock's interrupt starts; the timers are a resource.
///
/// What is due when it begins, each alarm once: for what comes due meanwhile, such as a period that is shorter than this takes, the interrupt
/// comes again.
#[inline]
pub fn serve<T, R, C, const N: usize>(cx: &mut Context<'_, T>, timers: &mut Handle<'_, Write<R>>)
where
    T: Task,
    R: Resource<App = T::App>,
    R: Stored<Data = Timers<T, C, N>>,
    C: Clock,
{
    cx.lock(&mut *timers, |timers, _| timers.look());
    while let Some(pend) = cx.lock(&mut *timers, |timers, _| timers.due()) {
        pend(cx);
    }
}

/// Waits on the spot, by the clock `C`, which must have been started.
pub struct Delay<C>(PhantomData<fn(C)>);

impl<C: Clock> Delay<C> {
    /// A way to wait.
    #[must_use]
    pub const fn new() -> Self {
        Delay(PhantomData)
    }

    /// Waits at least that many counts. Interrupts in between count too.
    pub fn counts(&mut self, counts: u64) {
        let mut last = C::count();
        let mut left = counts;
        loop {
            let now = C::count();
            let passed = u64::from(now.wrapping_sub(last));
            if passed > left {
                return;
            }
            (left, last) = (left - passed, now);
        }
    }
}

impl<C: Clock> Default for Delay<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C, const HZ: u32> embedded_hal::delay::DelayNs for Delay<C>
where
    C: Clock<Duration = fugit::Duration<u64, 1, HZ>>,
{
    fn delay_ns(&mut self, ns: u32) {
        self.counts((u64::from(ns) * u64::from(HZ)).div_ceil(1_000_000_000));
    }

    fn delay_us(&mut self, us: u32) {
        self.counts((u64::from(us) * u64::from(HZ)).div_ceil(1_000_000));
    }

    fn delay_ms(&mut self, ms: u32) {
        self.counts((u64::from(ms) * u64::from(HZ)).div_ceil(1_000));
    }
}
