//! Between single precision, integers, fixed point and half precision (VCVT).

use super::fpscr::{FloatException, Fpscr, Rounding};
use super::nan::propagated;
use super::real::{ALTERNATIVE_HALF, Format, HALF, Real, SINGLE, Value, round_to, unpack, unpack_exactly};

/// An integer format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Integer {
    /// Width in bits: 16 or 32.
    pub(crate) bits: u32,
    /// Two's complement.
    pub(crate) signed: bool,
}

impl Integer {
    /// The values that it has.
    fn range(self) -> (i64, i64) {
        if self.signed {
            (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1)
        } else {
            (0, (1 << self.bits) - 1)
        }
    }

    /// The value of the low bits of a register.
    fn read(self, register: u32) -> i64 {
        let spare = 32 - self.bits;
        if self.signed {
            i64::from((register << spare) as i32 >> spare)
        } else {
            i64::from(register << spare >> spare)
        }
    }
}

/// `FPToFixed()` of the manual, without a fraction: saturates; a NaN is 0.
pub(crate) fn to_integer(a: u32, integer: Integer, rounding: Rounding, fpscr: &mut Fpscr) -> u32 {
    to_fixed(a, integer, 0, rounding, fpscr)
}

/// A fixed-point number with `fraction` bits of fraction, extended to a register's width.
pub(crate) fn to_fixed(
    a: u32,
    integer: Integer,
    fraction: u32,
    rounding: Rounding,
    fpscr: &mut Fpscr,
) -> u32 {
    let operand = unpack(a, fpscr);
    let (least, most) = integer.range();
    let beyond = if operand.negative { least } else { most };
    let (value, inexact) = match operand.value {
        Value::Zero => return 0,
        Value::Number(real) => scaled(real, fraction, rounding),
        Value::Infinity => (None, true),
        Value::QuietNan | Value::SignallingNan => {
            fpscr.raise(FloatException::InvalidOperation);
            return 0;
        }
    };
    let Some(value) = value.filter(|value| (least..=most).contains(value)) else {
        fpscr.raise(FloatException::InvalidOperation);
        return beyond as u32;
    };
    if inexact {
        fpscr.raise(FloatException::Inexact);
    }
    value as u32
}

/// A number times 2^`fraction` as an integer, unless it is beyond every range; and whether it was rounded.
fn scaled(real: Real, fraction: u32, rounding: Rounding) -> (Option<i64>, bool) {
    let real = Real {
        exponent: real.exponent + fraction as i32,
        ..real
    };
    // A significand of 24 bits: beyond 2^33 anyway.
    if real.exponent > 34 {
        return (None, true);
    }
    let (multiple, inexact) = real.to_multiple(0, rounding);
    let value = multiple as i64;
    (Some(if real.negative { -value } else { value }), inexact)
}

/// `FixedToFP()` of the manual, without a fraction, rounded as FPSCR says.
pub(crate) fn from_integer(register: u32, integer: Integer, fpscr: &mut Fpscr) -> u32 {
    let rounding = fpscr.rounding();
    from_value(integer.read(register), 0, rounding, fpscr)
}

/// Converts from a fixed-point number with `fraction` bits of fraction: rounded to nearest, whatever FPSCR says.
pub(crate) fn from_fixed(register: u32, integer: Integer, fraction: u32, fpscr: &mut Fpscr) -> u32 {
    from_value(integer.read(register), fraction, Rounding::Nearest, fpscr)
}

fn from_value(value: i64, fraction: u32, rounding: Rounding, fpscr: &mut Fpscr) -> u32 {
    if value == 0 {
        return 0;
    }
    let real = Real {
        negative: value < 0,
        exponent: -(fraction as i32),
        significand: value.unsigned_abs(),
    };
    round_to(real, SINGLE, rounding, fpscr)
}

/// The half-precision format that FPSCR selects.
fn half(fpscr: Fpscr) -> Format {
    if fpscr.alternative_half() {
        ALTERNATIVE_HALF
    } else {
        HALF
    }
}

/// `FPHalfToSingle()` of the manual: exact. Flush-to-zero does not reach half precision.
pub(crate) fn from_half(a: u32, fpscr: &mut Fpscr) -> u32 {
    let operand = unpack_exactly(a & 0xffff, half(*fpscr));
    let sign = SINGLE.sign(operand.negative);
    match operand.value {
        Value::Zero => sign,
        Value::Infinity => sign | SINGLE.infinity(),
        Value::Number(real) => round_to(real, SINGLE, Rounding::Nearest, fpscr),
        Value::QuietNan | Value::SignallingNan => {
            let bits = sign | SINGLE.infinity() | (a & 0x3ff) << 13;
            let wide = unpack_exactly(bits, SINGLE);
            propagated(&[wide], fpscr).unwrap_or(bits)
        }
    }
}

/// `FPSingleToHalf()` of the manual, in the low 16 bits.
pub(crate) fn to_half(a: u32, fpscr: &mut Fpscr) -> u32 {
    let (operand, format) = (unpack(a, fpscr), half(*fpscr));
    let sign = format.sign(operand.negative);
    let alternative = format == ALTERNATIVE_HALF;
    match operand.value {
        Value::Zero => sign,
        Value::Number(real) => {
            let rounding = fpscr.rounding();
            round_to(real, format, rounding, fpscr)
        }
        Value::Infinity | Value::QuietNan | Value::SignallingNan if alternative => {
            fpscr.raise(FloatException::InvalidOperation);
            if operand.value == Value::Infinity {
                sign | format.largest()
            } else {
                sign
            }
        }
        Value::Infinity => sign | format.infinity(),
        Value::QuietNan | Value::SignallingNan => {
            let nan = propagated(&[operand], fpscr).unwrap_or(a);
            nan >> 16 & 0x8000 | format.infinity() | nan >> 13 & 0x3ff
        }
    }
}
