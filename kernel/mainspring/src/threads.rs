//! Threads: what has to wait in the midst of what it does.
//!
//! A task runs to its end; a thread may wait, and has a stack of its own. Threads run where no task does: all of them are
//! less urgent than every task, and among themselves they have priorities of their own, 1 to 31, with the same rule: the most
//! urgent that is ready runs. Equals take turns.
//!
//! ```
//! # use mainspring::{Context, Handles, Init, Main, Write};
//! # struct Chip;
//! # // SAFETY: nothing here runs on a chip.
//! # unsafe impl mainspring::Device for Chip { const PRIORITY_BITS: u8 = 4; type Interrupt = (); }
//! use mainspring::threads::{Semaphore, Thread, Ticks};
//!
//! mainspring::app! {
//!     struct Pump;
//!     device = Chip;
//!     resources { Level: u32 = 0; }
//!     tasks {}
//!     threads (tick 8_000) {                       // SysTick every 8,000 cycles
//!         Fill = Fill, priority 2, stack 512, uses Write<Level>;
//!         Drain = Drain, priority 1, stack 512, uses Write<Level>;
//!     }
//! }
//!
//! static FULL: Semaphore<Pump> = Semaphore::new(0);
//!
//! struct Fill;
//! impl Thread for Fill {
//!     fn run(&mut self, mut cx: Context<Self>, mut level: Handles<Self>) {
//!         loop {
//!             cx.lock(&mut level, |level, _| *level += 1);   // as in a task: holds the other threads back
//!             FULL.give(&mut cx);
//!             cx.sleep(Ticks(10));
//!         }
//!     }
//! }
//!
//! struct Drain;
//! impl Thread for Drain {
//!     fn run(&mut self, mut cx: Context<Self>, mut level: Handles<Self>) {
//!         loop {
//!             FULL.take(&mut cx);
//!             cx.lock(&mut level, |level, _| *level -= 1);
//!         }
//!     }
//! }
//!
//! impl Main for Pump { fn init(_: Init<Self>) {} }
//! ```
//!
//! Waiting needs the context of the thread itself. Inside of a section there is another one, so a thread that waits inside of
//! a lock does not compile. What a task does to threads ([`Semaphore::give`], [`Flags::set`], [`Queue::try_send`]) never
//! waits; the most urgent priority from which that is done is stated in the table (`waking`), and compared.
//!
//! # The switch
//!
//! A thread that waits or yields switches to the next one as a function call would: what it has in registers is saved by
//! the compiler, which knows what there is, and no exception is needed. A thread that is *pre-empted* is stopped between
//! any two instructions, so PendSV saves all of its registers. Either may be followed by the other; who has used the
//! floating-point unit is always switched by PendSV, where the hardware saves those registers late or never. On RV32 neither
//! way needs a trap; `threads (switch INTERRUPT)` names the bit of the interrupt mask that is the switch's.

mod awaited;
mod clock;
mod condition;
#[cfg(all(target_os = "none", target_arch = "arm"))]
#[doc(hidden)]
pub mod dynamic;
mod first;
mod flags;
mod kernel;
mod mutex;
mod port;
mod queue;
mod semaphore;
pub(crate) mod state;
mod thread;
pub(crate) mod time;

#[doc(hidden)]
pub use crate::model::{Joiners, slots};
pub use crate::model::{Stacked, Threaded, Threads};
#[doc(hidden)]
pub use clock::{ClockPlace, Clocked};
pub use condition::Condition;
pub(crate) use first::First;
pub use flags::{Flags, Wanted};
pub(crate) use kernel::guard_idle;
#[doc(hidden)]
pub use kernel::{give_way_to, preempt, tick};
#[doc(hidden)]
pub use mainspring_core::threads::Slot;
pub use mutex::{Guard, Mutex};
pub use port::Port;
pub use queue::Queue;
pub use semaphore::{Full, Semaphore};
#[doc(hidden)]
pub use state::{GiveWay, Kernel, Section};
pub use thread::{Stack, Thread};
pub use time::{Ticks, TimedOut};
