//! Data that one thread has at a time, for as long as it likes, waiting included.

#![allow(unsafe_code)] // References to what is inside, for who has it.

use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use mainspring_core::threads::{Holder, Locking, Mutexes, Outcome, Ownership, Scheduler};

use super::awaited::{check_circle, stop};
use super::kernel::{self, check_time};
use super::state::{self, Section};
use super::time::{self, Ticks, TimedOut};
use crate::arch;
use crate::brand::Brand;
use crate::context::{Context, kernel_section, switching_section};
use crate::model::{App, Threaded};

/// Data that threads of the application `A` share, and may keep while they wait.
///
/// For data that tasks share, or that is held only briefly, use a [`Resource`](crate::Resource): it is cheaper, and no code waits for it.
/// A thread that waits for a mutex lends its priority to the owner, along the chain if that one waits, too.
pub struct Mutex<A, D> {
    ownership: Ownership,
    data: UnsafeCell<D>,
    app: Brand<A>,
}

/// The mutexes that any thread has had. One list for all applications: a chip runs one.
struct All(Mutexes);

// SAFETY: used in the kernel's section alone.
unsafe impl Sync for All {}

// SAFETY: it is zero at first, as that section is. A section of its own keeps it out of what the compiler makes of the program's statics.
#[cfg_attr(target_os = "none", unsafe(link_section = ".bss.mainspring_lists"))]
static ALL: All = All(Mutexes::new());

/// `rank` has returned: what mutexes it has are the next one's.
///
/// # Safety
///
/// In the kernel's section of that thread.
pub(super) unsafe fn leave_all(kernel: &Scheduler, rank: usize) {
    kernel.leave_mutexes(rank, &ALL.0);
}

// SAFETY: the data is with one thread at a time, and goes from one to another; the rest is used in the kernel's section.
unsafe impl<A, D: Send> Sync for Mutex<A, D> {}

/// The data of a mutex, while the thread `T` has it: within this run of the thread, so that it cannot be kept for the next.
pub struct Guard<'run, T: Threaded, D: 'static> {
    mutex: &'static Mutex<T::App, D>,
    abandoned: bool,
    /// Not `Send`: it is this thread's.
    here: PhantomData<(*mut (), &'run mut (), Brand<T>)>,
}

impl<A: App, D> Mutex<A, D> {
    /// With this data.
    #[must_use]
    pub const fn new(data: D) -> Self {
        Mutex {
            ownership: Ownership::new(),
            data: UnsafeCell::new(data),
            app: PhantomData,
        }
    }

    /// Waits until the data is free.
    ///
    /// # Panics
    ///
    /// If the thread has it already, or if its owner waits for this thread, directly or not: neither would ever continue.
    #[inline(always)]
    pub fn lock<'run, T: Threaded<App = A>>(&'static self, cx: &mut Context<'run, T>) -> Guard<'run, T, D> {
        if arch::claim_at_once::<T>(&self.ownership.word) {
            return Guard::new(self, false);
        }
        match self.wait(cx, None) {
            Ok(guard) => guard,
            Err(_) => unreachable!("nothing ends this wait but the mutex"),
        }
    }

    /// Waits until the data is free, for `ticks` at the most.
    ///
    /// # Errors
    ///
    /// [`TimedOut`] if it did not become free.
    ///
    /// # Panics
    ///
    /// If the thread has it already.
    #[inline(always)]
    pub fn lock_within<'run, T: Threaded<App = A>>(
        &'static self,
        cx: &mut Context<'run, T>,
        ticks: Ticks,
    ) -> Result<Guard<'run, T, D>, TimedOut> {
        const { check_time::<T::App>() };
        if arch::claim_at_once::<T>(&self.ownership.word) {
            return Ok(Guard::new(self, false));
        }
        self.wait(cx, Some(ticks))
    }

    /// The data, if the mutex is free. A mutex that a thread had when it returned is free.
    #[inline(always)]
    pub fn try_lock<'run, T: Threaded<App = A>>(
        &'static self,
        cx: &mut Context<'run, T>,
    ) -> Option<Guard<'run, T, D>> {
        if self.take_free::<T>() {
            return Some(Guard::new(self, false));
        }
        self.take_unsaid(cx)
    }

    #[inline(always)]
    fn take_free<T: Threaded<App = A>>(&self) -> bool {
        arch::update(&self.ownership.word, |word| {
            Ownership::is_free(word).then_some(const { Ownership::held_by(T::RANK) })
        })
    }

    /// As [`try_lock`](Self::try_lock), where the word does not say that it is free.
    #[cold]
    #[inline(never)]
    fn take_unsaid<'run, T: Threaded<App = A>>(
        &'static self,
        _cx: &mut Context<'run, T>,
    ) -> Option<Guard<'run, T, D>> {
        let take = || {
            ALL.0.add(&self.ownership);
            match state::of::<A>().try_lock(T::RANK, &self.ownership) {
                Locking::Taken => Some(Guard::new(self, false)),
                Locking::Abandoned => Some(Guard::new(self, true)),
                Locking::Waits | Locking::Own => None,
            }
        };
        // SAFETY: the context's level.
        unsafe { kernel_section::<T, _>(take) }
    }

    #[cold]
    #[inline(never)]
    fn wait<'run, T: Threaded<App = A>>(
        &'static self,
        _cx: &mut Context<'run, T>,
        until: Option<Ticks>,
    ) -> Result<Guard<'run, T, D>, TimedOut> {
        // SAFETY: the context's level; in the kernel's section of a thread outside of every section.
        unsafe { switching_section::<T, _>(|| lock_in_section::<T, D>(self, until)) }
    }
}

