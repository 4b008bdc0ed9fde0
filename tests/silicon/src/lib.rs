//! Recordings of silicon, run again on the model.
//!
//! The CMEmu emulator is published with programs, each with what its run left in the memory of a chip: mostly differences of its
//! cycle counter. A *recording* is one such program with the words that it left. This crate finds them in an
//! archive of theirs that is given by path, runs each on the board of its chip, and counts the words that are the same. Nothing
//! of theirs is part of this repository.

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
