//! Running firmware: an ELF file on a board, until it ends.

pub mod board;
mod devices;
pub mod image;
mod nearest;

pub use board::{Allow, Board, BoardError};
pub use image::{Image, ImageError};
pub use nearest::nearest;
