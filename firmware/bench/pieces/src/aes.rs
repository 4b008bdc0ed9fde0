//! AES-128 as FIPS 197 describes it, byte by byte: table loads and small loops.

use core::hint::black_box;

/// The result of [`work`].
pub const EXPECTED: u32 = 0x2723_7e9b;
const BLOCKS: u32 = 120;

static SUBSTITUTES: [u8; 256] = substitutes();

/// A product in the field of FIPS 197, 4.2.
const fn product(mut left: u8, mut right: u8) -> u8 {
    let mut sum = 0;
    while right != 0 {
        if right & 1 == 1 {
            sum ^= left;
        }
        left = double(left);
        right >>= 1;
    }
    sum
}

const fn double(byte: u8) -> u8 {
    (byte << 1) ^ if byte & 0x80 == 0 { 0 } else { 0x1b }
}

/// FIPS 197, 5.1.1: the inverse, and an affine map of it.
const fn substitutes() -> [u8; 256] {
    let mut table = [0x63; 256];
    let (mut power, mut inverse) = (1u8, 1u8);
    loop {
        let spread = inverse
            ^ inverse.rotate_left(1)
            ^ inverse.rotate_left(2)
            ^ inverse.rotate_left(3)
            ^ inverse.rotate_left(4);
        table[power as usize] = spread ^ 0x63;
        power = product(power, 3);
        // 3 times 0xf6 is 1.
        inverse = product(inverse, 0xf6);
        if power == 1 {
            return table;
        }
    }
}

/// Encrypts a block again and again.
pub fn work() -> u32 {
    let keys = expand(&[7; 16]);
    let mut block = [0; 16];
    for _ in 0..black_box(BLOCKS) {
        encrypt(&keys, &mut block);
    }
    crate::sum(&block)
}

/// The keys of all rounds (FIPS 197, 5.2).
pub fn expand(key: &[u8; 16]) -> [[u8; 16]; 11] {
    let mut keys = [*key; 11];
    let mut constant = 1;
    for round in 1..keys.len() {
        let before = keys[round - 1];
        let mut word = [12, 13, 14, 15].map(|at| SUBSTITUTES[usize::from(before[at])]);
        word.rotate_left(1);
        word[0] ^= constant;
        constant = double(constant);
        for at in 0..16 {
            let left = if at < 4 { word[at] } else { keys[round][at - 4] };
            keys[round][at] = before[at] ^ left;
        }
    }
    keys
}

/// Encrypts one block in its place.
#[inline(never)]
pub fn encrypt(keys: &[[u8; 16]; 11], block: &mut [u8; 16]) {
    add(block, &keys[0]);
    for (round, key) in keys.iter().enumerate().skip(1) {
        shift(block);
        if round < 10 {
            mix(block);
        }
        add(block, key);
    }
}

fn add(block: &mut [u8; 16], key: &[u8; 16]) {
    for (byte, key) in block.iter_mut().zip(key) {
        *byte ^= key;
    }
}

/// Substitutes each byte and shifts the rows.
#[inline(never)]
fn shift(block: &mut [u8; 16]) {
    let old = *block;
    for (at, byte) in block.iter_mut().enumerate() {
        *byte = SUBSTITUTES[usize::from(old[(5 * at) % 16])];
    }
}

#[inline(never)]
fn mix(block: &mut [u8; 16]) {
    for column in block.chunks_exact_mut(4) {
        let (first, all) = (column[0], column.iter().fold(0, |all, byte| all ^ byte));
        for row in 0..4 {
            let next = if row == 3 { first } else { column[row + 1] };
            column[row] ^= all ^ double(column[row] ^ next);
        }
    }
}