/// # Safety
///
/// In the kernel's section of the thread `T`, outside of every other.
pub(super) unsafe fn lock_in_section<'run, T: Threaded, D>(
    mutex: &'static Mutex<T::App, D>,
    until: Option<Ticks>,
) -> (Result<Guard<'run, T, D>, TimedOut>, Section) {
    let kernel = state::of::<T::App>();
    ALL.0.add(&mutex.ownership);
    if until.is_none()
        && let Holder::Thread(owner) = mutex.ownership.holder()
        && owner != T::RANK
    {
        check_circle::<T::App>(T::RANK, owner);
    }
    let lock = |until| kernel.lock(T::RANK, &mutex.ownership, until);
    // SAFETY: the caller's promise.
    let locking = match until {
        Some(Ticks(ticks)) => unsafe {
            time::begin_wait::<T::App, _>(kernel, T::RANK, ticks, |ticks| lock(Some(ticks)))
        },
        None => lock(None),
    };
    match locking {
        Locking::Taken => (Ok(Guard::new(mutex, false)), Section::Held),
        Locking::Abandoned => (Ok(Guard::new(mutex, true)), Section::Held),
        Locking::Own => stop::<T::App>(T::RANK, "locks a mutex that it has already", None, ""),
        Locking::Waits => {
            // SAFETY: the caller's promise.
            let section = unsafe { kernel::switch_to::<T>(kernel.select()) };
            // Nobody but `T` itself begins another wait of it.
            let locked = match kernel.outcome(T::RANK) {
                Outcome::Came => Ok(Guard::new(mutex, false)),
                Outcome::Abandoned => Ok(Guard::new(mutex, true)),
                Outcome::TimedOut => Err(TimedOut),
            };
            (locked, section)
        }
    }
}

impl<T: Threaded, D> Guard<'_, T, D> {
    /// Whoever has taken the mutex makes one.
    #[inline(always)]
    fn new(mutex: &'static Mutex<T::App, D>, abandoned: bool) -> Self {
        Guard {
            mutex,
            abandoned,
            here: PhantomData,
        }
    }

    /// Whether the last owner returned without giving the mutex back: its change of the data may be half done.
    pub fn is_abandoned(&self) -> bool {
        self.abandoned
    }

    pub(super) fn mutex(&self) -> &'static Mutex<T::App, D> {
        self.mutex
    }
}

/// Gives the mutex back.
///
/// # Safety
///
/// In the kernel's section; `T` has the mutex, and no reference to its data.
pub(super) unsafe fn unlock_in_section<T: Threaded, D>(mutex: &'static Mutex<T::App, D>) {
    state::of::<T::App>().unlock(&mutex.ownership);
}

impl<T: Threaded, D> Drop for Guard<'_, T, D> {
    #[inline(always)]
    fn drop(&mut self) {
        if !arch::give_back_at_once::<T>(&self.mutex.ownership.word) {
            hand_over::<T, D>(self.mutex);
        }
    }
}

/// A thread waits: the mutex goes to the first of them, which runs at once if it is more urgent. The guard may be dropped
/// inside of a section, so the switch is asked for, and happens when nothing holds it back.
#[cold]
#[inline(never)]
fn hand_over<T: Threaded, D>(mutex: &'static Mutex<T::App, D>) {
    let hand_over = || {
        // SAFETY: in the kernel's section; the guard is gone.
        unsafe { unlock_in_section::<T, D>(mutex) };
        arch::pend_switch::<T::App>();
    };
    arch::kernel_section_anywhere::<T::App, _>(hand_over);
}

impl<T: Threaded, D> Deref for Guard<'_, T, D> {
    type Target = D;

    #[inline(always)]
    fn deref(&self) -> &D {
        // SAFETY: the thread has the mutex, and the guard is borrowed.
        unsafe { &*self.mutex.data.get() }
    }
}

impl<T: Threaded, D> DerefMut for Guard<'_, T, D> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut D {
        // SAFETY: the thread has the mutex, and the guard is borrowed mutably.
        unsafe { &mut *self.mutex.data.get() }
    }
}

impl<T: Threaded, D: fmt::Debug> fmt::Debug for Guard<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
