//! Messages from thread to thread, and from tasks to threads.

#![allow(unsafe_code)] // Slots that are written and read in the kernel's section.

use core::cell::{Cell, UnsafeCell};
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use mainspring_core::threads::{Scheduler, Set, Waiting};

use super::kernel::{self, check_time};
use super::state::{self, Section, slot};
use super::time::{Ticks, TimedOut};
use crate::arch;
use crate::brand::Brand;
use crate::context::{Context, kernel_section, switching_section};
use crate::level::Level;
use crate::model::{App, Threaded};

/// Room for `N` messages of the application `A`; `N` is 1, 2, 4, 8 ….
///
/// A message that a thread waits for goes to the first such thread at once. One for which there is no room comes from its sender
/// as soon as there is: no later sender goes before.
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
    pub fn len<L: Level<App = A>>(&'static self, _cx: &Context<'_, L>) -> usize {
        // SAFETY: the context's level.
        unsafe { kernel_section::<L, _>(|| self.count()) }
    }

    /// Whether there is none.
    pub fn is_empty<L: Level<App = A>>(&'static self, cx: &Context<'_, L>) -> bool {
        self.len(cx) == 0
    }

    /// How many messages there are. In the kernel's section: another context could be changing that.
    #[inline(always)]
    fn count(&self) -> usize {
        self.put.get().wrapping_sub(self.taken.get()) as usize
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
        let wait = |message: ManuallyDrop<M>| {
            let place = (&raw const message).expose_provenance();
            let word = |kernel: &Scheduler| state::slot_of(kernel, T::RANK).word.set(place);
            // SAFETY: in the kernel's section of a thread outside of every section. Who makes room puts the message in.
            let (waited, section) = unsafe { kernel::wait_with::<T>(Some(&self.senders), until, word) };
            let waited = waited.map_err(|TimedOut| ManuallyDrop::into_inner(message));
            (waited, section)
        };
        // SAFETY: the context's level.
        unsafe { switching_section::<T, _>(|| self.hand_over_or_push::<T>(message, wait)) }
    }

    /// Puts `message` in if there is room. From a task, too: it never waits.
    ///
    /// # Errors
    ///
    /// The message, if there is none.
    #[inline(always)]
    pub fn try_send<L: Level<App = A>>(&'static self, _cx: &mut Context<'_, L>, message: M) -> Result<(), M> {
        let full = |message| (Err(ManuallyDrop::into_inner(message)), Section::Held);
        // SAFETY: the context's level.
        unsafe { switching_section::<L, _>(|| self.hand_or_push::<L>(message, full)) }
    }

    /// As [`hand_or_push`](Self::hand_or_push), from a thread.
    ///
    /// # Safety
    ///
    /// In the kernel's section of the thread `T`, outside of every other section.
    #[inline(always)]
    unsafe fn hand_over_or_push<T: Threaded<App = A>>(
        &'static self,
        message: M,
        full: impl FnOnce(ManuallyDrop<M>) -> (Result<(), M>, Section),
    ) -> (Result<(), M>, Section) {
        let kernel = state::of::<A>();
        let members = self.receivers.members();
        // SAFETY: the caller's promise. Who waits has said in its word where its message is wanted.
        unsafe {
            if members == 0 {
                return self.push_or(message, full);
            }
            let Some(first) = arch::find_first(kernel, members) else {
                return self.hand::<T>(kernel, kernel.waiting(&self.receivers), message);
            };
            if first.is_before::<T>() {
                let Some(leave) = first.may_switch::<T>() else {
                    core::hint::cold_path();
                    let message = ManuallyDrop::new(message);
                    return (Ok(()), self.hand_special::<T>(first.rank, &message));
                };
                first.release(kernel, &self.receivers);
                with_exposed_provenance_mut::<M>(first.word).write(message);
                return (Ok(()), first.switch_from::<T>(kernel, leave));
            }
            if first.is_plain() {
                first.release(kernel, &self.receivers);
                with_exposed_provenance_mut::<M>(first.word).write(message);
                return (Ok(()), Section::Held);
            }
            core::hint::cold_path();
            let message = ManuallyDrop::new(message);
            (Ok(()), self.hand_special::<T>(first.rank, &message))
        }
    }

    /// Gives `message` to the first thread that waits for one, or puts it after the others; does `full` where there is no room.
    ///
    /// # Safety
    ///
    /// In the kernel's section, begun at level `L`.
    #[inline(always)]
    unsafe fn hand_or_push<L: Level<App = A>>(
        &'static self,
        message: M,
        full: impl FnOnce(ManuallyDrop<M>) -> (Result<(), M>, Section),
    ) -> (Result<(), M>, Section) {
        let kernel = state::of::<A>();
        let waiting = kernel.waiting(&self.receivers);
        // SAFETY: the caller's promise.
        unsafe {
            if waiting.is_nobody() {
                return self.push_or(message, full);
            }
            self.hand::<L>(kernel, waiting, message)
        }
    }

    /// Puts `message` after the others; does `full` where there is no room.
    ///
    /// # Safety
    ///
    /// In the kernel's section; no thread waits for a message.
    #[inline(always)]
    unsafe fn push_or(
        &self,
        message: M,
        full: impl FnOnce(ManuallyDrop<M>) -> (Result<(), M>, Section),
    ) -> (Result<(), M>, Section) {
        if self.count() == N {
            core::hint::cold_path();
            return full(ManuallyDrop::new(message));
        }
        // SAFETY: there is room.
        unsafe { self.push(message) };
        (Ok(()), Section::Held)
    }

    /// Gives `message` to the first of those who wait for one, of whom this is `waiting`.
    ///
    /// # Safety
    ///
    /// In the kernel's section, begun at level `L`; somebody waits.
    #[inline(always)]
    unsafe fn hand<L: Level<App = A>>(
        &'static self,
        kernel: &'static Scheduler,
        waiting: Waiting,
        message: M,
    ) -> (Result<(), M>, Section) {
        let top = waiting.top();
        if waiting.is_special(top) {
            let message = ManuallyDrop::new(message);
            // SAFETY: the caller's promise.
            return (Ok(()), unsafe { self.hand_special::<L>(top, &message) });
        }
        let slot = state::slot_of(kernel, top);
        let (place, stack) = (slot.word.get(), slot.stack.get());
        let woken = kernel.release_plain(&self.receivers, waiting, top);
        // SAFETY: it waited in `receive_until`, with the place of its message in its word. The caller's promise.
        unsafe {
            with_exposed_provenance_mut::<M>(place).write(message);
            (Ok(()), kernel::woke_with::<L>(woken, stack))
        }
    }

    /// Hands `message` to one of those who wait, of whom `top` is the most urgent and not to be let go without thinking.
    ///
    /// # Safety
    ///
    /// In the kernel's section, begun at level `L`. The message is not used again.
    #[cold]
    #[inline(never)]
    unsafe fn hand_special<L: Level<App = A>>(&'static self, top: usize, message: &M) -> Section {
        let kernel = state::of::<A>();
        let woken = kernel.woken(kernel.release_special(&self.receivers, top));
        let place = slot::<A>(woken.rank).word.get();
        // SAFETY: as in `hand_or_push`.
        unsafe {
            with_exposed_provenance_mut::<M>(place).copy_from_nonoverlapping(message, 1);
            kernel::woke::<L>(woken)
        }
    }

    /// Puts `message` after the others.
    ///
    /// # Safety
    ///
    /// There is room.
    #[inline(always)]
    unsafe fn push(&self, message: M) {
        let number = self.put.get();
        // SAFETY: the place is free.
        unsafe { self.place(number).write(message) };
        self.put.set(number.wrapping_add(1));
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
            if self.count() == 0 {
                let mut message = MaybeUninit::<M>::uninit();
                let place = message.as_mut_ptr().expose_provenance();
                let word = |kernel: &Scheduler| state::slot_of(kernel, T::RANK).word.set(place);
                // SAFETY: in the kernel's section of a thread outside of every section.
                let (waited, section) = unsafe { kernel::wait_with::<T>(Some(&self.receivers), until, word) };
                // SAFETY: whoever ended the wait has written it, unless that was the time.
                return (waited.map(|()| unsafe { message.assume_init() }), section);
            }
            // SAFETY: there is a message, in the kernel's section, begun at the context's level.
            let (message, section) = unsafe { self.get::<T>() };
            (Ok(message), section)
        };
        // SAFETY: the context's level.
        unsafe { switching_section::<T, _>(receive) }
    }

    /// Takes the oldest message, if there is one.
    #[inline(always)]
    pub fn try_receive<L: Level<App = A>>(&'static self, _cx: &mut Context<'_, L>) -> Option<M> {
        let receive = || {
            if self.count() == 0 {
                return (None, Section::Held);
            }
            // SAFETY: there is a message, in the kernel's section, begun at the context's level.
            let (message, section) = unsafe { self.get::<L>() };
            (Some(message), section)
        };
        // SAFETY: the context's level.
        unsafe { switching_section::<L, _>(receive) }
    }

    /// # Safety
    ///
    /// In the kernel's section, begun at level `L`; there is a message.
    #[inline(always)]
    unsafe fn get<L: Level<App = A>>(&'static self) -> (M, Section) {
        let number = self.taken.get();
        // SAFETY: a message that was written and has not been taken.
        let message = unsafe { self.place(number).read() };
        self.taken.set(number.wrapping_add(1));
        let Some(woken) = state::of::<A>().release(&self.senders) else {
            return (message, Section::Held);
        };
        core::hint::cold_path();
        // SAFETY: it waited in `send_until`, with the place of its message in its word, and forgets the message; there is room
        // now. The caller's promise.
        let section = unsafe {
            self.push(with_exposed_provenance::<M>(slot::<A>(woken.rank).word.get()).read());
            kernel::woke::<L>(woken)
        };
        (message, section)
    }
}

impl<A: App, M: Send + 'static, const N: usize> Default for Queue<A, M, N> {
    fn default() -> Self {
        Self::new()
    }
}
