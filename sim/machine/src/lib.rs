//! Runs firmware: a program on a board, until it ends.
//!
//! [`Image`] reads the file, [`Board`] describes the chip, and a [`Machine`] runs the one on the other:
//!
//! ```no_run
//! # use std::{path::Path, sync::Arc};
//! # use machine::{Board, Image, Machine, Options, Outcome};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let image = Arc::new(Image::load(Path::new("firmware.elf"))?);
//! let board = Board::find("stm32f100rb")?;
//! let mut machine = Machine::new(&board, &image, Options::default())?;
//! match machine.run(1_000_000, &mut events::Silent) {
//!     Outcome::Exit { code } => println!("exit code {code} after {} cycles", machine.cycle()),
//!     other => println!("{other:?}"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Files are read through the traits of [`host`]. The feature `host`, which is on by default, implements them by this computer's files;
//! without it the crate builds for WebAssembly.
//!
//! Every error of this crate is a user's mistake. `Display` gives the message with its place; `hint` says what to do.

pub mod board;
#[cfg(feature = "host")]
pub mod bounded;
#[cfg(test)]
mod campaign;
mod channel;
mod console;
pub mod cores;
pub mod crash;
pub mod defmt;
mod devices;
mod exception;
mod families;
mod fit;
pub mod host;
mod hosted;
pub mod image;
mod listing;
mod machine;
mod nearest;
mod notes;
mod processor;
mod restart;
mod semihosting;
mod start;
mod stimulus;
pub mod svd;
pub mod target;
mod waiting;

pub use board::{Allow, Board, BoardError};
pub use bus::{Incoming, ResetCause};
pub use channel::{Channel, Stamp, Tap};
pub use console::{Captured, Console, Printed};
pub use core_cortex_m::Debugger;
pub use crash::{CrashReport, StuckReport, UnmodelledReport};
pub use devices::{RtlPorts, end_scripts};
pub use exception::{Exception, ExceptionError, ExceptionNames, Input};
pub use fit::{DEFAULT_BOARD, NoPlainBoard, PlainBoard};
pub use host::FileAccess;
pub use image::{Architecture, Image, ImageError, ProgramFile};
pub use listing::Listing;
pub use machine::{Machine, Options, Outcome, Snapshot};
pub use nearest::nearest;
pub use restart::{OnReset, reset_by};
pub use start::StartError;
pub use stimulus::{Receiver, Stimulus};
pub use target::{Target, TargetError};
pub use waiting::Waiting;
