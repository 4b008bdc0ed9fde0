//! Bits that threads wait for, some or all of them.

#![allow(unsafe_code)] // The kernel's section.

use core::cell::Cell;
use core::marker::PhantomData;

use mainspring_core::threads::{Set, bit, top};

use super::awaited::stop;
use super::kernel::{self, check_time};
use super::state::{self, Section, slot};
use super::time::{Ticks, TimedOut};
use crate::brand::Brand;
use crate::context::{Context, kernel_section, switching_section};
use crate::level::Level;
use crate::model::{App, Threaded};

/// Event flags of the application `A`: 31 of them, bits 0 to 30.
pub struct Flags<A> {
    set: Cell<u32>,
    waiting: Set,
    app: Brand<A>,
}

// SAFETY: used in the kernel's section alone.
unsafe impl<A> Sync for Flags<A> {}

/// The flags that a thread waits for. The flags that it waited for are cleared when it goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// One of these at the least.
    Any(u32),
    /// All of these.
    All(u32),
}

/// In a thread's word: all of the flags, not any.
const ALL: u32 = 1 << 31;

impl Wanted {
    #[inline(always)]
    const fn word(self) -> u32 {
        match self {
            Wanted::Any(flags) => flags & !ALL,
            Wanted::All(flags) => flags | ALL,
        }
    }
}

/// Those of `set` that a thread with this word gets; none, if it is not enough.
#[inline(always)]
const fn enough(word: u32, set: u32) -> u32 {
    let flags = word & !ALL;
    let there = flags & set;
    if word & ALL != 0 && there != flags {
        0
    } else {
        there
    }
}

impl<A: App> Flags<A> {
    /// None is set.
    #[must_use]
    pub const fn new() -> Self {
        Flags {
            set: Cell::new(0),
            waiting: Set::new(),
            app: PhantomData,
        }
    }

    /// Waits for `wanted`, clears it, and says which there were.
    ///
    /// # Panics
    ///
    /// If `wanted` is none of the 31 flags: it would never come.
    #[inline(always)]
    pub fn wait<T: Threaded<App = A>>(&'static self, cx: &mut Context<'_, T>, wanted: Wanted) -> u32 {
        match self.wait_until(cx, wanted, None) {
            Ok(flags) => flags,
            Err(TimedOut) => unreachable!("this wait has no end"),
        }
    }

    /// As [`wait`](Self::wait), for `ticks` at the most.
    ///
    /// # Errors
    ///
    /// [`TimedOut`] if they did not come. None is cleared then.
    ///
    /// # Panics
    ///
    /// As [`wait`](Self::wait).
    #[inline(always)]
    pub fn wait_within<T: Threaded<App = A>>(
        &'static self,
        cx: &mut Context<'_, T>,
        wanted: Wanted,
        ticks: Ticks,
    ) -> Result<u32, TimedOut> {
        const { check_time::<T::App>() };
        self.wait_until(cx, wanted, Some(ticks))
    }

    #[inline(always)]
    fn wait_until<T: Threaded<App = A>>(
        &'static self,
        _cx: &mut Context<'_, T>,
        wanted: Wanted,
        until: Option<Ticks>,
    ) -> Result<u32, TimedOut> {
        let wait = || {
            let there = enough(wanted.word(), self.set.get());
            if there != 0 {
                self.set.set(self.set.get() & !there);
                return (Ok(there), Section::Held);
            }
            core::hint::cold_path();
            if wanted.word() & !ALL == 0 {
                stop::<A>(T::RANK, "waits for no flag at all", None, "");
            }
            let slot = slot::<A>(T::RANK);
            slot.word.set(wanted.word() as usize);
            // SAFETY: in the kernel's section of a thread outside of every section.
            let (waited, section) = unsafe { kernel::wait::<T>(Some(&self.waiting), until) };
            // Nobody but the thread itself begins another wait of it.
            (waited.map(|()| slot.word.get() as u32), section)
        };
        // SAFETY: the context's level.
        unsafe { switching_section::<T, _>(wait) }
    }

    /// Sets `flags`, and lets all go on that have waited for that, the most urgent first. From a task, too. A number of
    /// steps that grows with the number of waiting threads.
    #[inline(always)]
    pub fn set<L: Level<App = A>>(&'static self, _cx: &mut Context<'_, L>, flags: u32) {
        let set = || {
            let now = self.set.get() | flags & !ALL;
            self.set.set(now);
            if self.waiting.is_empty() {
                return ((), Section::Held);
            }
            core::hint::cold_path();
            self.serve();
            // SAFETY: in the kernel's section, begun at the context's level.
            ((), unsafe { kernel::woke_some::<L>() })
        };
        // SAFETY: the context's level.
        unsafe { switching_section::<L, _>(set) };
    }

    fn serve(&self) {
        let mut left = self.waiting.members();
        while left != 0 {
            let rank = top(left);
            left &= !bit(rank);
            let slot = slot::<A>(rank);
            let there = enough(slot.word.get() as u32, self.set.get());
            if there != 0 {
                self.set.set(self.set.get() & !there);
                slot.word.set(there as usize);
                state::of::<A>().release_member(&self.waiting, rank);
            }
        }
    }

    /// Clears `flags`.
    #[inline(always)]
    pub fn clear<L: Level<App = A>>(&'static self, _cx: &mut Context<'_, L>, flags: u32) {
        // SAFETY: the context's level.
        unsafe { kernel_section::<L, _>(|| self.set.set(self.set.get() & !flags)) };
    }

    /// Which are set.
    pub fn get<L: Level<App = A>>(&'static self, _cx: &Context<'_, L>) -> u32 {
        // SAFETY: the context's level.
        unsafe { kernel_section::<L, _>(|| self.set.get()) }
    }
}

impl<A: App> Default for Flags<A> {
    fn default() -> Self {
        Self::new()
    }
}
