//! Tasks: their types, what makes them run, and what they do.
//!
//! A task is a type, and its value is the state that the task keeps from run to run. As the state is an ordinary
//! struct, several of its fields can be borrowed mutably at once, by the borrow checker's ordinary rules.

use mainspring_core::{Actor as Row, Vector};

use crate::app::App;
#[cfg(target_arch = "riscv32")]
use crate::app::PlanOf;
use crate::arch;
use crate::context::Context;
use crate::device::Device;
use crate::inbox::Mailbox;
use crate::stored::{Named, Place, Stored};
use crate::uses::{Handles, Uses};

/// Something that runs: a task, or the idle loop. [`app!`](crate::app!) writes this from a row of the table.
///
/// # Safety
///
/// The actor that runs at this priority: a [`Task`], or the idle loop. Its contexts are proofs of that.
#[allow(unsafe_code)] // An unsafe trait: what a context may do is worked out from what it says.
pub unsafe trait Actor: Named {
    /// The application that it belongs to.
    type App: App;
    /// 1 is the least urgent task, 2^[`Device::PRIORITY_BITS`] the most urgent; 0 is the idle loop's.
    const PRIORITY: u8;
    /// What it shares with others: `()`, one of [`Write`](crate::Write), [`Read`](crate::Read) and
    /// [`Post`](crate::Post), or a tuple of them.
    type Uses: Uses<Self::App>;
    /// For a [`Thread`](crate::threads::Thread): its action after it has woken a more urgent one.
    #[doc(hidden)]
    const GIVES_WAY: Option<crate::threads::GiveWay> = None;
}

/// A task, bound to one interrupt for good. [`app!`](crate::app!) writes this from a row of the table.
///
/// # Safety
///
/// [`VECTOR`](Task::VECTOR) is an exception of the chip, and its vector is called by that exception alone; only a task that is
/// [`BEHIND`](Task::BEHIND) another one shares it. The task is no [`Resource`](crate::Resource).
#[allow(unsafe_code)] // An unsafe trait: priorities are given to, and enable bits changed of, the vector that it names.
pub unsafe trait Task: Actor + Stored<Data = Self> {
    /// Its trigger.
    const VECTOR: Vector;
    /// [`Event`] or [`Messages`]: which of [`Run`] and [`Receive`] says what it does.
    type Trigger: Trigger<Self>;
    /// Whether its interrupt is let through as soon as `init` is done.
    const ENABLED: bool = true;
    /// Whether it runs after another task, whose vector it shares, at that one's priority.
    const BEHIND: bool = false;
}

/// The body of a task, which runs when its interrupt comes. You write this.
#[diagnostic::on_unimplemented(
    message = "the task `{Self}` does not say what it does",
    label = "no `impl Run for {Self}`",
    note = "write `impl Run for {Self}`, or, if it has an inbox, give its row one and write `impl Receive`"
)]
pub trait Run: Task {
    /// Runs once for each time that the interrupt is served. `self` is the task's own state; `shared` is a handle, or
    /// a tuple of handles, for what the table says it uses.
    fn run(&mut self, cx: Context<Self>, shared: Handles<Self>);
}

/// The body of a task with an inbox, which runs for each message. You write this.
#[diagnostic::on_unimplemented(
    message = "the task `{Self}` does not say what it does with a message",
    label = "no `impl Receive for {Self}`"
)]
pub trait Receive: Mailbox {
    /// Runs once for each message, in the order in which they were posted.
    fn receive(&mut self, message: Self::Message, cx: Context<Self>, shared: Handles<Self>);
}

/// Runs once each time that its interrupt is served: [`Run`].
pub struct Event;

/// Runs once for each message in its inbox: [`Receive`].
pub struct Messages;

/// [`Event`] or [`Messages`].
#[allow(unsafe_code)] // Leads from a vector to a task: who may call it is explained in `enter`.
pub trait Trigger<T>: private::Sealed<T> {
    /// # Safety
    /// As for [`handle`](crate::handle).
    #[doc(hidden)]
    unsafe fn handle();
}

#[allow(unsafe_code)] // As above.
impl<T: Run> Trigger<T> for Event {
    #[inline(always)]
    unsafe fn handle() {
        // SAFETY: the caller's promise is the same.
        unsafe { crate::enter::run::<T>() }
    }
}

