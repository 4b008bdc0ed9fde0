//! Questions and answers between threads: a call, by way of another thread.

#![allow(unsafe_code)] // The question is on the stack of the one who waits for the answer.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::with_exposed_provenance;

use mainspring_core::threads::Set;

use super::kernel::{self, Section, slot};
use super::thread::Threaded;
use crate::app::App;
use crate::arch;
use crate::brand::Brand;
use crate::context::{Context, switching_section};

/// Where threads of the application `A` ask `Q` and are answered `R` by another thread, which serves them one after the
/// other, the most urgent first.
///
/// Nothing is copied but the question and the answer, and there is no queue: whoever asks waits. Give the serving thread at
/// least the urgency of those who ask it: what is not urgent enough to be asked is not urgent enough to answer.
pub struct Port<A, Q, R> {
    asking: Set,
    serving: Set,
    kind: Brand<(A, Q, R)>,
}

// SAFETY: questions and answers go from thread to thread; the sets are used in the kernel's section alone.
unsafe impl<A, Q: Send, R: Send> Sync for Port<A, Q, R> {}

/// A question, and place for its answer, on the stack of the thread that asks.
struct Exchange<Q, R> {
    /// Who asks.
    rank: usize,
    question: UnsafeCell<MaybeUninit<Q>>,
    answer: UnsafeCell<MaybeUninit<R>>,
}

impl<A: App, Q: Send + 'static, R: Send + 'static> Port<A, Q, R> {
    /// Nobody asks.
    #[must_use]
    pub const fn new() -> Self {
        Port {
            asking: Set::new(),
            serving: Set::new(),
            kind: PhantomData,
        }
    }

    /// Asks, and waits for the answer.
    #[inline(always)]
    pub fn call<T: Threaded<App = A>>(&'static self, _cx: &mut Context<'_, T>, question: Q) -> R {
        let exchange = Exchange::<Q, R> {
            rank: T::RANK,
            question: UnsafeCell::new(MaybeUninit::new(question)),
            answer: UnsafeCell::new(MaybeUninit::uninit()),
        };
        let place = (&raw const exchange).expose_provenance();
        let ask = || {
            let waiting = A::KERNEL.waiting(&self.serving);
            if waiting.is_nobody() {
                slot::<A>(T::RANK).word.set(place);
                // SAFETY: in the kernel's section of a thread outside of every section. The server wakes it.
                return unsafe { kernel::wait::<T>(Some(&self.asking), None) };
            }
            let top = waiting.top();
            if waiting.is_special(top) {
                core::hint::cold_path();
                let server = A::KERNEL.release_special(&self.serving, top);
                let stack = slot::<A>(server.rank).stack.get();
                // SAFETY: as above.
                return unsafe { kernel::wait_for::<T>(server, stack, place) };
            }
            let stack = slot::<A>(top).stack.get();
            let server = A::KERNEL.release_plain(&self.serving, waiting, top);
            // SAFETY: as above.
            unsafe { kernel::wait_for::<T>(server, stack, place) }
        };
        // SAFETY: the context's level. Nothing ends the wait but the server, who has written the answer then.
        unsafe {
            let _ = switching_section::<T, _>(ask);
            exchange.answer.into_inner().assume_init()
        }
    }

    /// Answers every question by `f`.
    #[inline(always)]
    pub fn serve<T: Threaded<App = A>>(
        &'static self,
        cx: &mut Context<'_, T>,
        mut f: impl FnMut(Q, &mut Context<'_, T>) -> R,
    ) -> ! {
        // SAFETY: the context's level, and the thread is outside of every section.
        let mut asked = unsafe { switching_section::<T, _>(|| self.next::<T>()) };
        loop {
            // SAFETY: whoever asks waits until it is woken below: its stack is as it was, with a question that nobody has read.
            let (exchange, question) = unsafe {
                let exchange = &*with_exposed_provenance::<Exchange<Q, R>>(asked);
                (exchange, exchange.question.get().read().assume_init())
            };
            let rank = exchange.rank;
            let answer = f(question, cx);
            // SAFETY: nobody else looks at it before the thread that asks is woken.
            unsafe { exchange.answer.get().write(MaybeUninit::new(answer)) };
            let answered = || {
                A::KERNEL.wake(rank);
                if !self.asking.is_empty() {
                    // SAFETY: in the kernel's section of a thread outside of every section.
                    let section = unsafe { kernel::give_way::<T>() };
                    arch::begin_section_again::<A>(section);
                }
                // SAFETY: as above.
                unsafe { self.next::<T>() }
            };
            // SAFETY: the context's level.
            asked = unsafe { switching_section::<T, _>(answered) };
        }
    }

    /// Where the question is that is served next; waits for one.
    ///
    /// # Safety
    ///
    /// In the kernel's section of the thread `T`, outside of every other section.
    #[inline(always)]
    unsafe fn next<T: Threaded<App = A>>(&'static self) -> (usize, Section) {
        let kernel = A::KERNEL;
        if let Some(first) = kernel.first(&self.asking) {
            kernel.take_out(&self.asking, first);
            return (slot::<A>(first).word.get(), Section::Held);
        }
        // SAFETY: the caller's promise.
        let (_, section) = unsafe { kernel::wait::<T>(Some(&self.serving), None) };
        (slot::<A>(T::RANK).word.get(), section)
    }
}

impl<A: App, Q: Send + 'static, R: Send + 'static> Default for Port<A, Q, R> {
    fn default() -> Self {
        Self::new()
    }
}
