//! Tasks: their types, what makes them run, and what they do.
//!
//! A task is a type, and its value is the state that the task keeps from run to run. As the state is an ordinary
//! struct, several of its fields can be borrowed mutably at once, by the borrow checker's ordinary rules.

use mainspring_core::Actor as Row;
#[cfg(not(target_os = "none"))]
use mainspring_core::Vector;

use crate::arch;
use crate::context::Context;
use crate::device::Device;
use crate::inbox::{Letters, Mailbox};
#[cfg(target_arch = "riscv32")]
use crate::model::PlanOf;
use crate::model::{App, Task, Tasks, Trigger, Uses, sealed};
use crate::stored::Place;
use crate::uses::{Handles, handles};

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

#[allow(unsafe_code)] // As above.
impl<T: Run> Trigger<T> for Event {
    #[inline(always)]
    unsafe fn handle() {
        // SAFETY: the caller's promise is the same.
        unsafe { run::<T>() }
    }
}

#[allow(unsafe_code)] // As above.
impl<T: Receive> Trigger<T> for Messages {
    #[inline(always)]
    unsafe fn handle() {
        // SAFETY: the caller's promise is the same.
        unsafe { receive::<T>() }
    }
}

impl<T: Run> sealed::Trigger<T> for Event {}
impl<T: Receive> sealed::Trigger<T> for Messages {}

/// Runs the task `T` once.
///
/// # Safety
///
/// As for [`handle`](crate::handle()).
#[inline(always)]
#[allow(unsafe_code)] // The state of the task.
unsafe fn run<T: Run>() {
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
/// As for [`handle`](crate::handle()).
#[inline(always)]
#[allow(unsafe_code)] // The state of the task.
unsafe fn receive<T: Receive>() {
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

/// Tuples alone.
#[cfg(not(target_os = "none"))]
mod private {
    pub trait Any {}
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
        impl<Application: App, $($t: Task<App = Application>),*> sealed::Tasks<Application> for ($($t,)*) {}
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
