//! Mainspring: a small kernel whose every primitive has a price.
//!
//! # Tasks are interrupts
//!
//! A [`Task`] is bound to an interrupt and to a priority, and both stay as they are. The interrupt controller starts
//! tasks, pre-empts them and chains them; there is no scheduler in software, no task memory and one stack for all.
//!
//! # Data is safe by its ceiling
//!
//! A [`Resource`] is data that tasks share. Its *ceiling* is the highest priority among the tasks that use it. While
//! code is at the ceiling or above, no other user can run: that is all the exclusion there is. Going up is a write
//! of BASEPRI, and another to come back ([`Context::lock`]); a task that is at the ceiling anyway pays nothing. As a
//! task can start only when everything it may ever lock is free, a lock never waits, and there is no deadlock.
//!
//! All of this is worked out while compiling. The table of [`app!`] says which task uses what; the ceilings follow from
//! it; the handles that a task gets are made from the same list, so a resource cannot be reached by anyone who was not
//! counted. Where the code stands is part of the type of its [`Context`], so a section knows how much is held back
//! already, and what to put back.
//!
//! ```
//! use mainspring::{Context, Handles, Initials, Init, Main, Read, Run, Write};
//! # mod stm32f1xx { pub const NVIC_PRIO_BITS: u8 = 4; pub enum Interrupt { TIM2 = 28, EXTI0 = 6 } }
//!
//! struct Chip;
//! // SAFETY: made from the vendor's description of the chip.
//! unsafe impl mainspring::Device for Chip {
//!     const PRIORITY_BITS: u8 = stm32f1xx::NVIC_PRIO_BITS;
//!     type Interrupt = stm32f1xx::Interrupt;
//! }
//!
//! mainspring::app! {
//!     /// Counts ticks, and shows the count at the touch of a key.
//!     struct Counter;
//!     device = Chip;
//!
//!     resources {
//!         /// Ticks since the start.
//!         Ticks: u32 = 0;
//!     }
//!     tasks {
//!         Tick,                    on TIM2,  priority 2, uses Write<Ticks>;
//!         Show = Show { shown: 0 }, on EXTI0, priority 1, uses Read<Ticks>;
//!     }
//! }
//!
//! struct Tick { every: u32 }
//! impl Run for Tick {
//!     fn run(&mut self, cx: Context<Self>, mut ticks: Handles<Self>) {
//!         *cx.get(&mut ticks) += self.every; // the only writer, and the most urgent: no lock needed
//!     }
//! }
//!
//! struct Show { shown: u32 }
//! impl Run for Show {
//!     fn run(&mut self, mut cx: Context<Self>, ticks: Handles<Self>) {
//!         self.shown = cx.lock(&ticks, |ticks, _| *ticks);
//!     }
//! }
//!
//! impl Main for Counter {
//!     fn init(_: Init<Self>) -> Initials<Self> {
//!         Initials::<Self> { Tick: Tick { every: 1 } }
//!     }
//! }
//! ```
//!
//! # Messages
//!
//! A task with an inbox runs once for each message: [`Context::post`], [`Receive`]. Messages that the receiver fetches when it likes go through
//! a [`mod@queue`].
//!
//! # Time
//!
//! Alarms, periods without drift, timeouts, waiting: [`mod@time`].
//!
//! # `async`
//!
//! A task may be a future: [`mod@future`].
//!
//! # Memory
//!
//! Boxes in constant time, from any priority, without a lock: [`mod@pool`].
//!
//! # What `unsafe` there is
//!
//! In the modules `arch` (registers), `stored` and `lock` (references to static data), `model` (unsafe traits), `enter` and `task` (the vectors), `start`, `context`,
//! `future` and `host` (which make contexts) and `inbox` (its two ends), in `pool` (raw memory), and in `mainspring-core`'s `ring`
//! and `pool::list`. An application writes one: what it says of the chip ([`Device`]). [`app!`] writes the traits of the
//! table, which are `unsafe` to implement, and the calls in the vectors. `docs/guide/sound.md` has the obligations, where
//! each is discharged, and what is *not* safe: above all, two cores that share a pool.

#![cfg_attr(target_os = "none", no_std)]

mod arch;
mod brand;
mod context;
#[cfg(all(feature = "critical-section", target_os = "none"))]
mod critical;
mod device;
mod enter;
pub mod future;
mod guard;
mod inbox;
mod level;
mod lock;
mod model;
pub mod pool;
#[cfg(all(target_os = "none", any(target_arch = "riscv32", basepri)))]
pub mod process;
pub mod queue;
mod resource;
mod start;
mod stored;
mod table;
mod task;
pub mod threads;
pub mod time;
mod tuples;
mod uses;

#[cfg(not(target_os = "none"))]
pub mod host;

/// The names that [`app!`] writes, which no other name can shadow.
#[doc(hidden)]
pub use core as __core;

#[cfg(all(target_os = "none", target_arch = "arm"))]
#[doc(hidden)]
pub use arch::fault as __fault;
#[cfg(all(target_os = "none", target_arch = "arm"))]
#[doc(hidden)]
pub use arch::pendsv as __offset;
pub use arch::wait;
pub use context::{Context, Full, Init};
pub use device::{Device, Lines, Plic};
pub use enter::handle;
pub use inbox::{Inbox, Letters, Mailbox};
pub use level::{Atomic, Level, Locked};
pub use lock::Lock;
pub use mainspring_core::Vector;
pub use model::{Actor, App, Idle, Task, Tasks, Trigger, Uses};
pub use resource::{Resource, ceiling};
pub use start::{Initials, Main, check, start};
pub use stored::{Fixed, Handed, HandedOver, Initial, Late, Named, Place, Stored, Values};
#[cfg(not(target_os = "none"))]
pub use task::SendTasks;
pub use task::{Event, Messages, Receive, Run};
#[doc(hidden)]
pub use tuples::List as __List;
pub use uses::{Fields, Handle, Handles, Naming, Post, Read, Section, Use, Write};
