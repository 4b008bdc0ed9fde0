//! The context: what the running code may do, given where it stands.

#![allow(unsafe_code)] // A context is a proof: whoever makes one says why it holds.

use core::marker::PhantomData;

use mainspring_core::{Action, Text};

use crate::arch::{self, within};
use crate::brand::Brand;
use crate::inbox::{Letters, Mailbox};
use crate::level::{Atomic, Into, Level, Locked, Transition, by};
use crate::lock::Lock;
use crate::model::{App, PlanOf, Task, Threaded};
use crate::resource::Resource;
use crate::stored::{Fixed, Place, Stored};
use crate::threads::Section as KernelSection;
use crate::uses::{Handle, Post, Section};

/// Where the code stands: `L` is the task itself, or, inside a section, [`Locked`] or [`Atomic`].
///
/// The context is the only way up, and while a section lasts, the context outside of it is borrowed. It takes no space.
pub struct Context<'run, L: Level> {
    run: PhantomData<&'run mut ()>,
    level: Brand<L>,
    /// Not `Send`, not `Sync`: good in this context alone, and on this core.
    here: PhantomData<*mut ()>,
}

/// An inbox without room, and the message that was not posted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Full<M>(pub M);

impl<L: Level> Context<'_, L> {
    /// # Safety
    ///
    /// For as long as it lives, the code runs at level `L`, and has no other context that is not borrowed.
    #[inline(always)]
    pub(crate) const unsafe fn new() -> Self {
        Context {
            run: PhantomData,
            level: PhantomData,
            here: PhantomData,
        }
    }

    /// Runs `f` on the data of `handles`, while every task that could interfere is held back.
    ///
    /// `&mut handle` gives `&mut` data and holds back all other users of the resource; `&handle` gives shared data and
    /// holds back the tasks that may change it. A tuple of them is one section, at the highest of their ceilings. If the
    /// code runs at that ceiling already there is nothing to hold back, and a lock is no code at all.
    ///
    /// `f` also gets the context inside, for further locks and all other operations.
    #[inline(always)]
    pub fn lock<H, O>(
        &mut self,
        handles: H,
        f: impl for<'s> FnOnce(H::Data<'s>, &mut Context<'s, Locked<L, H::Section>>) -> O,
    ) -> O
    where
        H: Lock<App = L::App>,
    {
        let inside = || {
            // SAFETY: this is a section at the ceiling. The closure's result cannot have the lifetime of what it is lent,
            // so both end with the section, and the handles are borrowed for longer.
            f(unsafe { handles.data() }, &mut unsafe { Context::new() })
        };
        // SAFETY: the code runs at `L`.
        unsafe { within::<Into<L, H::Section>, O>(inside) }
    }

    /// The data of `handles`, where no other task can interfere: the code runs at the ceiling or above. Costs nothing.
    ///
    /// Below the ceiling it does not compile; use [`lock`](Context::lock).
    #[inline(always)]
    pub fn get<'s, H>(&'s self, handles: H) -> H::Data<'s>
    where
        H: Lock<App = L::App> + 's,
    {
        const {
            let (ceiling, level) = (<H::Section as Section>::CEILING, L::FACTS.priority);
            if ceiling > level {
                let text = below_ceiling(<H::Section as Section>::NAME, ceiling, level);
                panic!("{}", text.as_str());
            }
        }
        // SAFETY: the level is at the ceiling or above, as was checked just now, and stays there while this context is
        // borrowed: `'s`, which is also how long the handles are.
        unsafe { handles.data() }
    }

    /// Runs `f` while every task is held back, and every other interrupt too.
    #[inline(always)]
    pub fn atomic<O>(&mut self, f: impl for<'s> FnOnce(&mut Context<'s, Atomic<L>>) -> O) -> O {
        // SAFETY: this is a section that holds back everything.
        let inside = || f(&mut unsafe { Context::new() });
        // SAFETY: the code runs at `L`.
        unsafe { within::<Up<L>, O>(inside) }
    }

    /// Puts `message` into the inbox of `T`, which runs as soon as its priority allows.
    ///
    /// # Errors
    ///
    /// [`Full`], with the message, if the inbox has no room.
    #[inline(always)]
    pub fn post<T>(&self, to: &mut Handle<'_, Post<T>>, message: T::Message) -> Result<(), Full<T::Message>>
    where
        T: Mailbox<App = L::App>,
    {
        let asking = arch::asking::<T>(core::ptr::from_ref(T::INBOX).cast());
        // SAFETY: this is a section at the highest priority among the senders.
        let inside = || unsafe { push(to, message) };
        // SAFETY: the code runs at `L`.
        unsafe { within::<Into<L, Post<T>>, _>(inside) }?;
        // SAFETY: the code runs at `L`.
        unsafe { arch::ask::<L, T>(asking) };
        Ok(())
    }

    /// Asks for `T`: it runs as soon as its priority allows, once, however often it was asked for meanwhile.
    #[inline(always)]
    pub fn pend<T: Task<App = L::App>>(&self) {
        // SAFETY: the code runs at `L`.
        unsafe { arch::pend::<L, T>() };
    }

    /// Lets the interrupt of `T` through. If it came while it was disabled, it is served now.
    #[inline(always)]
    pub fn enable<T: Task<App = L::App>>(&self) {
        const { arch::check_enable(&by::<L>(), T::NAME, T::VECTOR, T::PRIORITY) };
        // SAFETY: no section relies on this bit, as was checked just now; the code runs at `L`.
        unsafe { arch::enable::<L, T>() };
    }

    /// Stops the interrupt of `T`. It stays pending if it comes meanwhile.
    #[inline(always)]
    pub fn disable<T: Task<App = L::App>>(&self) {
        const { arch::check_enable(&by::<L>(), T::NAME, T::VECTOR, T::PRIORITY) };
        arch::disable::<T>();
    }
}

