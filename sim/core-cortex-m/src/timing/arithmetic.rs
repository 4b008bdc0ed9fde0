//! Multiplications and divisions that take as long as their operands are (rules `long-multiply` and `divide`).
//!
//! Source: cycle counts of the silicon of an STM32F100RB published with the CMEmu emulator: 28,536 products and 19,051
//! quotients, with which these formulas agree in every case.

use super::Cycle;

/// How the time of an instruction follows from its operands.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum ByOperands {
    /// The duration does not depend on the operands.
    #[default]
    Not,
    /// UDIV and SDIV.
    Divide { signed: bool },
    /// UMULL, SMULL, UMLAL and SMLAL, where the multiplier is slow.
    LongMultiply { accumulates: bool, signed: bool },
}

impl ByOperands {
    /// Cycles with these operands; 0 where they do not matter.
    #[inline]
    pub(crate) fn cycles(self, operands: [u32; 2]) -> u8 {
        let cycles = match self {
            ByOperands::Not => 0,
            ByOperands::Divide { signed } => divide(signed, operands),
            ByOperands::LongMultiply { accumulates, signed } => long_multiply(accumulates, signed, operands),
        };
        cycles as u8
    }
}

/// Cycles of UMULL, SMULL, UMLAL and SMLAL.
///
/// The multiplier forms the product of 16-bit halves. A partial product is skipped when a half of it is 0; a sign
/// needs the one of high and low half.
#[inline(always)]
pub(crate) fn long_multiply(accumulates: bool, signed: bool, [n, m]: [u32; 2]) -> Cycle {
    // Without branches: which products are skipped is not to be foreseen.
    let high = |value: u32| u8::from(value >> 16 != 0);
    let low = |value: u32| u8::from(value & 0xffff != 0);
    let some = |value: u32| u8::from(value != 0);
    let negative = u8::from(signed) & ((n | m) >> 31) as u8 & some(n) & some(m);
    let low_high = low(n) & high(m);
    let high_low = high(n) & low(m) | negative;
    let steps = low_high + high_low;
    if !accumulates {
        return 3 + Cycle::from(steps);
    }
    let all = steps + (high(n) & high(m));
    3 + Cycle::from(all + u8::from(all != 0))
}

/// Cycles of UDIV and SDIV: after the operands are lined up, four bits of quotient a cycle.
fn divide(signed: bool, [dividend, divisor]: [u32; 2]) -> Cycle {
    if dividend == 0 || divisor == 0 {
        return 2;
    }
    let (n, m) = if signed {
        signed_lengths(dividend, divisor)
    } else {
        (length(dividend), length(divisor))
    };
    if n < m { 3 } else { 5 + Cycle::from((n - m) / 4) }
}

/// A negative divisor is complemented, not negated.
fn signed_lengths(dividend: u32, divisor: u32) -> (u32, u32) {
    let negative = (divisor as i32) < 0;
    let n = if negative && dividend == 1 << 31 {
        31
    } else {
        length((dividend as i32).unsigned_abs())
    };
    (n, length(if negative { !divisor } else { divisor }))
}

/// Bits of a number, without leading zeros.
fn length(value: u32) -> u32 {
    u32::BITS - value.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_multiply_skips_partial_products_that_are_zero() {
        assert_eq!(long_multiply(false, false, [5, 7]), 3);
        assert_eq!(long_multiply(false, false, [5, 0x1_0000]), 4);
        assert_eq!(long_multiply(false, false, [0xffff_ffff, 0xffff_ffff]), 5);
        assert_eq!(long_multiply(true, false, [5, 7]), 3);
        assert_eq!(long_multiply(true, false, [0xffff_ffff, 0xffff_ffff]), 7);
        assert_eq!(long_multiply(true, false, [0x1_0000, 0x1_0000]), 5);
    }

    #[test]
    fn a_sign_costs_a_step() {
        assert_eq!(long_multiply(false, true, [u32::MAX, 0]), 3);
        assert_eq!(long_multiply(false, true, [0x8000_0000, 0x10000]), 4);
        assert_eq!(long_multiply(false, false, [0x8000_0000, 0x10000]), 3);
    }

    #[test]
    fn a_divide_takes_two_to_twelve_cycles() {
        assert_eq!(divide(false, [0, 5]), 2);
        assert_eq!(divide(false, [5, 0]), 2);
        assert_eq!(divide(false, [5, 100]), 3);
        assert_eq!(divide(false, [100, 5]), 6);
        assert_eq!(divide(false, [u32::MAX, 1]), 12);
    }

    #[test]
    fn a_negative_divisor_counts_as_its_complement() {
        let minus = |value: i32| value.unsigned_abs().wrapping_neg();
        assert_eq!(divide(true, [16, minus(16)]), 5);
        assert_eq!(divide(true, [7, minus(8)]), 5);
        assert_eq!(divide(true, [1 << 31, minus(1)]), 5 + 31 / 4);
    }
}
