//! Single-precision arithmetic as the FPv4-SP extension does it, down to the last flag (ARMv7-M ARM A2.5).
//!
//! Operands and results are bit patterns; every function takes the [`Fpscr`] for its modes and adds the exceptions that it
//! raised. There are two ways to a result, and they must agree:
//! - `real` works with integers on exact values, and rounds them once: any rounding mode, any operand, and Arm's own rules
//!   (default NaN, which NaN goes on, flush-to-zero, tininess before rounding).
//! - `quick` lets the host compute where its `f32` surely gives the same: rounding to nearest, no operand that is flushed,
//!   and a result in the normal range, so that the only exception can be Inexact. Whether it is, an exact product or sum
//!   tells.
//!
//! Nothing outside does this: of the software-float crates `rustc_apfloat` comes nearest, but it has no square root, no
//! alternative half precision and no flush-to-zero. It is what the tests compare with.

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
