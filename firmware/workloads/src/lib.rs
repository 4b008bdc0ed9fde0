//! Two pieces of everyday work, to compare cores and boards with.
//!
//! [`mixed`] is what `CoreMark` is made of, and [`records`] what Dhrystone is made of; but both are of our own writing, and
//! their figures compare with each other alone. Both work on a small memory, keep to integers, and come to a sum that
//! depends on everything that they do, so that whoever runs them can tell whether all of it was right.

#![no_std]

pub mod mixed;
pub mod records;

/// One byte more of a CRC-16 (polynomial 0x8005, reflected), bit by bit.
fn crc_byte(crc: u16, byte: u8) -> u16 {
    (0..8).fold(crc ^ u16::from(byte), |crc, _| {
        let carry = crc & 1 == 1;
        (crc >> 1) ^ if carry { 0xa001 } else { 0 }
    })
}

/// The bytes of a word, the lowest first.
fn crc_word(crc: u16, word: u32) -> u16 {
    word.to_le_bytes().into_iter().fold(crc, crc_byte)
}
