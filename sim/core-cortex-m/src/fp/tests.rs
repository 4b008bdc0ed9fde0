//! The arithmetic against `rustc_apfloat`, the host, and the manual's rules; the quick way against the exact one.

mod against;
mod quick;
mod rules;

use proptest::prelude::*;

use super::fpscr::{FloatException, MODES};
use super::{Fpscr, Integer, Rounding, arithmetic};

pub(super) const NEAREST: u32 = 0;
pub(super) const DOWN: u32 = 2 << 22;
pub(super) const FZ: u32 = 1 << 24;
pub(super) const DN: u32 = 1 << 25;
pub(super) const AHP: u32 = 1 << 26;

pub(super) const U32: Integer = Integer {
    bits: 32,
    signed: false,
};
pub(super) const I32: Integer = Integer {
    bits: 32,
    signed: true,
};

pub(super) const IOC: u32 = FloatException::InvalidOperation as u32;
pub(super) const DZC: u32 = FloatException::DivisionByZero as u32;
pub(super) const OFC: u32 = FloatException::Overflow as u32;
pub(super) const UFC: u32 = FloatException::Underflow as u32;
pub(super) const IXC: u32 = FloatException::Inexact as u32;
pub(super) const IDC: u32 = FloatException::InputDenormal as u32;

/// Results and exceptions are most likely to be wrong around these.
const SPECIAL: [u32; 26] = [
    0x0000_0000,
    0x0000_0001,
    0x0000_0002,
    0x0040_0000,
    0x007f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x0100_0000,
    0x1f80_0000,
    0x2000_0000,
    0x33ff_ffff,
    0x3380_0000,
    0x3f00_0000,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x4000_0000,
    0x4b00_0001,
    0x4f00_0000,
    0x5f80_0000,
    0x7f00_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7fc0_1234,
    0x7f80_4321,
];

/// Bit patterns: special ones, their neighbours, and any.
pub(super) fn operand() -> impl Strategy<Value = u32> {
    let special = (0..SPECIAL.len(), any::<bool>()).prop_map(|(n, sign)| SPECIAL[n] | u32::from(sign) << 31);
    let near = (special.clone(), -3i32..4).prop_map(|(bits, step)| bits.wrapping_add_signed(step));
    // Exponents close to each other: sums that cancel.
    let middle =
        (any::<u32>(), 0u32..40).prop_map(|(bits, exponent)| bits & 0x807f_ffff | (108 + exponent) << 23);
    prop_oneof![special, near, middle, any::<u32>()]
}

/// FPSCR before: any modes, and now and then exceptions.
pub(super) fn fpscr() -> impl Strategy<Value = Fpscr> {
    let modes = prop_oneof![Just(0), any::<u32>().prop_map(|bits| bits & MODES)];
    (modes, prop_oneof![Just(0), any::<u32>()])
        .prop_map(|(modes, rest)| Fpscr::from_bits(modes | rest & !MODES))
}

/// An operation's result and the exceptions that it raised, in these modes.
pub(super) fn of(modes: u32, operation: impl FnOnce(&mut Fpscr) -> u32) -> (u32, u32) {
    let mut fpscr = Fpscr::from_bits(modes);
    let result = operation(&mut fpscr);
    (result, fpscr.bits() & !MODES)
}
