//! A loop in registers: the least that an instruction can cost.

use core::hint::black_box;

/// The result of [`work`].
pub const EXPECTED: u32 = 0x5bcc_99ae;
const ROUNDS: u32 = 50_000;

/// Steps of a generator of random numbers.
pub fn work() -> u32 {
    (0..black_box(ROUNDS)).fold(1, |state, _| crate::next(state))
}
