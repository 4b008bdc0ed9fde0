//! The boundary between the hardware, which calls whatever its vectors say, and the types, which say what each task may do.

#![allow(unsafe_code)] // References to static state, and the ends of inboxes: each with the reason why it is alone.

use crate::app::{App, Idle, Initials, Main};
use crate::arch;
use crate::context::{Context, Full, Init};
use crate::guard;
use crate::inbox::{Letters, Mailbox};
use crate::resource::Resource;
use crate::stored::{Fixed, Initial, Place, Stored};
use crate::task::{Actor, Receive, Run, Task, Tasks};
use crate::uses::{Handle, Handles, Post, Uses};

/// Shows that the kernel makes the handles, for one run of their owner.
#[doc(hidden)]
pub struct Key(());

/// The work of the vector of the task `T`: runs it, and the tasks `behind` it. [`app!`](crate::app!) writes a call of it into the vector.
///
/// # Safety
///
/// Called by the vector of `T` alone, in an application (`T::App`) that was started with [`start`](crate::start) and
/// lists `T`. Then the task cannot be running already: no interrupt pre-empts its own handler.
#[inline(always)]
pub unsafe fn handle<T: Task>() {
    let before = guard::enter::<T>();
    // SAFETY: the caller's promise is the same.
    unsafe { <T::App as App>::Tasks::handle::<T>() }
    guard::leave::<T>(before);
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
    // SAFETY: this is the one run of `T`, at its priority.
    state.run(unsafe { Context::new() }, unsafe { handles::<T>() });
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
    // The first message is taken in a straight line: the loop, which costs a branch, is for the next ones.
    let Some(mut message) = next() else { return };
    loop {
        // SAFETY: as in `run`; what the run before had is gone.
        state.receive(message, unsafe { Context::new() }, unsafe { handles::<T>() });
        match next() {
            Some(another) => message = another,
            None => return,
        }
    }
}

/// The idle loop.
///
/// # Safety
///
/// The application was started, this is thread mode, and the idle loop does not run yet.
#[inline(always)]
pub(crate) unsafe fn idle<A: Main>() -> ! {
    // SAFETY: the caller's promise: this is the one run of the idle loop, at its level.
    A::idle(unsafe { Context::new() }, unsafe { handles::<Idle<A>>() })
}

/// The steps between `init` and the idle loop: first values, priorities, enable bits.
///
/// # Safety
///
/// Interrupts are off, and no task has run since `A` was started.
#[inline(always)]
pub(crate) unsafe fn prepare<A: App>(values: Initials<A>) {
    // SAFETY: the caller's promise.
    unsafe { A::Late::store(values) };
    // SAFETY: the caller's promise.
    unsafe { A::Tasks::set_priorities() };
    // SAFETY: every place has its value now, and every task its priority.
    unsafe { arch::enable_all::<A>() };
}

/// The handles of `T` for one run.
///
/// # Safety
///
/// A run of `T` begins, and gets no others.
#[inline(always)]
pub(crate) unsafe fn handles<'run, T: Actor>() -> Handles<'run, T> {
    <T::Uses as Uses<T::App>>::handles(Key(()))
}

/// The data of a resource while `init` runs.
#[inline(always)]
pub(crate) fn initial<'i, R>(_: &'i mut Init<'_, R::App>) -> &'i mut R::Data
where
    R: Resource<Place = Fixed<R, <R as Stored>::Data>>,
{
    // SAFETY: there is one `Init`, no task runs while it exists, and it is borrowed as long as the reference is. The place
    // is `Fixed`, so it holds a value from the start.
    unsafe { &mut *R::PLACE.get() }
}

/// Puts a message into an inbox.
///
/// # Safety
///
/// The level is at least the highest priority among the senders: no other one runs meanwhile.
#[inline(always)]
pub(crate) unsafe fn push<T: Mailbox>(
    _: &mut Handle<'_, Post<T>>,
    message: T::Message,
) -> Result<(), Full<T::Message>> {
    // SAFETY: the caller's promise.
    unsafe { T::INBOX.push(message) }.map_err(Full)
}

/// Puts a message into an inbox while `init` runs: that it does, its context proves.
pub(crate) fn push_first<T: Mailbox>(
    _: &mut Init<'_, T::App>,
    message: T::Message,
) -> Result<(), Full<T::Message>> {
    // SAFETY: interrupts are off while there is an `Init`, so no other sender runs.
    unsafe { T::INBOX.push(message) }.map_err(Full)
}

const _: () = {
    // Handles and contexts are proofs, and proofs take no space.
    const fn is_nothing<T>() {
        assert!(size_of::<T>() == 0);
    }
    is_nothing::<Handle<'static, Post<()>>>();
};
