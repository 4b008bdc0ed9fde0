//! Arithmetic in double precision, which no core here has in hardware: long multiplications, shifts, conditional execution.

use core::hint::black_box;

/// The result of [`work`].
pub const EXPECTED: u32 = 0xf5f4_50a7;
const ROUNDS: u32 = 300;

/// Square roots by Newton's method, and a polynomial of each.
pub fn work() -> u32 {
    let mut sum = 0.0;
    for round in 1..=black_box(ROUNDS) {
        let root = root(f64::from(round));
        sum += ((root * 0.125 - 0.75) * root + 1.5) * root - 2.0;
    }
    let bits = sum.to_bits();
    (bits >> 32) as u32 ^ bits as u32
}

#[inline(never)]
fn root(square: f64) -> f64 {
    (0..6).fold(square, |guess, _| 0.5 * (guess + square / guess))
}
