//! Single-precision arithmetic of the FPv4-SP extension, bit-exact including flags (ARMv7-M ARM A2.5).
//!
//! Operands and results are bit patterns. Every function takes the [`Fpscr`] for its modes and adds the exceptions that it raised. There
//! are two implementations, which must agree:
//! - `real` computes exact values with integers, and rounds once: any rounding mode, any operand, and Arm's own rules (default NaN, NaN
//!   propagation, flush-to-zero, tininess before rounding).
//! - `quick` uses the host's `f32` where it surely gives the same result: rounding to nearest, no flushed operand, and a result in the
//!   normal range, so that Inexact is the only possible exception. An exact product or sum decides it.
//!
//! No library does this: among the software-float crates `rustc_apfloat` is closest, but it has no square root, no alternative half
//! precision and no flush-to-zero. The tests compare with it.

mod arithmetic;
mod compare;
mod convert;
mod fpscr;
mod nan;
pub(crate) mod quick;
mod real;
#[cfg(test)]
mod tests;

pub(crate) use compare::{Comparison, compare};
pub(crate) use convert::{Integer, from_fixed, from_half, from_integer, to_fixed, to_half, to_integer};
pub use fpscr::Fpscr;
pub(crate) use fpscr::Rounding;

/// The sign bit.
const SIGN: u32 = 1 << 31;
/// Plus infinity; the exponent's bits.
const INFINITY: u32 = 0xff << 23;

/// `FPNeg()` of the manual: the sign alone, whatever the value.
#[inline(always)]
pub(crate) const fn negate(value: u32) -> u32 {
    value ^ SIGN
}

/// `FPAbs()` of the manual.
#[inline(always)]
pub(crate) const fn absolute(value: u32) -> u32 {
    value & !SIGN
}
