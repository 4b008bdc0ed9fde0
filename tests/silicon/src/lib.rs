//! Replays recordings of silicon on the model.
//!
//! The CMEmu emulator is published with programs and with what each left in a chip's memory: mostly differences of its cycle counter. A
//! *recording* is such a program with the words that it left. This crate reads them from a checkout given by path, runs each on its
//! chip's board, and counts the words that match. None of these files are part of this repository.

mod board;
mod image;
mod page;
mod play;
mod recording;
mod tally;

pub use board::Chip;
pub use page::{Kind, Row, page};
pub use play::{Outcome, play};
pub use recording::{Dump, Recording, archives, read};
pub use tally::{Difference, Tally};
