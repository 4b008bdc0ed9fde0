//! Running an application on the host, for its unit tests.
//!
//! Everything works as on the chip, priorities, sections, messages, except that interrupts come only when asked for:
//! by [`Context::pend`](crate::Context::pend) or [`Context::post`](crate::Context::post). A task that is more urgent
//! runs inside that call; one that is less urgent, or held back, when it may. What the types say of the threshold is
//! compared with what it is, at every section.
//!
//! ```
//! # use mainspring::{Context, Handles, Init, Main, Run, Write};
//! # mod device { pub const NVIC_PRIO_BITS: u8 = 4; pub enum Interrupt { TIM2 = 28 } }
//! # mainspring::app! {
//! #     struct Counter;
//! #     device = device;
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

use std::sync::{Mutex, PoisonError};

use crate::app::{Idle, Main};
use crate::arch;
use crate::context::{Context, Init};
use crate::uses::Handles;

/// One application at a time: their data is static.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs `init`, then `idle` in place of the application's own idle loop. Data that has its first value from the table
/// is not reset: it is as the run before left it.
pub fn run<A: Main, O>(idle: impl FnOnce(Context<Idle<A>>, Handles<Idle<A>>) -> O) -> O {
    const { crate::check::<A>() };
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    arch::reset::<A>();
    let values = A::init(Init::new());
    crate::enter::prepare::<A>(values);
    arch::release_all();
    idle(Context::new(), crate::enter::handles::<Idle<A>>())
}
