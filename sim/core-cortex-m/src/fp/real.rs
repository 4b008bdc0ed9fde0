//! Exact values, and how they become floating-point numbers: `FPUnpack()` and `FPRound()` of the manual (A2.5.7).

use super::fpscr::{FloatException, Fpscr, Rounding};

/// A number other than zero: significand × 2^exponent. Bits lost below its last bit set that bit ("sticky"), so that rounding to fewer
/// bits, by at least two, gives the same as for the exact value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Real {
    pub(super) negative: bool,
    pub(super) exponent: i32,
    pub(super) significand: u64,
}

/// The value of a bit pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Zero,
    Number(Real),
    Infinity,
    QuietNan,
    SignallingNan,
}

/// A bit pattern, its sign, and what it stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operand {
    pub(super) bits: u32,
    pub(super) negative: bool,
    pub(super) value: Value,
}

/// A format: number of exponent bits, then of fraction bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Format {
    exponent: u32,
    fraction: u32,
    /// The largest exponent belongs to numbers, and there are neither infinities nor NaNs: alternative half precision.
    finite: bool,
}

pub(super) const SINGLE: Format = Format {
    exponent: 8,
    fraction: 23,
    finite: false,
};
pub(super) const HALF: Format = Format {
    exponent: 5,
    fraction: 10,
    finite: false,
};
pub(super) const ALTERNATIVE_HALF: Format = Format { finite: true, ..HALF };

impl Format {
    /// Exponent of the smallest normal number.
    const fn least(self) -> i32 {
        2 - (1 << (self.exponent - 1))
    }

    /// The bits of infinity: all of the exponent.
    pub(super) const fn infinity(self) -> u32 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    pub(super) const fn sign(self, negative: bool) -> u32 {
        (negative as u32) << (self.exponent + self.fraction)
    }

    pub(super) const fn signed_infinity(self, negative: bool) -> u32 {
        self.sign(negative) | self.infinity()
    }

    /// The largest number.
    pub(super) const fn largest(self) -> u32 {
        if self.finite {
            self.infinity() | ((1 << self.fraction) - 1)
        } else {
            self.infinity() - 1
        }
    }
}

/// The value of `bits`, including denormals.
pub(super) fn unpack_exactly(bits: u32, format: Format) -> Operand {
    let fraction = bits & ((1 << format.fraction) - 1);
    let biased = bits >> format.fraction & ((1 << format.exponent) - 1);
    let negative = bits & format.sign(true) != 0;
    let special = biased == (1 << format.exponent) - 1 && !format.finite;
    let number = |significand: u32, biased: u32| {
        Value::Number(Real {
            negative,
            exponent: biased as i32 - 1 + format.least() - format.fraction as i32,
            significand: u64::from(significand),
        })
    };
    let value = match (biased, fraction) {
        (0, 0) => Value::Zero,
        (0, _) => number(fraction, 1),
        (_, 0) if special => Value::Infinity,
        _ if special && fraction >> (format.fraction - 1) != 0 => Value::QuietNan,
        _ if special => Value::SignallingNan,
        _ => number(fraction | 1 << format.fraction, biased),
    };
    Operand {
        bits,
        negative,
        value,
    }
}

/// The value of a single-precision operand; flush-to-zero makes a denormal zero.
pub(super) fn unpack(bits: u32, fpscr: &mut Fpscr) -> Operand {
    let operand = unpack_exactly(bits, SINGLE);
    let denormal = operand.value != Value::Zero && bits & SINGLE.infinity() == 0;
    if denormal && fpscr.flushes() {
        fpscr.raise(FloatException::InputDenormal);
        return unpack_exactly(SINGLE.sign(operand.negative), SINGLE);
    }
    operand
}

/// The part of a number that is dropped, compared with half of the last bit that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rest {
    None,
    Below,
    Half,
    Above,
}

impl Real {
    /// Exponent of the highest bit.
    fn magnitude(self) -> i32 {
        self.exponent + self.significand.ilog2() as i32
    }

