//! Arm's own rules: NaNs, flush-to-zero, tininess before rounding, alternative half precision, comparisons.

use super::super::{Comparison, compare, from_half, to_half, to_integer};
use super::*;

const ONE: u32 = 0x3f80_0000;
const LEAST: u32 = 0x0080_0000;
const DENORMAL: u32 = 0x0000_0001;
const INFINITY: u32 = 0x7f80_0000;
const DEFAULT_NAN: u32 = 0x7fc0_0000;
const QUIET: u32 = 0xffc0_0bad;
const OTHER_QUIET: u32 = 0x7fc0_0cab;
const SIGNALLING: u32 = 0x7f80_5555;

fn add(modes: u32, a: u32, b: u32) -> (u32, u32) {
    of(modes, |f| arithmetic::add(a, b, f))
}

fn multiply(modes: u32, a: u32, b: u32) -> (u32, u32) {
    of(modes, |f| arithmetic::multiply(a, b, f))
}

fn multiply_add(modes: u32, addend: u32, a: u32, b: u32) -> (u32, u32) {
    of(modes, |f| arithmetic::multiply_add(addend, a, b, f))
}

#[test]
fn a_signalling_nan_goes_before_a_quiet_one() {
    assert_eq!(add(0, QUIET, SIGNALLING), (SIGNALLING | 1 << 22, IOC));
    assert_eq!(add(0, SIGNALLING, QUIET), (SIGNALLING | 1 << 22, IOC));
    assert_eq!(add(0, QUIET, OTHER_QUIET), (QUIET, 0));
    assert_eq!(add(0, ONE, OTHER_QUIET), (OTHER_QUIET, 0));
}

#[test]
fn default_nan_hides_which_nan_it_was() {
    assert_eq!(add(DN, QUIET, ONE), (DEFAULT_NAN, 0));
    assert_eq!(add(DN, SIGNALLING, ONE), (DEFAULT_NAN, IOC));
}

#[test]
fn subtraction_keeps_the_sign_of_a_nan() {
    assert_eq!(
        of(0, |f| arithmetic::subtract(ONE, OTHER_QUIET, f)),
        (OTHER_QUIET, 0)
    );
}

#[test]
fn a_fused_product_of_infinity_and_zero_is_invalid_even_behind_a_quiet_nan() {
    assert_eq!(multiply_add(0, QUIET, INFINITY, 0), (DEFAULT_NAN, IOC));
    assert_eq!(multiply_add(0, QUIET, ONE, OTHER_QUIET), (QUIET, 0));
    assert_eq!(multiply_add(0, ONE, QUIET, OTHER_QUIET), (QUIET, 0));
    assert_eq!(
        multiply_add(0, INFINITY, INFINITY, ONE | 1 << 31),
        (DEFAULT_NAN, IOC)
    );
}

#[test]
fn invalid_operations_give_the_default_nan() {
    assert_eq!(add(0, INFINITY, INFINITY | 1 << 31), (DEFAULT_NAN, IOC));
    assert_eq!(multiply(0, INFINITY, 0), (DEFAULT_NAN, IOC));
    assert_eq!(of(0, |f| arithmetic::divide(0, 0, f)), (DEFAULT_NAN, IOC));
    assert_eq!(
        of(0, |f| arithmetic::square_root(ONE | 1 << 31, f)),
        (DEFAULT_NAN, IOC)
    );
    assert_eq!(of(0, |f| arithmetic::square_root(1 << 31, f)), (1 << 31, 0));
    assert_eq!(
        of(0, |f| arithmetic::divide(ONE, 1 << 31, f)),
        (INFINITY | 1 << 31, DZC)
    );
    assert_eq!(of(0, |f| arithmetic::divide(INFINITY, 0, f)), (INFINITY, 0));
}

#[test]
fn flush_to_zero_takes_denormal_operands_for_zero() {
    assert_eq!(add(FZ, DENORMAL, ONE), (ONE, IDC));
    assert_eq!(add(FZ, 1 << 31 | DENORMAL, 1 << 31), (1 << 31, IDC));
    assert_eq!(add(FZ, DENORMAL, QUIET), (QUIET, IDC));
    assert_eq!(multiply(FZ, DENORMAL, INFINITY), (DEFAULT_NAN, IDC | IOC));
}

#[test]
fn flush_to_zero_makes_tiny_results_zero_without_inexact() {
    assert_eq!(multiply(FZ, LEAST | 1 << 31, 0x3f00_0000), (1 << 31, UFC));
    assert_eq!(multiply(0, LEAST, 0x3f00_0000), (0x0040_0000, 0));
}

