//! Processes: programs in a program, each with its own memory, and messages between them.
//!
//! A process runs in user mode. It reaches the code and the constants of the program, its own memory, and what is lent or given to
//! it; everything else is refused by the core's protection unit: PMP on RV32, the MPU on Cortex-M. A fault of a process stops
//! that process alone. Senders that wait for its answer get [`Error::Died`], and it restarts from its first image.
//!
//! ```ignore
//! mainspring::processes! {
//!     struct Clock;
//!     chip = Chip;
//!     processes {
//!         Client = Client::NEW, priority 1, memory 1024, calls (Ticktimer);
//!         Ticktimer = Ticktimer::NEW, priority 2, memory 512, calls (), device (0xf000_1000, 0x800);
//!     }
//! }
//! ```
//!
//! # Messages
//!
//! [`Cx::call`] sends five words and waits for five: they stay in the registers that they are in. The processor goes straight to the
//! receiver, if that one waits, and straight back with its answer; no list of ready processes is touched. [`Cx::lend`] and
//! [`Cx::lend_mut`] open a [`Buffer`] to the receiver until it answers, [`Cx::give`] hands over a frame. Nothing is copied, and nothing
//! has to be zeroed: a piece of memory that is granted is granted to the byte.
//!
//! A receiver runs at the priority of the most urgent sender that waits for it.
//!
//! # What is decided when
//!
//! The processes, their memory, the processes that each may call, and their number are fixed at compile time. The kernel has no heap and no list; what it
//! keeps is a fixed piece for each process ([`Context`](mainspring_core::processes::Context)).

#![allow(unsafe_code)] // Memory of processes, and their first images; each use says why.

mod api;
#[cfg_attr(target_arch = "riscv32", path = "process/rv32.rs")]
#[cfg_attr(target_arch = "arm", path = "process/cortex_m.rs")]
mod arch;
mod buffer;
mod kernel;
mod local;
mod protection;
mod table;

pub use api::{Answer, Cx, Error, Frame, Incoming, Message, Request, WithFrame, stop, stop_with};
#[doc(hidden)]
pub use arch::{DeviceTables, HAS_FLOATS, Table};
pub use buffer::{Buffer, Bytes, Granule, Lent, Pages, Text};
pub use kernel::start;
pub use local::{Caller, Local, Port, Serve};
#[doc(hidden)]
pub use mainspring_core::processes::Context;
pub use protection::Protection;
pub use table::{Calls, Chip, Image, Process, Processes, Row, Stored, Team, Tick, Where};
#[doc(hidden)]
pub use table::{Place, Placed, check, entry, state_at, team, threads, with_threads};

/// The handlers that the vectors of the program must lead to, where the program's runtime owns them.
#[cfg(target_arch = "arm")]
#[doc(hidden)]
pub use arch::{first_process, other_exception, supervisor_call};
