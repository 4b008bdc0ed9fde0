//! The application: the list of its tasks, and how it starts.

use core::marker::PhantomData;

use mainspring_core::{Actor as Row, IDLE, Plan, Problem, Text};

use crate::arch;
use crate::context::{Context, Init};
use crate::stored::{Initial, Named};
use crate::task::{Actor, Tasks};
use crate::uses::{Handles, Uses};

/// What the table says of the whole application. [`app!`](crate::app!) writes this.
pub trait App: Named {
    /// Priority bits that the chip implements, 2 to 7 (a device crate calls it `NVIC_PRIO_BITS`). With more than there
    /// are, neighbouring levels would be one, and sections would not hold; a build with debug assertions looks.
    const PRIORITY_BITS: u8;
    /// The tasks, a tuple.
    type Tasks: Tasks<Self>;
    /// The tasks and resources whose first values `init` hands over, a tuple.
    type Late: Initial;
    /// What the idle loop uses.
    type IdleUses: Uses<Self>;
}

/// What the application does outside of its tasks. You write this.
pub trait Main: App {
    /// Runs once, with interrupts off, before any task, and hands over the first values of whatever has none in the
    /// table, in the table's order (resources, then tasks).
    fn init(cx: Init<Self>) -> Initials<Self>;

    /// Runs when no task does. It is less urgent than every task and never returns.
    fn idle(cx: Context<Idle<Self>>, shared: Handles<Idle<Self>>) -> ! {
        let _ = (cx, shared);
        loop {
            crate::wait();
        }
    }
}

/// The values that `init` returns.
pub type Initials<A> = <<A as App>::Late as Initial>::Values;

/// The idle loop of `A`, as someone who runs and uses things, at priority 0.
pub struct Idle<A>(PhantomData<A>);

// SAFETY: types of an application are written like types, with a capital; and the idle loop has no place to be filled.
#[allow(unsafe_code)] // As explained.
unsafe impl<A: App> Named for Idle<A> {
    const NAME: &'static str = "idle";
}

impl<A: App> Actor for Idle<A> {
    type App = A;
    const PRIORITY: u8 = IDLE;
    type Uses = A::IdleUses;
}

/// The whole application as one constant.
pub(crate) struct PlanOf<A>(PhantomData<A>);

impl<A: App> PlanOf<A> {
    pub(crate) const PLAN: Plan = Plan {
        bits: A::PRIORITY_BITS,
        idle: Row {
            name: "idle",
            priority: IDLE,
            vector: None,
            enabled: true,
            late: false,
            uses: <A::IdleUses as Uses<A>>::ROWS,
        },
        tasks: <A::Tasks as Tasks<A>>::ROWS,
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
    if let Some(text) = arch::problem(&PlanOf::<A>::PLAN) {
        panic!("{}", text.as_str());
    }
}

const fn problem<A: App>() -> Option<Problem> {
    PlanOf::<A>::PLAN.problem()
}

/// Starts the application: `init`, the priorities and enable bits of the tasks, the idle loop. [`app!`](crate::app!)
/// calls this from `main`.
#[inline(always)]
pub fn start<A: Main>() -> ! {
    const { check::<A>() };
    arch::hold_all();
    debug_assert!(
        arch::has_priority_bits(A::PRIORITY_BITS),
        "the chip has fewer priority bits than the table says"
    );
    let values = A::init(Init::new());
    crate::enter::prepare::<A>(values);
    arch::release_all();
    crate::enter::idle::<A>()
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
