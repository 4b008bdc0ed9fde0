//! Measures firmware to the clock cycle: parses specs, runs programs, and collects results.
//!
//! An [`Image`] is a program, and a [`Board`] the chip that it runs on. An [`Experiment`] runs an image on a board and measures
//! [`Span`]s, each of which gives a [`Row`]:
//!
//! ```
//! use lab::{Board, Experiment, Image, Span};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("app.elf");
//! # std::fs::write(&path, programs::calling().elf())?;
//!
//! let image = Image::load(&path)?;
//! let board = Board::find("stm32f100rb")?;
//! // From the function's first instruction to the one that it returns to.
//! let work = Span::new("app/work", "work", "main+0x4");
//! let rows = Experiment::new(image, board).span(work).run()?;
//! print!("{}", lab::table(&rows));
//! # // 39 instructions of one cycle, and a return of two (`rtfm/call-return` of the price list).
//! # assert_eq!((rows[0].count, rows[0].max), (1, 41));
//! # Ok(())
//! # }
//! ```
//!
//! A file can say the same: [`spec::parse`] reads it, and [`batch::measure_spec`] runs all of its programs. A
//! [`Diagnostic`](diagnostic::Diagnostic) reports each error, with the place and advice.
//!
//! Without a spec, [`calls::cost`] measures the calls of functions, and [`why::why`] shows the instructions around a point with the rule
//! behind each of their cycles.
//!
//! The feature `host`, which is on by default, reads programs and boards from this computer's files. Without it the library builds for
//! WebAssembly, and [`batch::Options::with_files`] takes files in memory.
//!
//! The building blocks are public too: a [`Bench`](backend::Bench) is a program ready to run, a [`Sweep`](sweep::Sweep) runs it with
//! interrupts at successive cycles, a [`Scope`](resolve::Scope) finds points in an image, and [`Watcher`](watch::Watcher) and
//! [`Trace`](trace::Trace) listen to events.

pub mod asked;
pub mod backend;
pub mod batch;
pub mod calls;
pub mod cut;
pub mod diagnostic;
mod difference;
mod ended;
mod experiment;
pub mod fit;
pub mod gate;
pub mod horizon;
mod measure;
mod meets;
mod nearest;
pub mod profile;
pub mod progress;
mod project;
pub mod reference;
pub mod resolve;
mod rules;
mod session;
mod setup;
pub mod spec;
pub mod suite;
pub mod sweep;
mod timeline;
pub mod trace;
pub mod watch;
pub mod why;

pub use ended::{failure, in_words, unusual};
pub use experiment::{Experiment, Interrupt, Span};
pub use machine::{Allow, Board, Image};
pub use measure::{LeftOut, Outcome, evidence};
pub use report::{Row, table};
pub use rules::{classes, fingerprints, rules_of};

/// Stack size in bytes of threads that run programs: nested structures in a script's call are walked recursively.
pub const STACK: usize = 64 << 20;

/// The tool's name in result files, with its version.
pub const TOOL: &str = concat!("cyclescope ", env!("CARGO_PKG_VERSION"));
