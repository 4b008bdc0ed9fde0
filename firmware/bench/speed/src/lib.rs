//! The pieces of work of the program `speed`, each a textbook algorithm over a small memory.

#![no_std]

const WORDS: usize = 1024;
const SIDE: usize = 20;

/// The memory that every round works on.
pub struct Memory {
    words: [u32; WORDS],
    bytes: [u8; 4 * WORDS],
    ring: [u16; WORDS],
    left: [[u32; SIDE]; SIDE],
    right: [[u32; SIDE]; SIDE],
    product: [[u32; SIDE]; SIDE],
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Memory {
    /// All zero.
    #[must_use]
    pub const fn new() -> Self {
        let matrix = [[0; SIDE]; SIDE];
        Self {
            words: [0; WORDS],
            bytes: [0; 4 * WORDS],
            ring: [0; WORDS],
            left: matrix,
            right: matrix,
            product: matrix,
        }
    }

    /// Does each piece of work once, from data that `seed` determines; the result depends on all of it.
    pub fn round(&mut self, seed: u32) -> u32 {
        fill(&mut self.words, seed);
        sort(&mut self.words);
        let primes = sieve(&mut self.bytes);
        link(&mut self.ring, seed);
        self.fill_matrices();
        multiply(&self.left, &self.right, &mut self.product);
        checksum(&self.words[..256]) ^ primes ^ walk(&self.ring) ^ trace(&self.product) ^ paths(7, 7)
    }

    fn fill_matrices(&mut self) {
        for (row, line) in self.left.iter_mut().enumerate() {
            line.copy_from_slice(&self.words[row * SIDE..][..SIDE]);
        }
        for (row, line) in self.right.iter_mut().enumerate() {
            line.copy_from_slice(&self.words[WORDS - (row + 1) * SIDE..][..SIDE]);
        }
    }
}

/// Marsaglia's xorshift.
fn next(state: u32) -> u32 {
    let state = state ^ (state << 13);
    let state = state ^ (state >> 17);
    state ^ (state << 5)
}

#[inline(never)]
fn fill(words: &mut [u32], seed: u32) {
    let mut state = seed | 1;
    for word in words {
        state = next(state);
        *word = state;
    }
}

/// Shell's sort: compares and moves whose direction the data decides.
#[inline(never)]
fn sort(words: &mut [u32]) {
    let mut gap = words.len() / 2;
    while gap > 0 {
        for start in gap..words.len() {
            let value = words[start];
            let mut hole = start;
            while hole >= gap && words[hole - gap] > value {
                words[hole] = words[hole - gap];
                hole -= gap;
            }
            words[hole] = value;
        }
        gap /= 2;
    }
}

/// The sieve of Eratosthenes; returns how many primes there are.
#[inline(never)]
fn sieve(composite: &mut [u8]) -> u32 {
    composite.fill(0);
    let mut primes = 0;
    for candidate in 2..composite.len() {
        if composite[candidate] == 0 {
            primes += 1;
            composite
                .iter_mut()
                .skip(candidate * candidate)
                .step_by(candidate)
                .for_each(|byte| *byte = 1);
        }
    }
    primes
}

/// Makes one ring through all elements, in an order that `seed` shuffles.
#[inline(never)]
fn link(ring: &mut [u16], seed: u32) {
    for (index, next) in (0u16..).zip(ring.iter_mut()) {
        *next = index;
    }
    let mut state = seed | 1;
    for last in (1..ring.len()).rev() {
        state = next(state);
        ring.swap(last, state as usize % last);
    }
}

/// Follows the ring four times round: each load needs the one before.
#[inline(never)]
fn walk(ring: &[u16]) -> u32 {
    let (mut at, mut sum) = (0u16, 0u32);
    for _ in 0..4 * ring.len() {
        sum = sum.rotate_left(1) ^ u32::from(at);
        at = ring[usize::from(at)];
    }
    sum
}

#[inline(never)]
fn multiply(left: &[[u32; SIDE]; SIDE], right: &[[u32; SIDE]; SIDE], product: &mut [[u32; SIDE]; SIDE]) {
    for (row, line) in product.iter_mut().enumerate() {
        for (column, cell) in line.iter_mut().enumerate() {
            let terms = (0..SIDE).map(|inner| left[row][inner].wrapping_mul(right[inner][column]));
            *cell = terms.fold(0, u32::wrapping_add);
        }
    }
}

fn trace(matrix: &[[u32; SIDE]; SIDE]) -> u32 {
    (0..SIDE).fold(0, |sum, index| sum ^ matrix[index][index])
}

/// CRC-32, one bit at a time.
#[inline(never)]
fn checksum(words: &[u32]) -> u32 {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    !bytes.fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    })
}

/// Counts the ways through a grid by calling itself, as many times as there are ways.
#[inline(never)]
fn paths(right: u32, down: u32) -> u32 {
    if right == 0 || down == 0 {
        1
    } else {
        paths(right - 1, down) + paths(right, down - 1)
    }
}
