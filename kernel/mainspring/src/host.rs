//! Running an application on the host, for its unit tests.
//!
//! Everything works as on the chip, priorities, sections, messages, except that interrupts come only when asked for:
//! by [`Context::pend`](crate::Context::pend) or [`Context::post`](crate::Context::post). A task that is more urgent
//! runs inside that call; one that is less urgent, or held back, when it may. What the types say of the threshold is
//! compared with what it is, at every section.
//!
//! ```
//! # use mainspring::{Context, Handles, Init, Main, Run, Write};
//! # struct Chip;
//! # enum Interrupt { TIM2 = 28 }
//! # // SAFETY: nothing here runs on a chip.
//! # unsafe impl mainspring::Device for Chip { const PRIORITY_BITS: u8 = 4; type Interrupt = Interrupt; }
//! # mainspring::app! {
//! #     struct Counter;
//! #     device = Chip;
//! #     resources { Ticks: u32 = 0; }
//! #     tasks { Tick = Tick, on TIM2, priority 2, uses Write<Ticks>; }
//! #     idle uses Write<Ticks>;
//! # }
//! # struct Tick;
//! # impl Run for Tick {
//! #     fn run(&mut self, cx: Context<Self>, mut ticks: Handles<Self>) { *cx.get(&mut ticks) += 1; }
//! # }
//! # impl Main for Counter { fn init(_: Init<Self>) {} }
//! # fn main() {
//! let ticks = mainspring::host::run::<Counter, _>(|mut cx, mut ticks| {
//!     cx.pend::<Tick>();
//!     cx.lock(&mut ticks, |ticks, cx| {
//!         cx.pend::<Tick>(); // held back until the lock ends
//!         *ticks
//!     })
//! });
//! assert_eq!(ticks, 1);
//! # }
//! ```

#![allow(unsafe_code)] // Makes the first context of a run, as the start on a chip does.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

use crate::arch;
use crate::context::{Context, Init};
use crate::model::{App, Idle};
use crate::start::{Main, prepare};
use crate::task::SendTasks;
use crate::uses::{Handles, handles};

/// One application at a time: their data is static.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

thread_local! {
    /// Whether this thread runs one.
    static RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// While it exists, this thread runs an application.
struct Running;

impl Running {
    fn begin() -> Self {
        assert!(
            !RUNNING.replace(true),
            "`host::run` inside of `host::run`: an application runs already, and there is one at a time"
        );
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.set(false);
    }
}

/// While it exists, the tasks of an application start on this thread when they are asked for.
struct Armed;

impl Armed {
    /// # Safety
    ///
    /// No application runs on this thread.
    unsafe fn begin<A: App>() -> Self {
        // SAFETY: the caller's promise.
        unsafe { arch::reset::<A>() };
        Armed
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        arch::disarm();
    }
}

/// Runs `init`, then `idle` in place of the application's own idle loop. Data that has its first value from the table
/// is not reset: it is as the run before left it.
///
/// Each test has a thread of its own, so the state of the tasks goes from thread to thread, and must be `Send`; on a
/// chip it need not be. Runs of several threads come one after the other.
///
/// # Panics
///
/// If this thread runs an application already.
pub fn run<A: Main<Tasks: SendTasks>, O>(idle: impl FnOnce(Context<Idle<A>>, Handles<Idle<A>>) -> O) -> O {
    // SAFETY: the state of the tasks may go from thread to thread.
    unsafe { run_in_one_thread(idle) }
}

/// As [`run`], for applications with tasks whose state is not `Send`, such as `async` ones.
///
/// # Safety
///
/// All runs of `A` are on one thread.
///
/// # Panics
///
/// As [`run`].
pub unsafe fn run_in_one_thread<A: Main, O>(idle: impl FnOnce(Context<Idle<A>>, Handles<Idle<A>>) -> O) -> O {
    const { crate::check::<A>() };
    let _running = Running::begin();
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    // It ends before anybody else's turn begins: a waker, which everybody may have, starts nothing then.
    // SAFETY: no application runs on this thread.
    let _armed = unsafe { Armed::begin::<A>() };
    // SAFETY: interrupts are off after the reset, and no other run is under way on any thread.
    let values = A::init(unsafe { Init::new() });
    // SAFETY: as above.
    unsafe { prepare::<A>(values) };
    // SAFETY: everything is in its place.
    unsafe { arch::release_all::<A>() };
    // SAFETY: this is the one run of the idle loop, and tasks run only inside of what it calls.
    idle(unsafe { Context::new() }, unsafe { handles::<Idle<A>>() })
}

/// Runs `f` with BASEPRI raised to `threshold` by code that knows nothing of the application, such as a driver with a
/// critical section of its own: for tests that sections inside of it leave it alone.
pub fn masked<O>(threshold: u8, f: impl FnOnce() -> O) -> O {
    arch::masked(threshold, f)
}
