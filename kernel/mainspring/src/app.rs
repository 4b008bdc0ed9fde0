//! The application: the list of its tasks, and how it starts.

use core::marker::PhantomData;

use mainspring_core::{Actor as Row, IDLE, Plan, Problem, Text, Vector};

use crate::arch;
use crate::context::{Context, Init};
use crate::device::Device;
use crate::guard;
use crate::stored::{Initial, Named};
use crate::task::{Actor, Tasks};
use crate::threads::{Clocked, Kernel, Stacked, Threads, time};
use crate::uses::{Handles, Uses};

/// The table as one type: the whole application. [`app!`](crate::app!) writes this.
///
/// # Safety
///
/// [`Tasks`](App::Tasks) has every task whose vector is the program's to serve: a ceiling is the highest priority among
/// those that are in this list. No two applications run at once.
#[allow(unsafe_code)] // An unsafe trait: everything is worked out from it.
pub unsafe trait App: Named {
    /// The chip.
    type Device: Device;
    /// The tasks, a tuple.
    type Tasks: Tasks<Self>;
    /// The tasks and resources whose first values `init` hands over, a tuple.
    type Late: Initial;
    /// The resources that the idle loop uses.
    type IdleUses: Uses<Self>;
    /// The threads, a tuple.
    type Threads: Threads<Self>;
    /// The priority of the most urgent task that uses what threads wait for.
    const WAKING: u8 = mainspring_core::SWITCH;
    /// Cycles of a tick of the threads' time; 0, if there is none.
    const TICK: u32 = 0;
    /// The task that calls `cx.tick()`, where the threads' time is not SysTick's.
    const TICKED: Option<&'static str> = None;
    /// The clock of the threads' time, where there are no ticks.
    const CLOCK: Option<Clocked> = None;
    /// On RV32, the interrupt whose bit in the mask is the switch's.
    const SWITCH: Option<Vector> = None;
    /// Where the tasks' stack ends, if stacks are guarded ([`app!`](crate::app!): `guard = SYMBOL`).
    const STACK_END: Option<*const u8> = None;
    /// The state of the threads, with a slot for each and one for the idle loop.
    #[doc(hidden)]
    const KERNEL: &'static Kernel;
    /// Where the idle loop's stack ends, if there are threads.
    #[doc(hidden)]
    const IDLE_STACK: &'static dyn Stacked<Idle<Self>>;
}

/// The code of the application outside its tasks. You write this.
pub trait Main: App {
    /// Runs once, with interrupts off, before any task, and hands over the first values of whatever has none in the
    /// table, by the names of the rows: `Initials::<Self> { Port: uart, … }`; nothing, if there is none.
    fn init(cx: Init<Self>) -> Initials<Self>;

    /// Runs when no task does. It is less urgent than every task and never returns.
    fn idle(cx: Context<Idle<Self>>, shared: Handles<Idle<Self>>) -> ! {
        let _ = (cx, shared);
        loop {
            crate::wait();
        }
    }
}

/// The values that `init` returns: a struct with a field for each row without a value, named as the row is.
pub type Initials<A> = <<A as App>::Late as Initial>::Values;

/// The idle loop of `A`, as an actor that runs and uses resources, at priority 0.
pub struct Idle<A>(PhantomData<A>);

// SAFETY: types of an application are written like types, with a capital; and the idle loop has no place to be filled.
#[allow(unsafe_code)] // As explained.
unsafe impl<A: App> Named for Idle<A> {
    const NAME: &'static str = "idle";
}

// SAFETY: thread mode, in which the idle loop runs, is at no task's priority.
#[allow(unsafe_code)] // As explained.
unsafe impl<A: App> Actor for Idle<A> {
    type App = A;
    const PRIORITY: u8 = IDLE;
    type Uses = A::IdleUses;
}

/// The whole application as one constant.
pub(crate) struct PlanOf<A>(PhantomData<A>);

impl<A: App> PlanOf<A> {
    pub(crate) const PLAN: Plan = Plan {
        bits: A::Device::PRIORITY_BITS,
        owns_basepri: A::Device::OWNS_BASEPRI,
        idle: Row {
            name: "idle",
            priority: IDLE,
            vector: None,
            behind: false,
            enabled: true,
            late: false,
            uses: <A::IdleUses as Uses<A>>::ROWS,
        },
        tasks: <A::Tasks as Tasks<A>>::ROWS,
        threads: <A::Threads as Threads<A>>::ROWS,
        waking: A::WAKING,
        late: <A::Late as Initial>::NAMES,
    };
}

