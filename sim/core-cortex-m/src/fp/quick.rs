//! The host's own arithmetic, where it surely matches [`arithmetic`](super::arithmetic).
//!
//! It matches if it rounds to nearest, the result lies beyond the smallest normal number, and no operand is flushed to zero. Then no
//! operand was a NaN, nothing over- or underflowed, and the result is exact, or Inexact is raised too. Once Inexact is set (it stays until
//! the program clears it), exactness need not be checked.

#![allow(clippy::float_cmp)] // whether two values are exactly the same is the question here

use super::arithmetic;
use super::fpscr::{FloatException, Fpscr, Rounding};
use super::{INFINITY, Integer, absolute};

/// The bits of the smallest normal number.
const LEAST: u32 = 1 << 23;

/// Whether a result lies where it cannot come from anything but rounding to nearest a number in the normal range.
#[inline(always)]
fn is_ordinary(result: u32) -> bool {
    absolute(result).wrapping_sub(LEAST + 1) < INFINITY - LEAST - 1
}

/// Whether an operand is one that flush-to-zero changes.
#[inline(always)]
fn is_denormal(operand: u32) -> bool {
    absolute(operand).wrapping_sub(1) < LEAST - 1
}

/// The host's result, if it is certain.
#[inline(always)]
fn certain<const N: usize>(
    result: f32,
    operands: [u32; N],
    fpscr: &mut Fpscr,
    is_exact: impl FnOnce() -> bool,
) -> Option<u32> {
    let bits = result.to_bits();
    let flushed = fpscr.flushes() && operands.into_iter().any(is_denormal);
    if !is_ordinary(bits) || !fpscr.rounds_to_nearest() || flushed {
        return None;
    }
    if !fpscr.raised(FloatException::Inexact) && !is_exact() {
        fpscr.raise(FloatException::Inexact);
    }
    Some(bits)
}

/// a + b in double precision, and its error, which can always be worked out exactly (Knuth's `TwoSum`) as long as nothing
/// overflows: no sum or product of single precision does here.
#[inline(always)]
fn sum_and_error(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_in_sum = sum - a;
    let error = (a - (sum - b_in_sum)) + (b - b_in_sum);
    (sum, error)
}

fn is_sum(result: f32, a: f32, b: f32) -> bool {
    sum_and_error(f64::from(a), f64::from(b)) == (f64::from(result), 0.0)
}

/// A sum with an error, rounded to odd: the last bit says that something is lost below it, so that rounding once more, to
/// single precision, comes out as for the exact value.
#[inline(always)]
fn to_odd(sum: f64, error: f64) -> f64 {
    let bits = sum.to_bits();
    if error == 0.0 || bits & 1 != 0 {
        return sum;
    }
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away { bits + 1 } else { bits - 1 })
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
    certain(sum, [a, b], fpscr, || is_sum(sum, x, y)).unwrap_or_else(|| arithmetic::add(a, b, fpscr))
}

#[inline(always)]
pub(crate) fn subtract(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let difference = x - y;
    certain(difference, [a, b], fpscr, || is_sum(difference, x, -y))
        .unwrap_or_else(|| arithmetic::subtract(a, b, fpscr))
}

#[inline(always)]
pub(crate) fn multiply(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let result = x * y;
    certain(result, [a, b], fpscr, || f64::from(result) == product(x, y))
        .unwrap_or_else(|| arithmetic::multiply(a, b, fpscr))
}

#[inline(always)]
pub(crate) fn divide(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let quotient = x / y;
    certain(quotient, [a, b], fpscr, || product(quotient, y) == f64::from(x))
        .unwrap_or_else(|| arithmetic::divide(a, b, fpscr))
}

#[inline(always)]
pub(crate) fn square_root(a: u32, fpscr: &mut Fpscr) -> u32 {
    let x = f32::from_bits(a);
    let root = x.sqrt();
    certain(root, [a], fpscr, || product(root, root) == f64::from(x))
        .unwrap_or_else(|| arithmetic::square_root(a, fpscr))
}

/// addend + a × b, rounded once: the host's own is often a call into its library. Rounding to double precision first
/// does no harm, unless that gives the very middle between two numbers.
#[inline(always)]
pub(crate) fn multiply_add(addend: u32, a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let product = product(f32::from_bits(a), f32::from_bits(b));
    let (sum, error) = sum_and_error(product, f64::from(f32::from_bits(addend)));
    let sum_to_round = if is_middle(sum) { to_odd(sum, error) } else { sum };
    let result = sum_to_round as f32;
    let is_exact = || error == 0.0 && f64::from(result) == sum;
    certain(result, [addend, a, b], fpscr, is_exact)
        .unwrap_or_else(|| arithmetic::multiply_add(addend, a, b, fpscr))
}

/// Whether a number lies half-way between two of single precision, where these are normal.
#[inline(always)]
fn is_middle(number: f64) -> bool {
    const DROPPED: u64 = (1 << 29) - 1;
    number.to_bits() & DROPPED == 1 << 28
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
    certain(result, [], fpscr, || result as i64 == value)
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
        fpscr.raise(FloatException::Inexact);
    }
    whole as i64 as u32
}
