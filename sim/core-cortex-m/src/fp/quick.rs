//! The host's own arithmetic, where it surely gives the same as [`arithmetic`](super::arithmetic).
//!
//! It does when it rounds to nearest without flushing, and the result is a number beyond the smallest normal one: then no
//! operand was a NaN, nothing over- or underflowed, and the result is the exact one, or Inexact is raised too. Once it is
//! (it stays until the program clears it) the host need not be asked whether.

#![allow(clippy::float_cmp)] // whether two values are exactly the same is the question here

use super::arithmetic;
use super::fpscr::{Exception, Fpscr, Rounding};
use super::{INFINITY, Integer, absolute};

/// The bits of the smallest normal number.
const LEAST: u32 = 1 << 23;

/// Whether a result lies where it cannot come from anything but rounding to nearest a number in the normal range.
#[inline(always)]
fn is_ordinary(result: u32) -> bool {
    absolute(result).wrapping_sub(LEAST + 1) < INFINITY - LEAST - 1
}

/// The host's result, if it is certain.
#[inline(always)]
fn certain(result: f32, fpscr: &mut Fpscr, is_exact: impl FnOnce() -> bool) -> Option<u32> {
    let bits = result.to_bits();
    if !is_ordinary(bits) || !fpscr.is_plain() {
        return None;
    }
    if !fpscr.raised(Exception::Inexact) && !is_exact() {
        fpscr.raise(Exception::Inexact);
    }
    Some(bits)
}

/// a + b, if double precision holds all of it. The error of a sum can always be worked out exactly (Knuth's `TwoSum`), as
/// long as nothing overflows, which no sum or product of single precision does here.
#[inline(always)]
fn exact_sum(a: f64, b: f64) -> Option<f64> {
    let sum = a + b;
    let b_in_sum = sum - a;
    let error = (a - (sum - b_in_sum)) + (b - b_in_sum);
    (error == 0.0).then_some(sum)
}

fn is_sum(result: f32, a: f32, b: f32) -> bool {
    exact_sum(f64::from(a), f64::from(b)) == Some(f64::from(result))
}

/// The exact product: 48 bits, and an exponent that always fits.
#[inline(always)]
fn product(a: f32, b: f32) -> f64 {
    f64::from(a) * f64::from(b)
}

#[inline(always)]
pub(crate) fn add(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let sum = x + y;
    certain(sum, fpscr, || is_sum(sum, x, y)).unwrap_or_else(|| arithmetic::add(a, b, fpscr))
}

#[inline(always)]
pub(crate) fn subtract(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let difference = x - y;
    certain(difference, fpscr, || is_sum(difference, x, -y))
        .unwrap_or_else(|| arithmetic::subtract(a, b, fpscr))
}

#[inline(always)]
pub(crate) fn multiply(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let result = x * y;
    certain(result, fpscr, || f64::from(result) == product(x, y))
        .unwrap_or_else(|| arithmetic::multiply(a, b, fpscr))
}

#[inline(always)]
pub(crate) fn divide(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let quotient = x / y;
    certain(quotient, fpscr, || product(quotient, y) == f64::from(x))
        .unwrap_or_else(|| arithmetic::divide(a, b, fpscr))
}

#[inline(always)]
pub(crate) fn square_root(a: u32, fpscr: &mut Fpscr) -> u32 {
    let x = f32::from_bits(a);
    let root = x.sqrt();
    certain(root, fpscr, || product(root, root) == f64::from(x))
        .unwrap_or_else(|| arithmetic::square_root(a, fpscr))
}

/// addend + a × b, rounded once. The host's own is often a call into its library; but if the product and the sum are
/// exact in double precision, one rounding is left.
#[inline(always)]
pub(crate) fn multiply_add(addend: u32, a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let product = product(f32::from_bits(a), f32::from_bits(b));
    let sum = exact_sum(product, f64::from(f32::from_bits(addend)));
    let quick = sum.and_then(|sum| certain(sum as f32, fpscr, || f64::from(sum as f32) == sum));
    quick.unwrap_or_else(|| arithmetic::multiply_add(addend, a, b, fpscr))
}

/// Integers of 32 bits only.
#[inline(always)]
pub(crate) fn from_integer(register: u32, integer: Integer, fpscr: &mut Fpscr) -> u32 {
    let value = if integer.signed {
        i64::from(register as i32)
    } else {
        i64::from(register)
    };
    #[allow(clippy::cast_precision_loss)] // it is what the instruction does
    let result = value as f32;
    certain(result, fpscr, || result as i64 == value)
        .unwrap_or_else(|| super::from_integer(register, integer, fpscr))
}

/// Towards zero, and from ordinary numbers that are surely in range.
#[inline(always)]
pub(crate) fn to_integer(a: u32, integer: Integer, rounding: Rounding, fpscr: &mut Fpscr) -> u32 {
    const BEYOND: f32 = 2_147_483_648.0;
    let value = f32::from_bits(a);
    let in_range = value.abs() < BEYOND && (integer.signed || value >= 0.0) && is_ordinary(a);
    if !in_range || rounding != Rounding::Zero || integer.bits != 32 {
        return super::to_integer(a, integer, rounding, fpscr);
    }
    let whole = value.trunc();
    if whole.to_bits() != a {
        fpscr.raise(Exception::Inexact);
    }
    whole as i64 as u32
}
