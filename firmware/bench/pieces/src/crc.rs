//! CRC-32 by a table: a load from the flash for each byte.

use core::hint::black_box;

/// The result of [`work`].
pub const EXPECTED: u32 = 0x8e54_8663;
const ROUNDS: u32 = 40;

static TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u32, 0);
        while bit < 8 {
            crc = (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
}

/// Sums up the same bytes again and again.
pub fn work() -> u32 {
    let mut bytes = [0; 1024];
    crate::fill(&mut bytes, 1);
    (0..black_box(ROUNDS)).fold(0, |crc, _| checksum(crc, &bytes))
}

/// The CRC-32 (IEEE 802.3) of bytes that follow those of `before`.
#[inline(never)]
pub fn checksum(before: u32, bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!before, |crc, &byte| {
        TABLE[((crc ^ u32::from(byte)) & 0xff) as usize] ^ (crc >> 8)
    })
}
