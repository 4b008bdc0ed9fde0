//! The model: the traits that name one another, and the plan that follows from them.
//!
//! An application lists its tasks and threads, each of which names its application and what it uses. So these traits are in one
//! file, and nothing here does anything: what the kernel does with them is in the modules above.

#![allow(unsafe_code)] // Unsafe traits: everything is worked out from what they say.

use core::marker::PhantomData;

use mainspring_core::threads::{Set, Thread as ThreadRow};
use mainspring_core::{Actor as Row, IDLE, Plan, Use as UseRow, Vector};

use crate::device::Device;
use crate::stored::{Initial, Named, Stored};
use crate::threads::{Clocked, GiveWay, Kernel};

/// The table as one type: the whole application. [`app!`](crate::app!) writes this.
///
/// # Safety
///
/// [`Tasks`](App::Tasks) has every task whose vector is the program's to serve: a ceiling is the highest priority among
/// those that are in this list. No two applications run at once.
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

/// The idle loop of `A`, as an actor that runs and uses resources, at priority 0.
pub struct Idle<A>(PhantomData<A>);

// SAFETY: types of an application are written like types, with a capital; and the idle loop has no place to be filled.
unsafe impl<A: App> Named for Idle<A> {
    const NAME: &'static str = "idle";
}

// SAFETY: thread mode, in which the idle loop runs, is at no task's priority.
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

/// Something that runs: a task, or the idle loop. [`app!`](crate::app!) writes this from a row of the table.
///
/// # Safety
///
/// The actor that runs at this priority: a [`Task`], or the idle loop. Its contexts are proofs of that.
pub unsafe trait Actor: Named {
    /// The application that it belongs to.
    type App: App;
    /// 1 is the least urgent task, 2^[`Device::PRIORITY_BITS`] the most urgent; 0 is the idle loop's.
    const PRIORITY: u8;
    /// The resources and inboxes it uses: `()`, one of [`Write`](crate::Write), [`Read`](crate::Read) and
    /// [`Post`](crate::Post), or a tuple of them.
    type Uses: Uses<Self::App>;
    /// For a [`Thread`](crate::threads::Thread): its action after it has woken a more urgent one.
    #[doc(hidden)]
    const GIVES_WAY: Option<GiveWay> = None;
}

/// A task, bound to one interrupt for good. [`app!`](crate::app!) writes this from a row of the table.
///
/// # Safety
///
/// [`VECTOR`](Task::VECTOR) is an exception of the chip, and its vector is called by that exception alone; only a task that is
/// [`BEHIND`](Task::BEHIND) another one shares it. The task is no [`Resource`](crate::Resource).
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

/// [`Event`] or [`Messages`].
pub trait Trigger<T>: sealed::Trigger<T> {
    /// # Safety
    /// As for [`handle`](crate::handle).
    #[doc(hidden)]
    unsafe fn handle();
}

/// The list of the tasks: a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of tasks of `{A}`",
    note = "a tuple of up to 32 tasks, each of which names `{A}` as its `App`"
)]
pub trait Tasks<A: App>: sealed::Tasks<A> {
    /// One row for each.
    #[doc(hidden)]
    const ROWS: &'static [Row];

    /// Gives each interrupt its priority.
    ///
    /// # Safety
    ///
    /// `A` is the application that is being started, and none of its tasks runs.
    #[doc(hidden)]
    unsafe fn set_priorities();

    /// Runs the tasks that are on the vector of `T`: the one that owns it, and then those `behind` it, in the order of the table.
    ///
    /// # Safety
    ///
    /// As for [`handle`](crate::handle()).
    #[doc(hidden)]
    unsafe fn handle<T: Task<App = A>>();

    /// Starts the most urgent one whose bit is in `wanted`, and comes back when it is done.
    ///
    /// # Safety
    ///
    /// As for `arch::start`, of each of them.
    #[doc(hidden)]
    #[cfg(target_arch = "riscv32")]
    unsafe fn start_most_urgent(wanted: u32);

    /// Starts the one of that rank, if its bit is in `wanted`, and says whether it was.
    ///
    /// # Safety
    ///
    /// As for `arch::start`, of this one.
    #[doc(hidden)]
    #[cfg(target_arch = "riscv32")]
    unsafe fn start_ranked<const RANK: usize>(wanted: u32) -> bool;

    /// Runs the first one of the level of `Same` whose bit is in `wanted`.
    ///
    /// # Safety
    ///
    /// As for `arch::run_asked`, of each of them. There is one, and the bits are those of tasks of the level.
    #[doc(hidden)]
    #[cfg(target_arch = "riscv32")]
    unsafe fn run_first<Same: Task<App = A>>(wanted: u32);