/// From level `L` to one that holds back everything.
struct Up<L>(PhantomData<L>);

impl<L: Level> Transition for Up<L> {
    type App = L::App;
    const FROM: mainspring_core::Level = L::FACTS;
    const CEILING: u8 = mainspring_core::GLOBAL;
    const ACTION: Action = L::FACTS.action(&PlanOf::<L::App>::PLAN, mainspring_core::GLOBAL);
}

/// From level `L` to the kernel's section.
struct ToKernel<L>(PhantomData<L>);

impl<L: Level> Transition for ToKernel<L> {
    type App = L::App;
    const FROM: mainspring_core::Level = L::FACTS;
    const CEILING: u8 = PlanOf::<L::App>::PLAN.kernel_ceiling();
    const ACTION: Action = L::FACTS.action(&PlanOf::<L::App>::PLAN, Self::CEILING);
    const ASKS: bool = L::GIVES_WAY.is_none();
}

/// The kernel's section: no other code that may wake threads runs meanwhile, and no switch happens but `f`'s own.
///
/// # Safety
///
/// The code runs at level `L`.
#[inline(always)]
pub(crate) unsafe fn kernel_section<L: Level, O>(f: impl FnOnce() -> O) -> O {
    const { check_may_wake::<L>() };
    // SAFETY: the caller's promise.
    unsafe { arch::kernel_section::<ToKernel<L>, O>(f) }
}

/// As [`kernel_section`], where `f` may switch threads: it says whether the section is still held afterwards.
///
/// # Safety
///
/// The code runs at level `L`.
#[inline(always)]
pub(crate) unsafe fn switching_section<L: Level, O>(f: impl FnOnce() -> (O, KernelSection)) -> O {
    const { check_may_wake::<L>() };
    if const { L::GIVES_WAY.is_some() } {
        // SAFETY: the caller's promise: this is a thread, outside of every section.
        unsafe { arch::section_of_thread::<L::App, O>(f) }
    } else {
        // SAFETY: the caller's promise. There is no switch inside.
        unsafe { arch::kernel_section::<ToKernel<L>, O>(|| f().0) }
    }
}

