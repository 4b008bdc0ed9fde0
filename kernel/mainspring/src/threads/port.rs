//! Questions and answers between threads: a call, by way of another thread.

#![allow(unsafe_code)] // The question is on the stack of the one who waits for the answer.

use core::cell::{Cell, UnsafeCell};
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::with_exposed_provenance;

use mainspring_core::threads::{Awaited, Scheduler, Set, bit, top};

use super::awaited::{BUSY, IDLE, Served, begin_to_serve, check_call};
use super::kernel;
use super::state::{self, Section, slot};
use crate::arch;
use crate::brand::Brand;
use crate::context::{Context, kernel_section, switching_section};
use crate::model::Threaded;

/// Where threads of an application ask `Q` and are answered `R` by the thread `S`, which serves them one after the other, the most
/// urgent first.
///
/// Nothing is copied but the question and the answer, and there is no queue: whoever asks waits. Give the serving thread more
/// priority than the threads that ask it: then each way is one switch, without a look at other threads.
#[repr(C)] // Where `asked` is decides how many bytes the instructions take that reach it.
pub struct Port<S, Q, R> {
    asking: Set,
    served: Served,
    kind: Brand<(S, Q, R)>,
}

/// Whether the rare way says itself what is asked next. It does not on a Cortex-M, where that takes a register of the usual way's. On RV32 it
/// does: else the compiler has it fall into the usual way, so that it lies before it, and a branch back is predicted to be taken.
const ASKED_IS_RETURNED: bool = cfg!(target_arch = "riscv32");

// SAFETY: questions and answers go from thread to thread; the rest is used in the kernel's section alone.
unsafe impl<S, Q: Send, R: Send> Sync for Port<S, Q, R> {}

/// A question, and place for its answer, on the stack of the thread that asks.
#[repr(C)] // `Served::client` looks at the first field.
struct Exchange<Q, R> {
    /// Who asks, as a member of a set; 0 while somebody else asks, too: then the answer is no matter of two threads alone.
    client: Cell<u32>,
    /// The same as a number, where it takes long to find in the member.
    #[cfg(target_arch = "riscv32")]
    rank: usize,
    question: UnsafeCell<MaybeUninit<Q>>,
    answer: UnsafeCell<MaybeUninit<R>>,
}

impl<Q, R> Exchange<Q, R> {
    /// The rank of `client`, which this exchange is of.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "riscv32"), allow(clippy::unused_self))] // It has no such field there.
    fn rank(&self, client: u32) -> usize {
        #[cfg(target_arch = "riscv32")]
        {
            let _ = client;
            self.rank
        }
        #[cfg(not(target_arch = "riscv32"))]
        top(client)
    }
}

/// Whether `T` has no equals.
const fn is_alone<T: Threaded>() -> bool {
    T::GROUP.is_power_of_two()
}

impl<S: Threaded, Q: Send + 'static, R: Send + 'static> Port<S, Q, R> {
    /// No thread asks.
    #[must_use]
    pub const fn new() -> Self {
        Port {
            served: Served {
                asked: Cell::new(BUSY),
                answered: Cell::new(0),
                server: Cell::new(0),
                next: Cell::new(None),
            },
            asking: Set::new(),
            kind: PhantomData,
        }
    }

    /// Asks, and waits for the answer. A thread that asks itself does not compile.
    ///
    /// # Panics
    ///
    /// If no answer can ever come: `S` has returned, or returns before it answers, or it waits for this thread, directly or not.
    #[inline(always)]
    pub fn call<T: Threaded<App = S::App>>(&'static self, _cx: &mut Context<'_, T>, question: Q) -> R {
        const {
            assert!(
                T::RANK != S::RANK,
                "a thread that asks itself would wait for ever"
            );
        };
        let exchange = Exchange::<Q, R> {
            client: Cell::new(const { bit(T::RANK) }),
            #[cfg(target_arch = "riscv32")]
            rank: T::RANK,
            question: UnsafeCell::new(MaybeUninit::new(question)),
            answer: UnsafeCell::new(MaybeUninit::uninit()),
        };
        let place = (&raw const exchange).expose_provenance();
        let kernel = arch::here(state::of::<T::App>());
        // SAFETY: the context's level; in the kernel's section of a thread outside of every section. Nothing ends the wait but the
        // server, who has written the answer then.
        unsafe {
            if !switching_section::<T, _>(|| self.ask::<T>(kernel, place)) {
                self.ask_among_others::<T>(place);
            }
            exchange.answer.into_inner().assume_init()
        }
    }

