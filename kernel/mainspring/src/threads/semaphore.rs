//! A count that threads wait for.

#![allow(unsafe_code)] // The kernel's section, and the word that is changed without it.

use core::marker::PhantomData;
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

use mainspring_core::threads::Set;

use super::kernel::{self, check_time};
use super::state::{self, Section};
use super::time::{Ticks, TimedOut};
use crate::arch;
use crate::brand::Brand;
use crate::context::{Context, switching_section, waiting_section};
use crate::level::Level;
use crate::model::{App, Threaded};

/// In place of a count of 0 while a thread waits. One more or one less is negative, too.
const WANTED: u32 = 0xc000_0000;

/// The count is as large as it can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full;

/// A counting semaphore of the application `A`. With a count of 0 or 1 it is what others call a signal.
///
/// While no thread waits, taking and giving change one word and hold nothing back: LDREX and STREX, or PRIMASK where there is
/// neither.
pub struct Semaphore<A> {
    count: AtomicU32,
    waiting: Set,
    app: Brand<A>,
}

// SAFETY: the set is used in the kernel's section alone.
unsafe impl<A> Sync for Semaphore<A> {}

impl<A: App> Semaphore<A> {
    /// The greatest count.
    pub const MOST: u32 = i32::MAX as u32;

    /// With this count.
    ///
    /// # Panics
    ///
    /// If it is more than [`MOST`](Self::MOST).
    #[must_use]
    pub const fn new(count: u32) -> Self {
        assert!(count <= Self::MOST, "a semaphore counts to 2^31 - 1");
        Semaphore {
            count: AtomicU32::new(count),
            waiting: Set::new(),
            app: PhantomData,
        }
    }

    /// Takes one; waits while there is none.
    #[inline(always)]
    pub fn take<T: Threaded<App = A>>(&'static self, cx: &mut Context<'_, T>) {
        if !self.take_one_at_once() {
            let _ = self.wait(cx, None);
        }
    }

    /// Takes one; waits while there is none, for `ticks` at the most.
    ///
    /// # Errors
    ///
    /// [`TimedOut`] if none came.
    #[inline(always)]
    pub fn take_within<T: Threaded<App = A>>(
        &'static self,
        cx: &mut Context<'_, T>,
        ticks: Ticks,
    ) -> Result<(), TimedOut> {
        const { check_time::<T::App>() };
        if self.take_one_at_once() {
            Ok(())
        } else {
            self.wait(cx, Some(ticks))
        }
    }

    /// Takes one if there is one.
    #[inline(always)]
    pub fn try_take<L: Level<App = A>>(&'static self, _cx: &Context<'_, L>) -> bool {
        self.take_one()
    }

    #[inline(always)]
    fn take_one(&self) -> bool {
        arch::count::<true>(&self.count)
    }

    /// Takes one if there is one, and no other context comes in between.
    #[inline(always)]
    fn take_one_at_once(&self) -> bool {
        arch::count_at_once::<true>(&self.count)
    }

    #[inline(always)]
    fn wait<T: Threaded<App = A>>(
        &'static self,
        _cx: &mut Context<'_, T>,
        until: Option<Ticks>,
    ) -> Result<(), TimedOut> {
        core::hint::cold_path();
        let wait = || {
            if self.take_one() {
                return (Ok(()), Section::Held);
            }
            self.count.store(WANTED, Relaxed);
            // SAFETY: in the kernel's section of a thread outside of every section, as its context says.
            unsafe { kernel::wait::<T>(Some(&self.waiting), until) }
        };
        // SAFETY: the context's level.
        unsafe { waiting_section::<T, _>(wait) }
    }

    /// Gives one: to the most urgent thread that waits, or to the count. From a task, too: it never waits.
    ///
    /// # Errors
    ///
    /// [`Full`] if the count is [`MOST`](Self::MOST).
    #[inline(always)]
    pub fn give<L: Level<App = A>>(&'static self, cx: &mut Context<'_, L>) -> Result<(), Full> {
        if arch::count_at_once::<false>(&self.count) {
            Ok(())
        } else {
            self.hand_over(cx)
        }
    }

    #[cold]
    #[inline(never)]
    fn hand_over<L: Level<App = A>>(&'static self, _cx: &mut Context<'_, L>) -> Result<(), Full> {
        let hand_over = || {
            let kernel = state::of::<A>();
            if let Some(woken) = kernel.release(&self.waiting) {
                if self.waiting.is_empty() {
                    self.count.store(0, Relaxed);
                }
                // SAFETY: in the kernel's section, begun at the context's level.
                return (Ok(()), unsafe { kernel::woke::<L>(woken) });
            }
            if self.count.load(Relaxed) == WANTED {
                // Whoever waited has given up.
                self.count.store(1, Relaxed);
            } else if !arch::count::<false>(&self.count) {
                return (Err(Full), Section::Held);
            }
            (Ok(()), Section::Held)
        };
        // SAFETY: the context's level.
        unsafe { switching_section::<L, _>(hand_over) }
    }

    /// How many there are to take.
    pub fn count(&self) -> u32 {
        match self.count.load(Relaxed) {
            WANTED => 0,
            count => count,
        }
    }
}