#[allow(unsafe_code)] // As above.
impl<T: Receive> Trigger<T> for Messages {
    #[inline(always)]
    unsafe fn handle() {
        // SAFETY: the caller's promise is the same.
        unsafe { crate::enter::receive::<T>() }
    }
}

mod private {
    /// It names the task, because a trait that does may be implemented for anybody's types by the one whose task it is.
    pub trait Sealed<T> {}
    /// Only for tuples of tasks of `A`: the ceilings are computed from the list, so no other kind may exist.
    pub trait List<A> {}
    /// Tuples alone.
    #[cfg(not(target_os = "none"))]
    pub trait Any {}
    impl<T: super::Run> Sealed<T> for super::Event {}
    impl<T: super::Receive> Sealed<T> for super::Messages {}
}

/// The list of the tasks: a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of tasks of `{A}`",
    note = "a tuple of up to 32 tasks, each of which names `{A}` as its `App`"
)]
pub trait Tasks<A: App>: private::List<A> {
    /// One row for each.
    #[doc(hidden)]
    const ROWS: &'static [Row];

    /// Gives each interrupt its priority.
    ///
    /// # Safety
    ///
    /// `A` is the application that is being started, and none of its tasks runs.
    #[doc(hidden)]
    #[allow(unsafe_code)] // Another application's priorities would break the sections of the one that runs.
    unsafe fn set_priorities();

    /// Runs the tasks that are on the vector of `T`: the one that owns it, and then those `behind` it, in the order of the table.
    ///
    /// # Safety
    ///
    /// As for [`handle`](crate::handle()).
    #[doc(hidden)]
    #[allow(unsafe_code)] // Runs handlers.
    unsafe fn handle<T: Task<App = A>>();

    /// Starts the most urgent one whose bit is in `wanted`, and comes back when it is done.
    ///
    /// # Safety
    ///
    /// As for `arch::start`, of each of them.
    #[doc(hidden)]
    #[cfg(target_arch = "riscv32")]
    #[allow(unsafe_code)] // Runs handlers.
    unsafe fn start_most_urgent(wanted: u32);

    /// Starts the one of that rank, if its bit is in `wanted`, and says whether it was.
    ///
    /// # Safety
    ///
    /// As for `arch::start`, of this one.
    #[doc(hidden)]
    #[cfg(target_arch = "riscv32")]
    #[allow(unsafe_code)] // Runs a handler.
    unsafe fn start_ranked<const RANK: usize>(wanted: u32) -> bool;

    /// Runs the first one of the level of `Same` whose bit is in `wanted`.
    ///
    /// # Safety
    ///
    /// As for `arch::run_asked`, of each of them. There is one, and the bits are those of tasks of the level.
    #[doc(hidden)]
    #[cfg(target_arch = "riscv32")]
    #[allow(unsafe_code)] // Runs handlers.
    unsafe fn run_first<Same: Task<App = A>>(wanted: u32);

    /// Runs the one of that rank, if it is of the level of `Same` and its bit is in `wanted`, and says whether it did.
    ///
    /// # Safety
    ///
    /// As above; those of lower ranks are not in `wanted`.
    #[doc(hidden)]
    #[cfg(target_arch = "riscv32")]
    #[allow(unsafe_code)] // Runs a handler.
    unsafe fn run_ranked<Same: Task<App = A>, const RANK: usize>(wanted: u32) -> bool;

    /// Names each vector's handler.
    #[doc(hidden)]
    #[cfg(not(target_os = "none"))]
    fn handlers(place: &mut dyn FnMut(Vector, unsafe fn()));
}

/// Tasks whose own state may go from thread to thread, which on the host it does.
#[cfg(not(target_os = "none"))]
pub trait SendTasks: private::Any {}

/// The row of `T`.
const fn row<T: Task>() -> Row {
    Row {
        name: T::NAME,
        priority: T::PRIORITY,
        vector: Some(T::VECTOR),
        behind: T::BEHIND,
        enabled: T::ENABLED,
        late: <T::Place as Place>::LATE,
        uses: <T::Uses as Uses<T::App>>::ROWS,
    }
}