    /// Lets `S` answer what is at `place`, and comes back when it has, if that is a matter of the two alone. Whether it was.
    ///
    /// # Safety
    ///
    /// In the kernel's section of the thread `T`, outside of every other section; the exchange is that of `T`.
    #[inline(always)]
    unsafe fn ask<T: Threaded<App = S::App>>(
        &'static self,
        kernel: &Scheduler,
        place: usize,
    ) -> (bool, Section) {
        // Nobody who contends is more urgent than `T`, which runs, if nobody lends; then both are special.
        if const { is_alone::<T>() && is_alone::<S>() && S::RANK < T::RANK } {
            let (contending, special) = kernel::words(kernel);
            let (asked, stack) = (
                self.served.asked.get(),
                state::slot_of(kernel, S::RANK).stack.get(),
            );
            let no = special & const { bit(T::RANK) | bit(S::RANK) };
            if let Some(leave) = arch::may_go_on::<T::App>(stack, asked | no as usize) {
                // `T` contends, `S` does not.
                kernel
                    .contending
                    .set(contending ^ const { bit(T::RANK) | bit(S::RANK) });
                self.served.asked.set(place);
                // SAFETY: the caller's promise; `S` waits, and left by itself.
                unsafe { arch::switch::<T>(kernel, S::RANK, stack, leave) };
                return (true, arch::BEHIND_SWITCH);
            }
            core::hint::cold_path();
        }
        (false, Section::Held)
    }

    /// As [`call`](Self::call), whoever else there is.
    ///
    /// # Safety
    ///
    /// By the thread `T`, outside of every section; the exchange is that of `T`.
    #[inline(never)]
    unsafe fn ask_among_others<T: Threaded<App = S::App>>(&'static self, place: usize) {
        let ask = || {
            let asked = self.served.asked.get();
            if asked == IDLE {
                self.served.asked.set(place);
                state::of::<T::App>().wake(S::RANK);
                // SAFETY: in the kernel's section of a thread outside of every section. The server wakes it.
                return unsafe { kernel::wait::<T>(None, None) };
            }
            check_call::<T::App>(T::RANK, S::RANK);
            if asked != BUSY {
                // SAFETY: whoever is being answered waits, so its exchange is there.
                self.keep(unsafe { &*with_exposed_provenance::<Exchange<Q, R>>(asked) });
            }
            slot::<T::App>(T::RANK).word.set(place);
            let kernel = state::of::<T::App>();
            kernel.awaits(T::RANK, Awaited::Answer(S::RANK as u8));
            // SAFETY: as above.
            let waited = unsafe { kernel::wait::<T>(Some(&self.asking), None) };
            kernel.awaits(T::RANK, Awaited::Nothing);
            waited
        };
        // SAFETY: the caller's promise. The wait has no end but what is waited for.
        let _ = unsafe { switching_section::<T, _>(ask) };
    }

    /// Keeps who is being answered, while somebody else asks.
    fn keep(&self, exchange: &Exchange<Q, R>) {
        if exchange.client.get() != 0 {
            self.served.answered.set(exchange.client.replace(0));
        }
    }