    /// Runs the one of that rank, if it is of the level of `Same` and its bit is in `wanted`, and says whether it did.
    ///
    /// # Safety
    ///
    /// As above; those of lower ranks are not in `wanted`.
    #[doc(hidden)]
    #[cfg(target_arch = "riscv32")]
    unsafe fn run_ranked<Same: Task<App = A>, const RANK: usize>(wanted: u32) -> bool;

    /// Names each vector's handler.
    #[doc(hidden)]
    #[cfg(not(target_os = "none"))]
    fn handlers(place: &mut dyn FnMut(Vector, unsafe fn()));
}

/// All that a task uses: `()`, one [`Use`](crate::Use), or a tuple of up to thirty-two.
#[diagnostic::on_unimplemented(
    message = "a task of `{A}` cannot use `{Self}`",
    label = "expected `Write<resource>`, `Read<resource>`, `Post<task with an inbox>`, or a tuple of these",
    note = "each must belong to `{A}`",
    note = "`Read<R>` needs data that is `Sync`; where it is not, say `Write<R>`"
)]
pub trait Uses<A: App>: sealed::Uses<A> {
    /// The handles.
    type Handles<'run>;
    /// For the plan.
    #[doc(hidden)]
    const ROWS: &'static [UseRow];

    /// Makes the handles.
    #[doc(hidden)]
    fn handles<'run>(key: Key) -> Self::Handles<'run>;
}

/// Shows that the kernel makes the handles, for one run of their owner.
#[doc(hidden)]
pub struct Key(());

impl Key {
    /// # Safety
    ///
    /// A run of the owner begins, and gets no other handles.
    #[inline(always)]
    pub(crate) const unsafe fn new() -> Self {
        Key(())
    }
}

/// A row of the table. [`app!`](crate::app!) writes this.
///
/// # Safety
///
/// It is in the list of its application, and runs as nothing but a thread. The stack is its own.
#[diagnostic::on_unimplemented(
    message = "only a thread can wait, and not inside of a lock",
    label = "this is the context of a section, a task or the idle loop",
    note = "wait before the lock or behind it; a task never waits: `try_…`"
)]
pub unsafe trait Threaded: Actor + Stored<Data = Self> {
    /// 1 is the least urgent thread; equal ones take turns.
    const URGENCY: u8;
    /// Its stack.
    const STACK: &'static dyn Stacked<Self>;
    #[doc(hidden)]
    const ROW: usize = PlanOf::<Self::App>::PLAN.row_of(Self::NAME);
    #[doc(hidden)]
    const RANK: usize = PlanOf::<Self::App>::PLAN.order().rank(Self::ROW);
    #[doc(hidden)]
    const GROUP: u32 = PlanOf::<Self::App>::PLAN.order().group(Self::ROW);
    #[doc(hidden)]
    const JOINERS: &'static Joiners;
}

/// The threads that wait for a thread to finish.
#[doc(hidden)]
#[derive(Default)]
pub struct Joiners(pub(crate) Set);

// SAFETY: used in the kernel's section alone.
unsafe impl Sync for Joiners {}

impl Joiners {
    #[must_use]
    pub const fn new() -> Self {
        Joiners(Set::new())
    }
}

/// A stack of any size.
pub trait Stacked<T>: Sync + sealed::Stacked<T> {
    /// Where it begins, and its bytes.
    #[doc(hidden)]
    fn memory(&self) -> (*mut u64, usize);
}

/// The list of the threads: a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of threads of `{A}`",
    note = "a tuple of up to 16 threads, each of which names `{A}` as its `App`"
)]
pub trait Threads<A: App>: sealed::Threads<A> {
    /// One row for each.
    #[doc(hidden)]
    const ROWS: &'static [ThreadRow];

    /// Puts each thread at its beginning.
    ///
    /// # Safety
    ///
    /// No thread of `A` has run since the start.
    #[doc(hidden)]
    unsafe fn prepare();
}

/// Slots that the kernel of `A` has: one for each thread, and the idle loop's.
#[doc(hidden)]
#[must_use]
pub const fn slots<A: App>() -> usize {
    <A::Threads as Threads<A>>::ROWS.len() + 1
}

/// Supertraits that keep out other implementations. The traits name an application or a row, because a trait that does may be
/// implemented for anybody's types by the one whose application or row it is.
pub(crate) mod sealed {
    /// Only for [`Event`](crate::Event) and [`Messages`](crate::Messages).
    pub trait Trigger<T> {}
    /// Only for tuples of tasks of `A`: the ceilings are computed from the list, so no other kind may exist.
    pub trait Tasks<A> {}
    /// The words of the table, and tuples of them: handles are made from these lists and ceilings worked out from
    /// them, so nobody may write another kind. So it has exactly the types for which the kernel implements
    /// [`Uses`](super::Uses): another implementation is a second one.
    pub trait Uses<A> {}
    /// Only for the kernel's own stacks.
    pub trait Stacked<T> {}
    /// Only for tuples of threads of `A` that run: the rows are made from them, so no other kind may exist.
    pub trait Threads<A> {}
}
