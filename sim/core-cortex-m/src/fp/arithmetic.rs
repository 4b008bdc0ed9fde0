//! The operations on exact values: `FPAdd()`, `FPMul()`, `FPDiv()`, `FPSqrt()`, `FPMulAdd()` of the manual (A2.5.8).

use std::cmp::Ordering;

use super::fpscr::{FloatException, Fpscr, Rounding};
use super::nan::{invalid, propagated};
use super::real::{Operand, Real, SINGLE, Value, round, unpack};
use super::{SIGN, negate};

/// A sum or product before it is rounded.
#[derive(Clone, Copy)]
enum Exact {
    Zero { negative: bool },
    Number(Real),
    Infinity { negative: bool },
    Invalid,
}

impl Exact {
    fn rounded(self, fpscr: &mut Fpscr) -> u32 {
        match self {
            Exact::Zero { negative } => SINGLE.sign(negative),
            Exact::Number(real) => round(real, fpscr),
            Exact::Infinity { negative } => SINGLE.signed_infinity(negative),
            Exact::Invalid => invalid(fpscr),
        }
    }
}

/// Operands that are no NaNs.
fn exact(operand: Operand) -> Exact {
    let negative = operand.negative;
    match operand.value {
        Value::Number(real) => Exact::Number(real),
        Value::Infinity => Exact::Infinity { negative },
        _ => Exact::Zero { negative },
    }
}

pub(super) fn add(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let operands = [unpack(a, fpscr), unpack(b, fpscr)];
    if let Some(nan) = propagated(&operands, fpscr) {
        return nan;
    }
    sum(exact(operands[0]), exact(operands[1]), *fpscr).rounded(fpscr)
}

/// a - b. A NaN goes on with its own sign.
pub(super) fn subtract(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let operands = [unpack(a, fpscr), unpack(b, fpscr)];
    if let Some(nan) = propagated(&operands, fpscr) {
        return nan;
    }
    let b = unpack(negate(operands[1].bits), fpscr);
    sum(exact(operands[0]), exact(b), *fpscr).rounded(fpscr)
}

pub(super) fn multiply(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let operands = [unpack(a, fpscr), unpack(b, fpscr)];
    if let Some(nan) = propagated(&operands, fpscr) {
        return nan;
    }
    product(operands[0], operands[1]).rounded(fpscr)
}

/// addend + a × b, rounded once.
pub(super) fn multiply_add(addend: u32, a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let operands = [unpack(addend, fpscr), unpack(a, fpscr), unpack(b, fpscr)];
    let of_nothing = |a: Operand, b: Operand| a.value == Value::Infinity && b.value == Value::Zero;
    let [addend, a, b] = operands;
    if let Some(nan) = propagated(&operands, fpscr) {
        // An invalid product raises its exception even if the addend is a quiet NaN.
        let invalid_product = of_nothing(a, b) || of_nothing(b, a);
        return if invalid_product && addend.value == Value::QuietNan {
            invalid(fpscr)
        } else {
            nan
        };
    }
    sum(exact(addend), product(a, b), *fpscr).rounded(fpscr)
}

pub(super) fn divide(a: u32, b: u32, fpscr: &mut Fpscr) -> u32 {
    let operands = [unpack(a, fpscr), unpack(b, fpscr)];
    if let Some(nan) = propagated(&operands, fpscr) {
        return nan;
    }
    let [a, b] = operands;
    let negative = a.negative != b.negative;
    match (a.value, b.value) {
        (Value::Infinity, Value::Infinity) | (Value::Zero, Value::Zero) => invalid(fpscr),
        (Value::Infinity, _) => SINGLE.signed_infinity(negative),
        (Value::Zero, _) | (_, Value::Infinity) => SINGLE.sign(negative),
        (Value::Number(a), Value::Number(b)) => round(quotient(negative, a, b), fpscr),
        _ => {
            fpscr.raise(FloatException::DivisionByZero);
            SINGLE.signed_infinity(negative)
        }
    }
}

