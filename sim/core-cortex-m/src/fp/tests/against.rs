//! Numbers against implementations of other people: `rustc_apfloat`, and the host in double precision.

#![allow(clippy::float_cmp)] // whether two values are exactly the same is the question here

use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status, StatusAnd};

use super::super::{from_fixed, from_half, from_integer, to_fixed, to_half};
use super::*;

fn rounding_of(fpscr: Fpscr) -> Round {
    match fpscr.rounding() {
        Rounding::Nearest => Round::NearestTiesToEven,
        Rounding::Up => Round::TowardPositive,
        Rounding::Down => Round::TowardNegative,
        Rounding::Zero => Round::TowardZero,
    }
}

fn single(bits: u32) -> Single {
    Single::from_bits(u128::from(bits))
}

/// Bit patterns of numbers and zeros.
fn number() -> impl Strategy<Value = u32> {
    operand().prop_map(|bits| {
        if f32::from_bits(bits).is_finite() {
            bits
        } else {
            bits & 0xbfff_ffff
        }
    })
}

/// Their exceptions as ours.
fn exceptions(status: Status) -> u32 {
    let bit = |theirs: Status, ours: u32| if status.contains(theirs) { ours } else { 0 };
    bit(Status::INVALID_OP, IOC)
        | bit(Status::DIV_BY_ZERO, DZC)
        | bit(Status::OVERFLOW, OFC)
        | bit(Status::UNDERFLOW, UFC)
        | bit(Status::INEXACT, IXC)
}

/// The permitted differences between the two results: whether a number just below the smallest normal one that rounds up to it underflowed;
/// and whether the largest number replaces a larger one. `rules` has tests for both.
fn ignored(magnitude: u32, infinity: u32) -> u32 {
    let least_normal = 1 << infinity.trailing_zeros();
    match magnitude {
        _ if magnitude == least_normal => UFC,
        _ if magnitude == infinity - 1 => OFC,
        _ => 0,
    }
}

fn compare(
    fpscr: Fpscr,
    theirs: StatusAnd<Single>,
    ours: impl FnOnce(&mut Fpscr) -> u32,
) -> Result<(), TestCaseError> {
    let modes = fpscr.bits() & (3 << 22);
    let (result, raised) = of(modes, ours);
    let bits = theirs.value.to_bits() as u32;
    if theirs.value.is_nan() {
        prop_assert!(f32::from_bits(result).is_nan(), "{:08x}", result);
        return Ok(());
    }
    let ignored = ignored(super::super::absolute(bits), 0x7f80_0000);
    prop_assert_eq!(result, bits, "{:08x} {:08x}", result, bits);
    prop_assert_eq!(
        raised | ignored,
        exceptions(theirs.status) | ignored,
        "of {:08x}",
        result
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn sums_products_and_quotients(a in operand(), b in operand(), fpscr in fpscr()) {
        let (x, y, round) = (single(a), single(b), rounding_of(fpscr));
        compare(fpscr, x.add_r(y, round), |f| arithmetic::add(a, b, f))?;
        compare(fpscr, x.sub_r(y, round), |f| arithmetic::subtract(a, b, f))?;
        compare(fpscr, x.mul_r(y, round), |f| arithmetic::multiply(a, b, f))?;
        compare(fpscr, x.div_r(y, round), |f| arithmetic::divide(a, b, f))?;
    }

    #[test]
    fn fused_multiplications(a in operand(), b in operand(), c in operand(), fpscr in fpscr()) {
        let theirs = single(b).mul_add_r(single(c), single(a), rounding_of(fpscr));
        compare(fpscr, theirs, |f| arithmetic::multiply_add(a, b, c, f))?;
    }

    /// The square root is the only root whose square has no neighbour on the number's side: found by squaring in double
    /// precision, which is exact.
    #[test]
    fn square_roots(a in number(), fpscr in fpscr()) {
        let a = super::super::absolute(a).max(1);
        let (root, raised) = of(fpscr.bits() & (3 << 22), |f| arithmetic::square_root(a, f));
        let (x, y) = (f64::from(f32::from_bits(a)), f64::from(f32::from_bits(root)));
        let square = |bits: u32| f64::from(f32::from_bits(bits)).powi(2);
        prop_assert_eq!(raised, if y * y == x { 0 } else { IXC });
        let (below, above) = (square(root - 1), square(root + 1));
        match fpscr.rounding() {
            Rounding::Nearest => prop_assert_eq!(root, (x.sqrt() as f32).to_bits()),
            Rounding::Up => prop_assert!(below < x && x <= y * y),
            _ => prop_assert!(y * y <= x && x < above),
        }
    }

    #[test]
    fn to_integers(a in number(), fpscr in fpscr(), fraction in 0u32..32, wide: bool, signed: bool) {
        let integer = Integer { bits: if wide { 32 } else { 16 }, signed };
        let rounding = fpscr.rounding();
        let ours = of(0, |f| to_fixed(a, integer, fraction, rounding, f));
        let value = single(a);
        let mut exact = true;
        // A power of two changes no bit of the fraction in a format with a wide exponent.
        let scaled: StatusAnd<rustc_apfloat::ieee::Double> = value.convert(&mut exact);
        let scaled = scaled.value.scalbn(fraction as i32);
        let bits = integer.bits as usize;
        let mut exact = false;
        let round = rounding_of(fpscr);
        let theirs = if signed {
            let theirs = scaled.to_i128_r(bits, round, &mut exact);
            (theirs.value as u32, exceptions(theirs.status))
        } else {
            let theirs = scaled.to_u128_r(bits, round, &mut exact);
            (theirs.value as u32, exceptions(theirs.status))
        };
        prop_assert_eq!(ours, theirs);
    }

    #[test]
    fn from_integers(a in operand(), fpscr in fpscr(), signed: bool) {
        let integer = if signed { I32 } else { U32 };
        let round = rounding_of(fpscr);
        let theirs = if signed {
            Single::from_i128_r(i128::from(a as i32), round)
        } else {
            Single::from_u128_r(u128::from(a), round)
        };
        compare(fpscr, theirs, |f| from_integer(a, integer, f))?;
    }

    #[test]
    fn from_fixed_point(a in operand(), fraction in 0u32..=32, signed: bool, wide: bool) {
        let integer = Integer { bits: if wide { 32 } else { 16 }, signed };
        let value = match (signed, wide) {
            (true, true) => f64::from(a as i32),
            (false, true) => f64::from(a),
            (true, false) => f64::from(a as i16),
            (false, false) => f64::from(a as u16),
        };
        let exact = value / 2f64.powi(fraction as i32);
        let (result, raised) = of(DOWN, |f| from_fixed(a, integer, fraction, f));
        prop_assert_eq!(result, (exact as f32).to_bits());
        prop_assert_eq!(raised, if f64::from(f32::from_bits(result)) == exact { 0 } else { IXC });
    }

    #[test]
    fn half_precision(a in number(), fpscr in fpscr()) {
        let (x, round) = (single(a), rounding_of(fpscr));
        let theirs: StatusAnd<Half> = x.convert_r(round, &mut false);
        let (result, raised) = of(fpscr.bits() & (3 << 22), |f| to_half(a, f));
        prop_assert_eq!(result, theirs.value.to_bits() as u32);
        let ignored = ignored(result & 0x7fff, 0x7c00);
        prop_assert_eq!(raised | ignored, exceptions(theirs.status) | ignored);
        let back: StatusAnd<Single> = theirs.value.convert(&mut false);
        prop_assert_eq!(of(0, |f| from_half(result, f)), (back.value.to_bits() as u32, 0));
    }
}
