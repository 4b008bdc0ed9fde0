//! Waiting, with a mutex given back meanwhile, until what it protects has changed.

#![allow(unsafe_code)] // The kernel's section.

use core::marker::PhantomData;

use mainspring_core::threads::Set;

use super::kernel::{self, check_time};
use super::mutex::{Guard, lock_in_section, unlock_in_section};
use super::state::{self, Section};
use super::time::{Ticks, TimedOut};
use crate::brand::Brand;
use crate::context::{Context, switching_section};
use crate::level::Level;
use crate::model::{App, Threaded};

/// A condition variable of the application `A`.
pub struct Condition<A> {
    waiting: Set,
    app: Brand<A>,
}

// SAFETY: used in the kernel's section alone.
unsafe impl<A> Sync for Condition<A> {}

impl<A: App> Condition<A> {
    /// No thread waits.
    #[must_use]
    pub const fn new() -> Self {
        Condition {
            waiting: Set::new(),
            app: PhantomData,
        }
    }

    /// Gives the mutex back, waits, and takes it again. Another thread may have had it in between: check again.
    pub fn wait<'run, T: Threaded<App = A>, D>(
        &'static self,
        cx: &mut Context<'run, T>,
        guard: Guard<'run, T, D>,
    ) -> Guard<'run, T, D> {
        self.wait_for(cx, guard, None).0
    }

    /// As [`wait`](Self::wait), for `ticks` at the most; it also takes the time until the mutex is free again.
    pub fn wait_within<'run, T: Threaded<App = A>, D>(
        &'static self,
        cx: &mut Context<'run, T>,
        guard: Guard<'run, T, D>,
        ticks: Ticks,
    ) -> (Guard<'run, T, D>, Result<(), TimedOut>) {
        const { check_time::<T::App>() };
        self.wait_for(cx, guard, Some(ticks))
    }

    fn wait_for<'run, T: Threaded<App = A>, D>(
        &'static self,
        _cx: &mut Context<'run, T>,
        guard: Guard<'run, T, D>,
        until: Option<Ticks>,
    ) -> (Guard<'run, T, D>, Result<(), TimedOut>) {
        let mutex = guard.mutex();
        core::mem::forget(guard);
        // SAFETY: the context's level; in the kernel's section of a thread outside of every section, which has the mutex.
        unsafe {
            switching_section::<T, _>(|| {
                unlock_in_section::<T, D>(mutex);
                let (outcome, section) = kernel::wait::<T>(Some(&self.waiting), until);
                crate::arch::begin_section_again::<A>(section);
                let (guard, section) = lock_in_section::<T, D>(mutex, None);
                let guard = guard.unwrap_or_else(|_| unreachable!("nothing ends this wait but the mutex"));
                ((guard, outcome), section)
            })
        }
    }

    /// Wakes the most urgent waiting thread.
    pub fn notify_one<L: Level<App = A>>(&'static self, _cx: &mut Context<'_, L>) {
        let notify = || {
            let kernel = state::of::<A>();
            let section = match kernel.release(&self.waiting) {
                // SAFETY: in the kernel's section, begun at the context's level.
                Some(woken) => unsafe { kernel::woke::<L>(woken) },
                None => Section::Held,
            };
            ((), section)
        };
        // SAFETY: the context's level.
        unsafe { switching_section::<L, _>(notify) }
    }

    /// Wakes all waiting threads.
    pub fn notify_all<L: Level<App = A>>(&'static self, _cx: &mut Context<'_, L>) {
        let notify = || {
            let kernel = state::of::<A>();
            while kernel.release(&self.waiting).is_some() {}
            // SAFETY: in the kernel's section, begun at the context's level.
            ((), unsafe { kernel::woke_some::<L>() })
        };
        // SAFETY: the context's level.
        unsafe { switching_section::<L, _>(notify) }
    }
}

impl<A: App> Default for Condition<A> {
    fn default() -> Self {
        Self::new()
    }
}
