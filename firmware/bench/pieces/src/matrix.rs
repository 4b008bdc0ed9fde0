//! Matrices of fixed-point numbers with 16 fractional bits: long multiplications that accumulate.

use core::hint::black_box;

/// The result of [`work`].
pub const EXPECTED: u32 = 0xc4a0_0d33;
const SIDE: usize = 16;
const ROUNDS: u32 = 10;

type Matrix = [[i32; SIDE]; SIDE];

/// Powers of a matrix.
pub fn work() -> u32 {
    let mut state = 1;
    let mut factor = [[0; SIDE]; SIDE];
    for cell in factor.as_flattened_mut() {
        state = crate::next(state);
        *cell = state.cast_signed() >> 15;
    }
    let mut power = factor;
    for _ in 0..black_box(ROUNDS) {
        power = multiply(&power, &factor);
    }
    power
        .as_flattened()
        .iter()
        .fold(0, |sum: u32, cell| sum.rotate_left(3) ^ cell.cast_unsigned())
}

#[inline(never)]
fn multiply(left: &Matrix, right: &Matrix) -> Matrix {
    let mut product = [[0; SIDE]; SIDE];
    for (row, line) in product.iter_mut().enumerate() {
        for (column, cell) in line.iter_mut().enumerate() {
            let terms = (0..SIDE).map(|at| i64::from(left[row][at]) * i64::from(right[at][column]));
            *cell = (terms.fold(0, i64::wrapping_add) >> 16) as i32;
        }
    }
    product
}