    /// Shifts the highest bit to bit 62; the value stays.
    pub(super) fn normalised(self) -> Self {
        let shift = self.significand.leading_zeros() as i32 - 1;
        Real {
            exponent: self.exponent - shift,
            significand: if shift < 0 {
                self.significand >> 1 | self.significand & 1
            } else {
                self.significand << shift
            },
            ..self
        }
    }

    /// Shifts the last bit to a higher place; bits below it become sticky.
    pub(super) fn aligned_to(self, exponent: i32) -> Self {
        let shift = (exponent - self.exponent).clamp(0, 64) as u32;
        let kept = self.significand.checked_shr(shift).unwrap_or(0);
        let lost = kept.checked_shl(shift).unwrap_or(0) != self.significand;
        Real {
            exponent,
            significand: kept | u64::from(lost),
            ..self
        }
    }

    /// The multiples of 2^`place` in it, and the rest. A number too large for that is cut off above.
    fn split(self, place: i32) -> (u64, Rest) {
        let drop = place - self.exponent;
        if drop <= 0 {
            return (self.significand << drop.unsigned_abs().min(63), Rest::None);
        }
        let drop = drop.min(66) as u32;
        let (whole, half) = (u128::from(self.significand), 1u128 << (drop - 1));
        let rest = match (whole & (2 * half - 1)).cmp(&half) {
            _ if whole & (2 * half - 1) == 0 => Rest::None,
            std::cmp::Ordering::Less => Rest::Below,
            std::cmp::Ordering::Equal => Rest::Half,
            std::cmp::Ordering::Greater => Rest::Above,
        };
        ((whole >> drop) as u64, rest)
    }

    /// The nearest multiple of 2^`place` in that direction, as a count of them, and whether that differs from the value.
    pub(super) fn to_multiple(self, place: i32, rounding: Rounding) -> (u64, bool) {
        let (kept, rest) = self.split(place);
        let up = match rounding {
            Rounding::Nearest => rest == Rest::Above || rest == Rest::Half && kept & 1 != 0,
            Rounding::Up => rest != Rest::None && !self.negative,
            Rounding::Down => rest != Rest::None && self.negative,
            Rounding::Zero => false,
        };
        (kept + u64::from(up), rest != Rest::None)
    }
}

/// The single-precision number that FPSCR's rounding mode makes of a value.
pub(super) fn round(real: Real, fpscr: &mut Fpscr) -> u32 {
    let rounding = fpscr.rounding();
    round_to(real, SINGLE, rounding, fpscr)
}

/// The number of that format. Flush-to-zero is for single precision alone.
pub(super) fn round_to(real: Real, format: Format, rounding: Rounding, fpscr: &mut Fpscr) -> u32 {
    let (magnitude, sign) = (real.magnitude(), format.sign(real.negative));
    let tiny = magnitude < format.least();
    if tiny && fpscr.flushes() && format == SINGLE {
        fpscr.raise(FloatException::Underflow);
        return sign;
    }
    let exponent = magnitude.max(format.least());
    let (multiple, inexact) = real.to_multiple(exponent - format.fraction as i32, rounding);
    if tiny && inexact {
        fpscr.raise(FloatException::Underflow);
    }
    // The highest bit of a normal number adds the one that is missing in the exponent; so does a carry out of rounding.
    let bits = (((exponent - format.least()) as u64) << format.fraction) + multiple;
    if bits > u64::from(format.largest()) {
        return sign | overflow(real.negative, format, rounding, fpscr);
    }
    if inexact {
        fpscr.raise(FloatException::Inexact);
    }
    sign | bits as u32
}

/// The result for a number that is too large.
fn overflow(negative: bool, format: Format, rounding: Rounding, fpscr: &mut Fpscr) -> u32 {
    if format.finite {
        fpscr.raise(FloatException::InvalidOperation);
        return format.largest();
    }
    fpscr.raise(FloatException::Overflow);
    fpscr.raise(FloatException::Inexact);
    let to_infinity = match rounding {
        Rounding::Nearest => true,
        Rounding::Up => !negative,
        Rounding::Down => negative,
        Rounding::Zero => false,
    };
    if to_infinity {
        format.infinity()
    } else {
        format.largest()
    }
}