    /// Answers every question by `f`.
    ///
    /// # Panics
    ///
    /// If the thread serves already, which it does in the midst of an answer; if another one waits for its end; and if another one would
    /// wait for its end later: it has none.
    #[inline(always)]
    pub fn serve(
        &'static self,
        cx: &mut Context<'_, S>,
        mut f: impl FnMut(Q, &mut Context<'_, S>) -> R,
    ) -> ! {
        // SAFETY: the context's level, and the thread is outside of every section.
        unsafe {
            kernel_section::<S, _>(|| begin_to_serve::<S::App>(S::RANK, &self.served));
            switching_section::<S, _>(|| self.next());
        };
        let mut asked = self.served.asked.get();
        loop {
            // SAFETY: whoever asks waits until it is woken below: its stack is as it was, with a question that nobody has read.
            let (exchange, question) = unsafe {
                let exchange = &*with_exposed_provenance::<Exchange<Q, R>>(asked);
                (exchange, exchange.question.get().read().assume_init())
            };
            let answer = f(question, cx);
            // SAFETY: nobody else looks at it before the thread that asks is woken.
            unsafe { exchange.answer.get().write(MaybeUninit::new(answer)) };
            let kernel = arch::here(state::of::<S::App>());
            // SAFETY: the context's level; the answer is there.
            let answered = unsafe { switching_section::<S, _>(|| self.answer(kernel, exchange)) };
            if !answered {
                core::hint::cold_path();
                // SAFETY: the thread is outside of every section.
                let next = unsafe { self.answer_among_others() };
                if const { ASKED_IS_RETURNED } {
                    asked = next;
                    continue;
                }
            }
            asked = self.served.asked.get();
        }
    }

    /// Lets go on who has asked by `exchange`, and waits for the next question, if that is a matter of the two alone. Whether it was.
    ///
    /// # Safety
    ///
    /// In the kernel's section of the thread `S`, outside of every other section.
    #[inline(always)]
    unsafe fn answer(&'static self, kernel: &Scheduler, exchange: &Exchange<Q, R>) -> (bool, Section) {
        let client = exchange.client.get();
        let (contending, special) = kernel::words(kernel);
        let others = contending & const { !bit(S::RANK) };
        if const { is_alone::<S>() } {
            let rank = exchange.rank(client);
            let stack = state::slot_of(kernel, rank).stack.get();
            if let Some(leave) = arch::may_go_on_before::<S::App>(stack, client, others | special & client) {
                kernel.contending.set(others | client);
                self.served.asked.set(leave.zero()); // `IDLE`, which is in a register.
                // SAFETY: the caller's promise; who has asked waits, and left by itself.
                unsafe { arch::switch::<S>(kernel, rank, stack, leave) };
                return (true, arch::BEHIND_SWITCH);
            }
            core::hint::cold_path();
        }
        (false, Section::Held)
    }

    /// As [`answer`](Self::answer), whoever else there is. Where the next question is.
    ///
    /// # Safety
    ///
    /// By the thread `S`, outside of every section.
    #[inline(never)]
    unsafe fn answer_among_others(&'static self) -> usize {
        let answer = || {
            // SAFETY: who has asked waits.
            self.keep(unsafe { &*with_exposed_provenance::<Exchange<Q, R>>(self.served.asked.get()) });
            self.served.asked.set(BUSY);
            state::of::<S::App>().wake(top(self.served.answered.get()));
            if !self.asking.is_empty() {
                // SAFETY: in the kernel's section of a thread outside of every section.
                let section = unsafe { kernel::give_way::<S>() };
                arch::begin_section_again::<S::App>(section);
            }
            // SAFETY: as above.
            unsafe { self.next() }
        };
        // SAFETY: the caller's promise.
        unsafe { switching_section::<S, _>(answer) };
        self.served.asked.get()
    }

    /// Finds the question that is answered next; waits for one.
    ///
    /// # Safety
    ///
    /// As for [`answer`](Self::answer).
    #[inline(always)]
    unsafe fn next(&'static self) -> ((), Section) {
        let kernel = state::of::<S::App>();
        if let Some(first) = kernel.first(&self.asking) {
            kernel.take_out(&self.asking, first);
            let asked = slot::<S::App>(first).word.get();
            self.served.asked.set(asked);
            if !self.asking.is_empty() {
                // SAFETY: who asks waits.
                self.keep(unsafe { &*with_exposed_provenance::<Exchange<Q, R>>(asked) });
            }
            return ((), Section::Held);
        }
        self.served.asked.set(IDLE);
        // SAFETY: the caller's promise.
        let (_, section) = unsafe { kernel::wait::<S>(None, None) };
        ((), section)
    }
}

impl<S: Threaded, Q: Send + 'static, R: Send + 'static> Default for Port<S, Q, R> {
    fn default() -> Self {
        Self::new()
    }
}
