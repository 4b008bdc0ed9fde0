//! Questions and answers between threads: a call, by way of another thread.

#![allow(unsafe_code)] // The question is on the stack of the one who waits for the answer.

use core::cell::Cell;
use core::marker::PhantomData;

use mainspring_core::threads::Set;

use super::kernel::{self, slot};
use super::thread::Threaded;
use crate::app::App;
use crate::arch;
use crate::brand::Brand;
use crate::context::{Context, kernel_section};

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

/// A question, and place for its answer.
struct Exchange<Q, R> {
    question: Cell<Option<Q>>,
    answer: Cell<Option<R>>,
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
        let exchange = Exchange {
            question: Cell::new(Some(question)),
            answer: Cell::new(None),
        };
        let ask = || {
            let kernel = A::KERNEL;
            slot::<A>(T::RANK)
                .word
                .set((&raw const exchange).expose_provenance());
            if let Some(server) = kernel.release(&self.serving) {
                slot::<A>(server).word.set(T::RANK);
                // SAFETY: in the kernel's section of a thread outside of every section. The server wakes it.
                let _ = unsafe { kernel::wait::<T>(None, None) };
            } else {
                // SAFETY: as above.
                let _ = unsafe { kernel::wait::<T>(Some(&self.asking), None) };
            }
        };
        // SAFETY: the context's level.
        unsafe { kernel_section::<T, _>(ask) };
        match exchange.answer.take() {
            Some(answer) => answer,
            None => unreachable!("the server wakes it when it has answered"),
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
        let mut asking = unsafe { kernel_section::<T, _>(|| self.next::<T>()) };
        loop {
            // SAFETY: whoever asks waits until it is woken below: its stack is as it was.
            let exchange: &Exchange<Q, R> =
                unsafe { &*core::ptr::with_exposed_provenance(slot::<A>(asking).word.get()) };
            let Some(question) = exchange.question.take() else {
                unreachable!("a question is there until it is taken")
            };
            exchange.answer.set(Some(f(question, cx)));
            let answered = || {
                A::KERNEL.wake(asking);
                if !self.asking.is_empty() {
                    // SAFETY: in the kernel's section of a thread outside of every section.
                    unsafe { kernel::woke::<T>(asking) };
                    arch::begin_section_again::<A>();
                }
                // SAFETY: as above.
                unsafe { self.next::<T>() }
            };
            // SAFETY: the context's level.
            asking = unsafe { kernel_section::<T, _>(answered) };
        }
    }

    /// Who is served next; waits for somebody.
    ///
    /// # Safety
    ///
    /// In the kernel's section of the thread `T`, outside of every other section.
    #[inline(always)]
    unsafe fn next<T: Threaded<App = A>>(&'static self) -> usize {
        let kernel = A::KERNEL;
        if let Some(first) = kernel.first(&self.asking) {
            kernel.take_out(&self.asking, first);
            return first;
        }
        // SAFETY: the caller's promise.
        let _ = unsafe { kernel::wait::<T>(Some(&self.serving), None) };
        slot::<A>(T::RANK).word.get()
    }
}

impl<A: App, Q: Send + 'static, R: Send + 'static> Default for Port<A, Q, R> {
    fn default() -> Self {
        Self::new()
    }
}