#[test]
fn tininess_is_detected_before_rounding() {
    // The largest number below 1, times the smallest normal one: it is rounded up to the latter, and was tiny.
    assert_eq!(multiply(0, LEAST, 0x3f7f_ffff), (LEAST, UFC | IXC));
    assert_eq!(multiply(FZ, LEAST, 0x3f7f_ffff), (0, UFC));
}

#[test]
fn the_largest_number_may_stand_for_a_larger_one() {
    assert_eq!(
        multiply(3 << 22, 0x7f7f_ffff, 0x4000_0000),
        (0x7f7f_ffff, OFC | IXC)
    );
    assert_eq!(multiply(DOWN, 0xff7f_ffff, 0x4000_0000), (0xff80_0000, OFC | IXC));
    assert_eq!(of(3 << 22, |f| to_half(0x4780_0000, f)), (0x7bff, OFC | IXC));
}

#[test]
fn zeros_of_both_signs_add_up_by_the_rounding_mode() {
    assert_eq!(add(NEAREST, 0, 1 << 31), (0, 0));
    assert_eq!(add(DOWN, 0, 1 << 31), (1 << 31, 0));
    assert_eq!(add(DOWN, ONE, ONE | 1 << 31), (1 << 31, 0));
    assert_eq!(multiply_add(DOWN, ONE, ONE, ONE | 1 << 31), (1 << 31, 0));
    assert_eq!(add(NEAREST, 1 << 31, 1 << 31), (1 << 31, 0));
}

#[test]
fn alternative_half_precision_has_no_infinity() {
    // 65536 is a number there, 131072 is too large.
    assert_eq!(of(AHP, |f| to_half(0x4780_0000, f)), (0x7c00, 0));
    assert_eq!(of(AHP, |f| to_half(0x4800_0000, f)), (0x7fff, IOC));
    assert_eq!(of(AHP, |f| to_half(INFINITY | 1 << 31, f)), (0xffff, IOC));
    assert_eq!(of(AHP, |f| to_half(QUIET, f)), (0x8000, IOC));
    assert_eq!(of(AHP, |f| from_half(0x7c00, f)), (0x4780_0000, 0));
    assert_eq!(of(0, |f| to_half(0x4780_0000, f)), (0x7c00, OFC | IXC));
}

#[test]
fn half_precision_nans_keep_the_upper_bits_of_their_fraction() {
    assert_eq!(of(0, |f| to_half(0xffc0_4000, f)), (0xfe02, 0));
    assert_eq!(of(0, |f| to_half(SIGNALLING, f)), (0x7e02, IOC));
    assert_eq!(of(0, |f| from_half(0xfc01, f)), (0xffc0_2000, IOC));
    assert_eq!(of(DN, |f| from_half(0xfe01, f)), (DEFAULT_NAN, 0));
}

#[test]
fn flush_to_zero_spares_half_precision() {
    assert_eq!(of(FZ, |f| from_half(0x0001, f)), (0x3380_0000, 0));
    assert_eq!(of(FZ, |f| to_half(0x3380_0000, f)), (0x0001, 0));
}

#[test]
fn conversions_to_integers_saturate() {
    let to = |a, integer| of(0, |f| to_integer(a, integer, Rounding::Zero, f));
    assert_eq!(to(0x4f00_0000, I32), (0x7fff_ffff, IOC));
    assert_eq!(to(0xcf00_0000, I32), (0x8000_0000, 0));
    assert_eq!(to(0xbf00_0000, U32), (0, IXC));
    assert_eq!(to(0xbf80_0000, U32), (0, IOC));
    assert_eq!(to(QUIET, I32), (0, IOC));
    assert_eq!(to(INFINITY | 1 << 31, I32), (0x8000_0000, IOC));
}

#[test]
fn comparisons_set_the_flags_of_the_manual() {
    let flags = |a, b, kind| {
        let (_, raised) = of(0, |f| {
            compare(a, b, kind, f);
            0
        });
        raised
    };
    assert_eq!(flags(0, 1 << 31, Comparison::Quiet), 6 << 28);
    assert_eq!(flags(ONE | 1 << 31, DENORMAL, Comparison::Quiet), 8 << 28);
    assert_eq!(flags(DENORMAL, ONE | 1 << 31, Comparison::Quiet), 2 << 28);
    assert_eq!(flags(0xbf80_0001, 0xbf80_0000, Comparison::Quiet), 8 << 28);
    assert_eq!(flags(QUIET, ONE, Comparison::Quiet), 3 << 28);
    assert_eq!(flags(QUIET, ONE, Comparison::Signalling), 3 << 28 | IOC);
    assert_eq!(flags(ONE, SIGNALLING, Comparison::Quiet), 3 << 28 | IOC);
}
