//! `async` tasks: a task whose runs are the polls of a future, at the task's priority.
//!
//! ```
//! # use mainspring::{Context, Device, Handles, Init, Main, Run, Write};
//! # struct Chip;
//! # enum Interrupt { EXTI0 = 6, EXTI1 = 7 }
//! # // SAFETY: nothing here runs on a chip.
//! # unsafe impl Device for Chip { const PRIORITY_BITS: u8 = 4; type Interrupt = Interrupt; }
//! use mainspring::future::{Async, Channel, Here};
//!
//! mainspring::pool! { struct Heap; bytes = 256; classes = [64, 128]; }
//!
//! mainspring::app! {
//!     struct Demo;
//!     device = Chip;
//!     resources {
//!         Words: Channel<u32, 4> = Channel::new();
//!         Sum: u32 = 0;
//!     }
//!     tasks {
//!         Add = Add(Async::new()), on EXTI0, priority 1, uses (Write<Words>, Write<Sum>);
//!         Key = Key, on EXTI1, priority 2, uses Write<Words>;
//!     }
//! }
//!
//! struct Add(Async<Add, Heap>);
//!
//! impl Run for Add {
//!     fn run(&mut self, cx: Context<Self>, shared: Handles<Self>) {
//!         self.0.poll(cx, shared, add);
//!     }
//! }
//!
//! async fn add(mut here: Here<'_, Add>) {
//!     loop {
//!         let word = here.until(|cx, (words, _), waker| cx.lock(words, |words, _| words.poll_receive(waker))).await;
//!         here.with(|cx, (_, sum)| cx.lock(sum, |sum, _| *sum += word));
//!     }
//! }
//!
//! struct Key;
//! impl Run for Key {
//!     fn run(&mut self, mut cx: Context<Self>, mut words: Handles<Self>) {
//!         let _ = cx.lock(&mut words, |words, _| words.try_send(1));
//!     }
//! }
//!
//! impl Main for Demo {
//!     fn init(mut cx: Init<Self>) {
//!         cx.pend::<Add>();                      // the first poll
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! A waker asks for the task, as [`Context::pend`] does: it is a word that never dies, so cloning, sending and dropping
//! it cost nothing and nothing is allocated. Whatever works with wakers works: drivers of the ecosystem, `join`s, channels of others.
//! The future is in a box of a pool, made once; a task's own interrupt polls it too.
//!
//! # What a future may touch
//!
//! Between two polls other tasks run, so a reference to shared data must not live across an `await`. [`Here`] sees to that: what the
//! task uses is within reach inside of a closure, and nothing that it lends can leave it. It cannot leave the future either: its lifetime is
//! that of no other place. The future is made by its task, polled by it, and dropped by it.

#![allow(unsafe_code)] // Makes wakers, contexts and handles.

use core::future::{Future, poll_fn};
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::pin::Pin;
use core::task::{self, Poll, RawWaker, RawWakerVTable, Waker};

use crate::arch;
use crate::brand::Brand;
use crate::context::{Context, Full};
use crate::model::Task;
use crate::pool::{Box, Dyn, SharedPool};
use crate::uses::Handles;

/// A waker that asks for `T`, to hand to a driver yourself; a future of [`Async`] has it anyway.
#[must_use]
pub fn waker<T: Task>() -> Waker {
    // SAFETY: the table does not look at the data, and asking for a task may be done from everywhere.
    unsafe { Waker::from_raw(raw::<T>()) }
}

fn raw<T: Task>() -> RawWaker {
    RawWaker::new(core::ptr::null(), Table::<T>::TABLE)
}

struct Table<T>(PhantomData<T>);

impl<T: Task> Table<T> {
    const TABLE: &'static RawWakerVTable = &RawWakerVTable::new(
        |_| raw::<T>(),
        |_| arch::wake::<T>(),
        |_| arch::wake::<T>(),
        |_| (),
    );
}

type Boxed<P> = Pin<Dyn<dyn Future<Output = ()>, P>>;

/// The state of an `async` task `T`, with its future in a box of the pool `P`.
///
/// Where it is dropped before the future has come to its end, the box is lost: a destructor in it may use what the task uses, so it must
/// not run in the midst of the task. [`cancel`](Async::cancel) is the way.
pub struct Async<T: Task, P: SharedPool> {
    state: State<P>,
    task: Brand<T>,
    /// Neither `Send` nor `Sync`: the future need be neither.
    here: PhantomData<*mut ()>,
}

enum State<P: SharedPool> {
    New,
    Runs(ManuallyDrop<Boxed<P>>),
    Done,
}

impl<T: Task, P: SharedPool> Async<T, P> {
    /// Not polled yet.
    #[must_use]
    pub const fn new() -> Self {
        Async {
            state: State::New,
            task: PhantomData,
            here: PhantomData,
        }
    }