/// As [`switching_section`], where `f` mostly waits.
///
/// # Safety
///
/// As there.
#[inline(always)]
pub(crate) unsafe fn waiting_section<T: Threaded, O>(f: impl FnOnce() -> (O, KernelSection)) -> O {
    // SAFETY: the caller's promise: this is a thread, outside of every section.
    unsafe { arch::section_of_waiter::<T::App, O>(f) }
}

/// Stops the compiler if code at level `L` could pre-empt the kernel's section.
const fn check_may_wake<L: Level>() {
    let plan = &PlanOf::<L::App>::PLAN;
    let (own, most) = (plan.priority_of(L::ACTOR), plan.kernel_ceiling());
    if own > most {
        let text = Text::of("task ")
            .name(L::ACTOR)
            .and(" has priority ")
            .number(own as u16)
            .and(" and uses what threads wait for, but the table says `waking ")
            .number(most as u16)
            .and("`: state its priority there");
        panic!("{}", text.as_str());
    }
}

/// The context of `init`: interrupts are off, no task has run, and everything is within reach.
pub struct Init<'init, A: App> {
    run: PhantomData<&'init mut ()>,
    app: Brand<A>,
    here: PhantomData<*mut ()>,
}

impl<A: App> Init<'_, A> {
    /// # Safety
    ///
    /// For as long as it lives, interrupts are off, no task of `A` has run since the start, and there is no other.
    #[inline(always)]
    pub(crate) const unsafe fn new() -> Self {
        Init {
            run: PhantomData,
            app: PhantomData,
            here: PhantomData,
        }
    }

    /// The data of a resource whose first value the table gives.
    #[inline(always)]
    pub fn get<R>(&mut self) -> &mut R::Data
    where
        R: Resource<App = A, Place = Fixed<R, <R as Stored>::Data>>,
    {
        initial::<R>(self)
    }

    /// Puts `message` into the inbox of `T`, which runs after `init` and before the idle loop.
    ///
    /// # Errors
    ///
    /// [`Full`], with the message, if the inbox has no room.
    pub fn post<T: Mailbox<App = A>>(&mut self, message: T::Message) -> Result<(), Full<T::Message>> {
        push_first::<T>(self, message)?;
        arch::pend_first::<T>();
        Ok(())
    }

    /// Asks for `T`: it runs after `init` and before the idle loop.
    pub fn pend<T: Task<App = A>>(&mut self) {
        arch::pend_first::<T>();
    }
}

/// The data of a resource while `init` runs.
#[inline(always)]
fn initial<'i, R>(_: &'i mut Init<'_, R::App>) -> &'i mut R::Data
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
unsafe fn push<T: Mailbox>(_: &mut Handle<'_, Post<T>>, message: T::Message) -> Result<(), Full<T::Message>> {
    // SAFETY: the caller's promise.
    unsafe { T::INBOX.push(message) }.map_err(Full)
}

/// Puts a message into an inbox while `init` runs: that it does, its context proves.
fn push_first<T: Mailbox>(_: &mut Init<'_, T::App>, message: T::Message) -> Result<(), Full<T::Message>> {
    // SAFETY: interrupts are off while there is an `Init`, so no other sender runs.
    unsafe { T::INBOX.push(message) }.map_err(Full)
}

/// A message of the compiler that names two numbers.
const fn below_ceiling(name: &str, ceiling: u8, priority: u8) -> Text {
    Text::of("resource ")
        .name(name)
        .and(" has ceiling ")
        .number(ceiling as u16)
        .and(" but this code runs at priority ")
        .number(priority as u16)
        .and(": a more urgent task could interfere; use `cx.lock(…)`")
}