/// Whether the vector of `C` runs `T`: as its own, or `behind` it.
const fn is_on<T: Task, C: Task>(behind: bool) -> bool {
    T::VECTOR.is(C::VECTOR) && T::BEHIND == behind
}

macro_rules! tasks {
    ($($t:ident $i:tt),*) => {
        impl<Application: App, $($t: Task<App = Application>),*> private::List<Application> for ($($t,)*) {}
        #[cfg(not(target_os = "none"))]
        impl<$($t),*> private::Any for ($($t,)*) {}
        #[cfg(not(target_os = "none"))]
        impl<$($t: Send),*> SendTasks for ($($t,)*) {}
        impl<Application: App, $($t: Task<App = Application>),*> Tasks<Application> for ($($t,)*) {
            const ROWS: &'static [Row] = &[$(row::<$t>()),*];

            #[inline(always)]
            #[allow(unsafe_code)] // As above.
            unsafe fn set_priorities() {
                // SAFETY: the caller's promise; the vectors are the application's own.
                $(unsafe {
                    arch::set_priority(
                        const { $t::VECTOR },
                        const { mainspring_core::threshold($t::PRIORITY, Application::Device::PRIORITY_BITS) },
                    );
                })*
            }

            #[inline(always)]
            #[allow(unsafe_code)] // As above.
            unsafe fn handle<Called: Task<App = Application>>() {
                // SAFETY: the caller's promise: they are on this vector, one after the other.
                $(if const { is_on::<$t, Called>(false) } {
                    unsafe { <$t::Trigger as Trigger<$t>>::handle() };
                })*
                // SAFETY: as above.
                $(if const { is_on::<$t, Called>(true) } {
                    unsafe { <$t::Trigger as Trigger<$t>>::handle() };
                })*
            }

            #[inline(always)]
            #[cfg(target_arch = "riscv32")]
            #[allow(unsafe_code)] // As above.
            unsafe fn start_most_urgent(_wanted: u32) {
                // SAFETY: the caller's promise.
                $(if unsafe { Self::start_ranked::<$i>(_wanted) } {
                    return;
                })*
            }

            #[inline(always)]
            #[cfg(target_arch = "riscv32")]
            #[allow(unsafe_code)] // As above.
            unsafe fn start_ranked<const RANK: usize>(_wanted: u32) -> bool {
                $(if const { !$t::BEHIND && PlanOf::<Application>::PLAN.rank($i) == RANK } && _wanted & const { arch::bit::<Application>($t::VECTOR) } != 0 {
                    // SAFETY: the caller's promise.
                    unsafe { arch::start::<$t>() };
                    return true;
                })*
                false
            }

            #[inline(always)]
            #[cfg(target_arch = "riscv32")]
            #[allow(unsafe_code)] // As above.
            unsafe fn run_first<Same: Task<App = Application>>(_wanted: u32) {
                // SAFETY: the caller's promise.
                $(if unsafe { Self::run_ranked::<Same, $i>(_wanted) } {
                    return;
                })*
            }

            #[inline(always)]
            #[cfg(target_arch = "riscv32")]
            #[allow(unsafe_code)] // As above.
            unsafe fn run_ranked<Same: Task<App = Application>, const RANK: usize>(_wanted: u32) -> bool {
                // If it is none of those before it, it is the last.
                $(if const { !$t::BEHIND && $t::PRIORITY == Same::PRIORITY && PlanOf::<Application>::PLAN.rank($i) == RANK } {
                    let is_first = const { PlanOf::<Application>::PLAN.is_last_of_level($i) }
                        || _wanted & const { arch::bit::<Application>($t::VECTOR) } != 0;
                    if const { $t::VECTOR.is(Same::VECTOR) } {
                        if is_first {
                            core::hint::cold_path();
                            arch::again();
                            // SAFETY: the caller's promise.
                            unsafe { arch::run_asked::<$t>() };
                            return true;
                        }
                    } else if is_first {
                        // SAFETY: the caller's promise.
                        unsafe { arch::run_asked::<$t>() };
                        return true;
                    }
                })*
                false
            }

            #[cfg(not(target_os = "none"))]
            fn handlers(_place: &mut dyn FnMut(Vector, unsafe fn())) {
                $(_place($t::VECTOR, crate::handle::<$t>);)*
            }
        }
    };
}

crate::tuples::all!(tasks);