    /// Whether the future has come to its end, or was cancelled.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// Polls the future, once; the first time, `make` makes it: an `async fn(Here<'_, T>)`. For the `run` of the task, whose context and
    /// handles it takes.
    ///
    /// # Panics
    ///
    /// The first time, if the pool has no block for the future.
    #[inline(always)]
    pub fn poll<F>(&mut self, cx: Context<'_, T>, handles: Handles<'_, T>, make: F)
    where
        F: for<'h> AsyncFnOnce(Here<'h, T>) + 'static,
    {
        // Their like are made inside of the future's closures, one at a time, for as long as these are here.
        let _alone = (cx, handles);
        if let State::New = self.state {
            self.begin(make);
        }
        let State::Runs(future) = &mut self.state else {
            return;
        };
        let waker = waker::<T>();
        if future
            .as_mut()
            .poll(&mut task::Context::from_waker(&waker))
            .is_ready()
        {
            self.end();
        }
    }

    /// Drops the future, if it is not at its end; it will not be polled again.
    pub fn cancel(&mut self, cx: Context<'_, T>, handles: Handles<'_, T>) {
        let _alone = (cx, handles);
        self.end();
    }

    fn end(&mut self) {
        if let State::Runs(future) = core::mem::replace(&mut self.state, State::Done) {
            drop(ManuallyDrop::into_inner(future));
        }
    }

    #[cold]
    fn begin<F>(&mut self, make: F)
    where
        F: for<'h> AsyncFnOnce(Here<'h, T>) + 'static,
    {
        let Ok(boxed) = Box::<_, P>::new(make(Here(PhantomData))) else {
            panic!("no room for the future of task `{}`", T::NAME);
        };
        let boxed: Dyn<dyn Future<Output = ()>, P> = crate::unsize!(boxed => dyn Future<Output = ()>);
        self.state = State::Runs(ManuallyDrop::new(Dyn::into_pin(boxed)));
    }
}

impl<T: Task, P: SharedPool> Default for Async<T, P> {
    fn default() -> Self {
        Self::new()
    }
}

/// Where the future of the task `T` runs: at its priority, with what it uses within reach.
///
/// There is one for each future, and it stays there: its lifetime is of no other place, and it is neither `Send` nor `Sync`.
pub struct Here<'h, T>(PhantomData<(Brand<&'h ()>, Brand<T>, *mut ())>);

impl<T: Task> Here<'_, T> {
    /// Runs `f` with a context and the handles, as an ordinary task has them. Nothing that they lend can leave it.
    #[inline(always)]
    pub fn with<O>(
        &mut self,
        f: impl for<'run> FnOnce(&mut Context<'run, T>, &mut Handles<'run, T>) -> O,
    ) -> O {
        // SAFETY: whoever has the one `Here` of a future is that future, for its lifetime fits nothing outside. It is polled and dropped
        // by `poll` and `cancel` alone, at the priority of `T`, which have the context and the handles of that run put away, so no other
        // ones are in use; and no two futures are inside of one another there. These are lent as long as the `Here` is borrowed.
        unsafe { f(&mut Context::new(), &mut crate::uses::handles::<T>()) }
    }

    /// Waits until `f` is ready. It is asked at each poll, and sees to it that the waker will be woken.
    #[inline]
    pub async fn until<O>(
        &mut self,
        mut f: impl for<'run> FnMut(&mut Context<'run, T>, &mut Handles<'run, T>, &Waker) -> Poll<O>,
    ) -> O {
        poll_fn(|cx| self.with(|context, handles| f(context, handles, cx.waker()))).await
    }

    /// Waits for the next poll: for the task's interrupt, or a request for the task.
    #[inline]
    pub async fn next(&mut self) {
        let mut polled = false;
        poll_fn(|_| {
            if core::mem::replace(&mut polled, true) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}

/// A queue of `N` messages to one receiver, the data of a resource. Neither the sender nor the receiver need be `async`.
pub struct Channel<M, const N: usize> {
    messages: [Option<M>; N],
    first: usize,
    len: usize,
    receiver: Option<Waker>,
    sender: Option<Waker>,
}

impl<M, const N: usize> Channel<M, N> {
    /// Without messages.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(N > 0, "a channel holds one message at the least") };
        Channel {
            messages: [const { None }; N],
            first: 0,
            len: 0,
            receiver: None,
            sender: None,
        }
    }

    /// Adds a message, and wakes the task that waits for one.
    ///
    /// # Errors
    ///
    /// [`Full`], with the message, if there is no room.
    pub fn try_send(&mut self, message: M) -> Result<(), Full<M>> {
        if self.len == N {
            return Err(Full(message));
        }
        self.messages[wrapped::<N>(self.first + self.len)] = Some(message);
        self.len += 1;
        if let Some(waker) = self.receiver.take() {
            waker.wake();
        }
        Ok(())
    }

    /// Takes the first message, and wakes the task that waits for room.
    pub fn try_receive(&mut self) -> Option<M> {
        let message = self.messages[self.first].take()?;
        self.first = wrapped::<N>(self.first + 1);
        self.len -= 1;
        if let Some(waker) = self.sender.take() {
            waker.wake();
        }
        Some(message)
    }

    /// The first message; without one, `waker` is woken when there is. One receiver waits at a time: the last that asked.
    pub fn poll_receive(&mut self, waker: &Waker) -> Poll<M> {
        let message = self.try_receive();
        if message.is_none() {
            note(&mut self.receiver, waker);
        }
        message.map_or(Poll::Pending, Poll::Ready)
    }

    /// Takes the message out of `message` when there is room; without, `waker` is woken when there is. One sender waits at a
    /// time: the last that asked.
    pub fn poll_send(&mut self, message: &mut Option<M>, waker: &Waker) -> Poll<()> {
        if self.len == N {
            note(&mut self.sender, waker);
            return Poll::Pending;
        }
        if let Some(message) = message.take() {
            let _there_is_room = self.try_send(message);
        }
        Poll::Ready(())
    }
}

impl<M, const N: usize> Default for Channel<M, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// `index`, which is less than `2 * N`, modulo `N`; a division is dear where it is not by a power of two.
const fn wrapped<const N: usize>(index: usize) -> usize {
    if index >= N { index - N } else { index }
}

fn note(place: &mut Option<Waker>, waker: &Waker) {
    match place {
        Some(noted) => noted.clone_from(waker),
        None => *place = Some(waker.clone()),
    }
}
