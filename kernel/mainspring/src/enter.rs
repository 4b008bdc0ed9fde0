//! The edge between the hardware, which calls whatever its vectors say, and the types, which say who may do what.

#![allow(unsafe_code)] // References to static state, and the ends of inboxes: each with the reason why it is alone.

use crate::app::{App, Idle, Initials, Main};
use crate::arch;
use crate::context::{Context, Full, Init};
use crate::inbox::{Letters, Mailbox};
use crate::lock::Lock;
use crate::stored::{Initial, Place};
use crate::task::{Actor, Receive, Run, Task, Tasks, Trigger};
use crate::uses::{Handle, Handles, Post, Uses};

/// Shows that handles are being made by the kernel, for one run of whom they belong to.
#[doc(hidden)]
pub struct Key(());

/// What the vector of the task `T` does. [`app!`](crate::app!) writes a call of it into the vector.
///
/// # Safety
///
/// Called by the vector of `T` alone, in an application (`T::App`) that was started with [`start`](crate::start) and
/// lists `T`. Then the task cannot be running already: no interrupt pre-empts its own handler.
#[inline(always)]
pub unsafe fn handle<T: Task>() {
    // SAFETY: the caller's promise is the same.
    unsafe { <T::Trigger as Trigger<T>>::handle() }
}

/// Runs the task `T` once.
///
/// # Safety
///
/// As for [`handle`].
#[inline(always)]
pub(crate) unsafe fn run<T: Run>() {
    // SAFETY: no other run of `T` is under way (the caller's promise), and nothing but a run of `T` uses its place.
    // It holds a value: `Fixed` from the start, `Late` since `init`, before any interrupt was let through.
    let state = unsafe { &mut *T::PLACE.get() };
    state.run(Context::new(), handles::<T>());
}

/// Runs the task `T` once for each message in its inbox.
///
/// # Safety
///
/// As for [`handle`].
#[inline(always)]
pub(crate) unsafe fn receive<T: Receive>() {
    // SAFETY: as in `run`.
    let state = unsafe { &mut *T::PLACE.get() };
    // SAFETY: only this handler takes messages out, and it does not pre-empt itself.
    let next = || unsafe { T::INBOX.pop() };
    // The first message is taken in a straight line: the loop, which costs a branch, is for those behind it.
    let Some(mut message) = next() else { return };
    loop {
        state.receive(message, Context::new(), handles::<T>());
        match next() {
            Some(another) => message = another,
            None => return,
        }
    }
}

/// The idle loop.
#[inline(always)]
pub(crate) fn idle<A: Main>() -> ! {
    A::idle(Context::new(), handles::<Idle<A>>())
}

/// What lies between `init` and the idle loop: first values, priorities, enable bits.
#[inline(always)]
pub(crate) fn prepare<A: App>(values: Initials<A>) {
    // SAFETY: interrupts are off and have been since reset, so no task has run.
    unsafe { A::Late::store(values) };
    A::Tasks::set_priorities();
    arch::enable_all::<A>();
}

#[inline(always)]
pub(crate) fn handles<'run, T: Actor>() -> Handles<'run, T> {
    <T::Uses as Uses<T::App>>::handles(Key(()))
}

/// The data behind `handles`, for those who have seen to the level: a section at the ceiling around the call, or the
/// check that there need be none. The callers tie the result's lifetime to both the section and the handle.
#[inline(always)]
pub(crate) fn data<'s, H: Lock>(handles: H) -> H::Data<'s> {
    // SAFETY: `Context::lock` and `Context::get` are the callers, which is what the function's description says.
    unsafe { handles.data() }
}

/// The data of a resource while `init` runs.
#[inline(always)]
pub(crate) fn initial<'i, A: App, P: Place>(_: &'i mut Init<'_, A>, place: &'static P) -> &'i mut P::Data {
    // SAFETY: there is one `Init`, no task runs while it exists, and it is borrowed as long as the reference is.
    // `Init::get` asks for places that are `Fixed`, which hold a value from the start.
    unsafe { &mut *place.get() }
}

/// Puts a message into an inbox, for those who hold back the other senders.
#[inline(always)]
pub(crate) fn push<T: Mailbox>(
    _: &mut Handle<'_, Post<T>>,
    message: T::Message,
) -> Result<(), Full<T::Message>> {
    // SAFETY: the section around the call (`Context::post`) is at the highest priority among the senders, so no other
    // sender runs meanwhile.
    unsafe { T::INBOX.push(message) }.map_err(Full)
}

/// Puts a message into an inbox while `init` runs.
pub(crate) fn push_first<T: Mailbox>(
    _: &mut Init<'_, T::App>,
    message: T::Message,
) -> Result<(), Full<T::Message>> {
    // SAFETY: interrupts are off, so no other sender runs.
    unsafe { T::INBOX.push(message) }.map_err(Full)
}

const _: () = {
    // Handles and contexts are proofs, and proofs take no space.
    const fn is_nothing<T>() {
        assert!(size_of::<T>() == 0);
    }
    is_nothing::<Handle<'static, Post<()>>>();
};