pub(super) fn square_root(a: u32, fpscr: &mut Fpscr) -> u32 {
    let operand = unpack(a, fpscr);
    if let Some(nan) = propagated(&[operand], fpscr) {
        return nan;
    }
    match operand.value {
        Value::Zero => operand.bits,
        _ if operand.bits & SIGN != 0 => invalid(fpscr),
        Value::Number(real) => round(root(real), fpscr),
        _ => operand.bits,
    }
}

fn product(a: Operand, b: Operand) -> Exact {
    let negative = a.negative != b.negative;
    match (a.value, b.value) {
        (Value::Infinity, Value::Zero) | (Value::Zero, Value::Infinity) => Exact::Invalid,
        (Value::Infinity, _) | (_, Value::Infinity) => Exact::Infinity { negative },
        (Value::Number(a), Value::Number(b)) => Exact::Number(Real {
            negative,
            exponent: a.exponent + b.exponent,
            significand: a.significand * b.significand,
        }),
        _ => Exact::Zero { negative },
    }
}

fn sum(a: Exact, b: Exact, fpscr: Fpscr) -> Exact {
    match (a, b) {
        (Exact::Invalid, _) | (_, Exact::Invalid) => Exact::Invalid,
        (Exact::Infinity { negative: a }, Exact::Infinity { negative: b }) if a != b => Exact::Invalid,
        (Exact::Infinity { .. }, _) | (_, Exact::Zero { .. }) if !is_zero(a) => a,
        (_, Exact::Infinity { .. }) | (Exact::Zero { .. }, Exact::Number(_)) => b,
        (Exact::Zero { negative: a }, Exact::Zero { negative: b }) if a == b => Exact::Zero { negative: a },
        (Exact::Number(a), Exact::Number(b)) => sum_of_numbers(a, b).map_or(nothing(fpscr), Exact::Number),
        _ => nothing(fpscr),
    }
}

fn is_zero(a: Exact) -> bool {
    matches!(a, Exact::Zero { .. })
}

/// The zero that two numbers of different sign add up to.
fn nothing(fpscr: Fpscr) -> Exact {
    Exact::Zero {
        negative: fpscr.rounding() == Rounding::Down,
    }
}

/// `None` if they cancel. With their highest bits in bit 62, products of 48 bits still have 14 places below them; what
/// is shifted out of these is so much smaller than the other number that two bits or more remain above the sticky one.
fn sum_of_numbers(a: Real, b: Real) -> Option<Real> {
    let (a, b) = (a.normalised(), b.normalised());
    let exponent = a.exponent.max(b.exponent);
    let (a, b) = (a.aligned_to(exponent), b.aligned_to(exponent));
    if a.negative == b.negative {
        let significand = a.significand + b.significand;
        return Some(Real { significand, ..a });
    }
    let (larger, smaller) = match a.significand.cmp(&b.significand) {
        Ordering::Equal => return None,
        Ordering::Less => (b, a),
        Ordering::Greater => (a, b),
    };
    Some(Real {
        significand: larger.significand - smaller.significand,
        ..larger
    })
}

/// With 38 bits or more.
fn quotient(negative: bool, a: Real, b: Real) -> Real {
    let (a, divisor) = (a.normalised(), b.significand);
    let (whole, rest) = (a.significand / divisor, a.significand % divisor);
    Real {
        negative,
        exponent: a.exponent - b.exponent,
        significand: whole | u64::from(rest != 0),
    }
}

/// With 31 bits or more. The exponent must be even to be halved.
fn root(a: Real) -> Real {
    let a = a.normalised();
    let odd = a.exponent & 1;
    let square = a.significand << odd;
    let whole = square.isqrt();
    Real {
        negative: false,
        exponent: (a.exponent - odd) / 2,
        significand: whole | u64::from(whole * whole != square),
    }
}