/// Stops the compiler if something is wrong with the application, and says what. [`app!`](crate::app!) puts a constant
/// of it beside the table, so that the mistake is found even by `cargo check`.
///
/// # Panics
///
/// While compiling, with a message that says what is wrong and what to do about it.
pub const fn check<A: App>() {
    if let Some(problem) = problem::<A>() {
        let text = problem.text();
        panic!("{}", text.as_str());
    }
    if let Some(text) = arch::problem::<A>() {
        panic!("{}", text.as_str());
    }
    if let Some(text) = guard::problem::<A>() {
        panic!("{}", text.as_str());
    }
    if let Some(text) = time::problem::<A>() {
        panic!("{}", text.as_str());
    }
    if let Some(name) = A::TICKED
        && PlanOf::<A>::PLAN.priority_of(name) == IDLE
    {
        let text = Text::of("`threads (ticked ")
            .name(name)
            .and(")` names no task of the table: it is the one that calls `cx.tick()`");
        panic!("{}", text.as_str());
    }
}

const fn problem<A: App>() -> Option<Problem> {
    PlanOf::<A>::PLAN.problem()
}

/// Starts the application: `init`, the priorities and enable bits of the tasks, the idle loop. [`app!`](crate::app!)
/// calls this from `main`.
///
/// # Safety
///
/// Called once, after a reset, in thread mode, on the one core that runs the application, before anything of it ran.
///
/// # Panics
///
/// If the chip has fewer priority bits than its [`Device`] says: levels would be one that the table holds apart, and the
/// threshold of a section could be none at all.
#[inline(always)]
#[allow(unsafe_code)] // The caller's promise is passed on.
pub unsafe fn start<A: Main>() -> ! {
    const { check::<A>() };
    arch::hold_all();
    // What the architecture demands is there. A table that says more is as right as its author.
    if const { A::Device::PRIORITY_BITS > arch::LEAST_PRIORITY_BITS } {
        assert!(
            arch::has_priority_bits(A::Device::PRIORITY_BITS),
            "the chip has fewer priority bits than the table says"
        );
    }
    // SAFETY: the caller says that this is the first start.
    unsafe { guard::begin_first::<A>() };
    // SAFETY: interrupts are off, no task has run, and the caller says that this is the first start.
    let values = A::init(unsafe { Init::new() });
    // SAFETY: as above.
    unsafe { crate::enter::prepare::<A>(values) };
    if const { PlanOf::<A>::PLAN.threads.is_empty() } {
        // SAFETY: there are no threads.
        unsafe { guard::begin::<A>() };
        // SAFETY: this is thread mode, the only call, and everything is in its place.
        unsafe { release_and_idle::<A>() }
    }
    // SAFETY: no thread has run.
    unsafe { A::Threads::prepare() };
    let (lowest, bytes) = A::IDLE_STACK.memory();
    // SAFETY: the stack is the idle loop's.
    unsafe { crate::threads::kernel::guard_idle::<A>(lowest, bytes) };
    // SAFETY: each has its stack now.
    unsafe { guard::begin::<A>() };
    // SAFETY: interrupts are off, and no thread has run.
    unsafe { time::start::<A>() };
    // SAFETY: interrupts are off, and the stack, all of it, is the idle loop's.
    unsafe { arch::start_threads::<A>(lowest.byte_add(bytes), idle_thread::<A>) }
}

/// The idle loop, among threads.
#[allow(unsafe_code)] // As above.
extern "C" fn idle_thread<A: Main>() -> ! {
    // SAFETY: the end of the start.
    unsafe { release_and_idle::<A>() }
}

/// # Safety
///
/// Everything is in its place, this is thread mode, and the only call.
#[inline(always)]
#[allow(unsafe_code)] // The caller's promise is passed on.
unsafe fn release_and_idle<A: Main>() -> ! {
    // SAFETY: the caller's promise.
    unsafe { arch::release_all::<A>() };
    // SAFETY: the caller's promise.
    unsafe { crate::enter::idle::<A>() }
}

/// A message of the compiler that names two numbers.
pub(crate) const fn below_ceiling(name: &str, ceiling: u8, priority: u8) -> Text {
    Text::of("resource ")
        .name(name)
        .and(" has ceiling ")
        .number(ceiling as u16)
        .and(" but this code runs at priority ")
        .number(priority as u16)
        .and(": a more urgent task could interfere; use `cx.lock(…)`")
}
