//! SHA-256 as FIPS 180-4 describes it: rotations, and more values than there are registers.

use core::hint::black_box;

/// The result of [`work`].
pub const EXPECTED: u32 = 0xa7b9_0aa2;
const BLOCKS: u32 = 120;

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
static CONSTANTS: [u32; 64] = roots::<64>(true);
/// The same of the square roots of the first 8.
const START: [u32; 8] = roots::<8>(false);

const fn roots<const COUNT: usize>(cube: bool) -> [u32; COUNT] {
    let mut roots = [0; COUNT];
    let (mut found, mut candidate) = (0, 2u128);
    while found < COUNT {
        if is_prime(candidate) {
            roots[found] = root(candidate, cube) as u32;
            found += 1;
        }
        candidate += 1;
    }
    roots
}

const fn is_prime(number: u128) -> bool {
    let mut divisor = 2;
    while divisor * divisor <= number {
        if number.is_multiple_of(divisor) {
            return false;
        }
        divisor += 1;
    }
    true
}

/// The root times 2^32, rounded down.
const fn root(number: u128, cube: bool) -> u128 {
    let wanted = number << if cube { 96 } else { 64 };
    let (mut root, mut bit) = (0u128, 1u128 << 36);
    while bit != 0 {
        let trial = root | bit;
        let power = if cube {
            trial * trial * trial
        } else {
            trial * trial
        };
        if power <= wanted {
            root = trial;
        }
        bit >>= 1;
    }
    root
}

/// Hashes what it hashed.
pub fn work() -> u32 {
    let mut state = START;
    for _ in 0..black_box(BLOCKS) {
        let block = core::array::from_fn(|at| state[at % 8] ^ at as u32);
        compress(&mut state, &block);
    }
    state.iter().fold(0, |sum, word| sum ^ word)
}

/// The hash of one block of 16 words, the padding among them.
pub fn hash(block: &[u32; 16]) -> [u32; 8] {
    let mut state = START;
    compress(&mut state, block);
    state
}

#[inline(never)]
fn compress(state: &mut [u32; 8], block: &[u32; 16]) {
    let mut words = [0u32; 64];
    words[..16].copy_from_slice(block);
    for at in 16..64 {
        let (early, late) = (words[at - 15], words[at - 2]);
        let low = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
        let high = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
        words[at] = words[at - 16]
            .wrapping_add(low)
            .wrapping_add(words[at - 7])
            .wrapping_add(high);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, constant) in words.iter().zip(&CONSTANTS) {
        let high = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = h
            .wrapping_add(high)
            .wrapping_add(choice)
            .wrapping_add(*constant)
            .wrapping_add(*word);
        let low = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(low).wrapping_add(majority));
    }
    for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(more);
    }
}
