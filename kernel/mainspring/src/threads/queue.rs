//! Messages from thread to thread, and from tasks to threads.

#![allow(unsafe_code)] // Slots that are written and read in the kernel's section.

use core::cell::{Cell, UnsafeCell};
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use mainspring_core::threads::Set;

use super::kernel::{self, check_time};
use super::thread::{Threaded, Ticks, TimedOut};
use crate::app::App;
use crate::arch;
use crate::brand::Brand;
use crate::context::{Context, kernel_section};
use crate::level::Level;

/// Room for `N` messages of the application `A`; `N` is 1, 2, 4, 8 ….
pub struct Queue<A, M, const N: usize> {
    /// Messages ever taken, and ever put in, wrapping.
    taken: Cell<u32>,
    put: Cell<u32>,
    messages: UnsafeCell<[MaybeUninit<M>; N]>,
    receivers: Set,
    senders: Set,
    app: Brand<A>,
}

// SAFETY: messages go from one context to another; the rest is used in the kernel's section.
unsafe impl<A, M: Send, const N: usize> Sync for Queue<A, M, N> {}

impl<A: App, M: Send + 'static, const N: usize> Queue<A, M, N> {
    /// An empty one.
    #[must_use]
    pub const fn new() -> Self {
        const {
            assert!(
                N.is_power_of_two() && N <= 1 << 16,
                "a queue holds 1, 2, 4, 8 … messages: a power of two"
            );
        };
        Queue {
            taken: Cell::new(0),
            put: Cell::new(0),
            messages: UnsafeCell::new([const { MaybeUninit::uninit() }; N]),
            receivers: Set::new(),
            senders: Set::new(),
            app: PhantomData,
        }
    }

    /// How many messages there are.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.put.get().wrapping_sub(self.taken.get()) as usize
    }

    /// Whether there is none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The place of the message with this number.
    #[inline(always)]
    fn place(&self, number: u32) -> *mut M {
        // SAFETY: inside of the array: there are `N`, a power of two.
        unsafe { self.messages.get().cast::<M>().add(number as usize & (N - 1)) }
    }

    /// Puts `message` in; waits while there is no room.
    #[inline(always)]
    pub fn send<T: Threaded<App = A>>(&'static self, cx: &mut Context<'_, T>, message: M) {
        let _ = self.send_until(cx, message, None);
    }

    /// Puts `message` in; waits while there is no room, for `ticks` at the most.
    ///
    /// # Errors
    ///
    /// The message, if there was none.
    #[inline(always)]
    pub fn send_within<T: Threaded<App = A>>(
        &'static self,
        cx: &mut Context<'_, T>,
        message: M,
        ticks: Ticks,
    ) -> Result<(), M> {
        const { check_time::<T::App>() };
        self.send_until(cx, message, Some(ticks))
    }

    #[inline(always)]
    fn send_until<T: Threaded<App = A>>(
        &'static self,
        _cx: &mut Context<'_, T>,
        message: M,
        until: Option<Ticks>,
    ) -> Result<(), M> {
        let send = || {
            while self.len() == N {
                // SAFETY: in the kernel's section of a thread outside of every section.
                let waited = unsafe { kernel::wait::<T>(Some(&self.senders), until) };
                arch::begin_section_again::<A>();
                if waited.is_err() && self.len() == N {
                    return Err(message);
                }
            }
            // SAFETY: there is room, in the kernel's section, begun at the context's level.
            unsafe { self.put::<T>(message) };
            Ok(())
        };
        // SAFETY: the context's level.
        unsafe { kernel_section::<T, _>(send) }
    }

    /// Puts `message` in if there is room. From a task, too: it never waits.
    ///
    /// # Errors
    ///
    /// The message, if there is none.
    #[inline(always)]
    pub fn try_send<L: Level<App = A>>(&'static self, _cx: &mut Context<'_, L>, message: M) -> Result<(), M> {
        let send = || {
            if self.len() == N {
                return Err(message);
            }
            // SAFETY: there is room, in the kernel's section, begun at the context's level.
            unsafe { self.put::<L>(message) };
            Ok(())
        };
        // SAFETY: the context's level.
        unsafe { kernel_section::<L, _>(send) }
    }

    /// # Safety
    ///
    /// In the kernel's section, begun at level `L`; there is room.
    #[inline(always)]
    unsafe fn put<L: Level<App = A>>(&'static self, message: M) {
        let number = self.put.get();
        // SAFETY: the place is free.
        unsafe { self.place(number).write(message) };
        self.put.set(number.wrapping_add(1));
        // SAFETY: the caller's promise.
        unsafe { wake_first::<L>(&self.receivers) };
    }

    /// Takes the oldest message; waits while there is none.
    #[inline(always)]
    pub fn receive<T: Threaded<App = A>>(&'static self, cx: &mut Context<'_, T>) -> M {
        match self.receive_until(cx, None) {
            Ok(message) => message,
            Err(TimedOut) => unreachable!("this wait has no end"),
        }
    }

    /// Takes the oldest message; waits while there is none, for `ticks` at the most.
    ///
    /// # Errors
    ///
    /// [`TimedOut`] if none came.
    #[inline(always)]
    pub fn receive_within<T: Threaded<App = A>>(
        &'static self,
        cx: &mut Context<'_, T>,
        ticks: Ticks,
    ) -> Result<M, TimedOut> {
        const { check_time::<T::App>() };
        self.receive_until(cx, Some(ticks))
    }

    #[inline(always)]
    fn receive_until<T: Threaded<App = A>>(
        &'static self,
        _cx: &mut Context<'_, T>,
        until: Option<Ticks>,
    ) -> Result<M, TimedOut> {
        let receive = || {
            while self.is_empty() {
                // SAFETY: in the kernel's section of a thread outside of every section.
                let waited = unsafe { kernel::wait::<T>(Some(&self.receivers), until) };
                arch::begin_section_again::<A>();
                if waited.is_err() && self.is_empty() {
                    return Err(TimedOut);
                }
            }
            // SAFETY: there is a message, in the kernel's section, begun at the context's level.
            Ok(unsafe { self.get::<T>() })
        };
        // SAFETY: the context's level.
        unsafe { kernel_section::<T, _>(receive) }
    }

    /// Takes the oldest message, if there is one.
    #[inline(always)]
    pub fn try_receive<L: Level<App = A>>(&'static self, _cx: &mut Context<'_, L>) -> Option<M> {
        // SAFETY: there is a message, in the kernel's section, begun at the context's level.
        let receive = || (!self.is_empty()).then(|| unsafe { self.get::<L>() });
        // SAFETY: the context's level.
        unsafe { kernel_section::<L, _>(receive) }
    }

    /// # Safety
    ///
    /// In the kernel's section, begun at level `L`; there is a message.
    #[inline(always)]
    unsafe fn get<L: Level<App = A>>(&'static self) -> M {
        let number = self.taken.get();
        // SAFETY: a message that was written and has not been taken.
        let message = unsafe { self.place(number).read() };
        self.taken.set(number.wrapping_add(1));
        // SAFETY: the caller's promise.
        unsafe { wake_first::<L>(&self.senders) };
        message
    }
}

/// # Safety
///
/// As for [`kernel::woke`].
#[inline(always)]
unsafe fn wake_first<L: Level>(set: &'static Set) {
    let kernel = L::App::KERNEL;
    if let Some(first) = kernel.release(set) {
        // SAFETY: the caller's promise.
        unsafe { kernel::woke::<L>(first) };
    }
}

impl<A: App, M: Send + 'static, const N: usize> Default for Queue<A, M, N> {
    fn default() -> Self {
        Self::new()
    }
}
