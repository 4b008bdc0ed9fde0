//! Pieces of everyday work, each of one kind, that tell whether they came to the right result.
//!
//! All are of our own writing. The expected result of a piece comes from the same code, compiled for a desktop computer; where
//! a standard has a test vector, a test of the host holds the code against that too.

#![no_std]
// Indices and symbols fit by construction, results are wanted for their bits, and FIPS 180-4 names its variables a to h.
#![allow(
    clippy::cast_possible_truncation,
    clippy::must_use_candidate,
    clippy::many_single_char_names
)]

pub mod aes;
pub mod crc;
pub mod float;
pub mod huffman;
pub mod matrix;
pub mod registers;
pub mod sha;
pub mod sort;

/// A piece of work: its name, what it comes to, and what it must come to.
pub type Piece = (&'static str, fn() -> u32, u32);

/// All of them.
pub const ALL: [Piece; 8] = [
    ("sort", sort::work, sort::EXPECTED),
    ("crc", crc::work, crc::EXPECTED),
    ("aes", aes::work, aes::EXPECTED),
    ("sha", sha::work, sha::EXPECTED),
    ("float", float::work, float::EXPECTED),
    ("huffman", huffman::work, huffman::EXPECTED),
    ("matrix", matrix::work, matrix::EXPECTED),
    ("registers", registers::work, registers::EXPECTED),
];

/// Marsaglia's xorshift.
pub(crate) fn next(state: u32) -> u32 {
    let state = state ^ (state << 13);
    let state = state ^ (state >> 17);
    state ^ (state << 5)
}

/// Fills with bytes of no pattern.
pub(crate) fn fill(bytes: &mut [u8], seed: u32) {
    let mut state = seed | 1;
    for byte in bytes {
        state = next(state);
        *byte = (state >> 24) as u8;
    }
}

/// The checksum of bytes.
pub(crate) fn sum(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .fold(0, |sum: u32, &byte| sum.rotate_left(5) ^ u32::from(byte))
}
