//! VCMP and VCMPE (`FPCompare()` of the manual).

use std::cmp::Ordering;

use super::fpscr::{FloatException, Fpscr};
use super::real::{Value, unpack};

/// Which NaNs make a comparison an invalid operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comparison {
    /// Signalling ones: VCMP.
    Quiet,
    /// All: VCMPE.
    Signalling,
}

/// N, Z, C, V in their places of FPSCR.
const UNORDERED: u32 = 0x3000_0000;

/// Sets FPSCR's flags from comparing `a` with `b`.
pub(crate) fn compare(a: u32, b: u32, kind: Comparison, fpscr: &mut Fpscr) {
    let (a, b) = (unpack(a, fpscr), unpack(b, fpscr));
    let any = |kind: Value| a.value == kind || b.value == kind;
    let signalling = any(Value::SignallingNan);
    let unordered = signalling || any(Value::QuietNan);
    if signalling || unordered && kind == Comparison::Signalling {
        fpscr.raise(FloatException::InvalidOperation);
    }
    let flags = if unordered {
        UNORDERED
    } else {
        match key(a.bits).cmp(&key(b.bits)) {
            Ordering::Less => 0x8000_0000,
            Ordering::Equal => 0x6000_0000,
            Ordering::Greater => 0x2000_0000,
        }
    };
    fpscr.set_flags(flags);
}

/// A number that is ordered as the bit pattern's value is; both zeros are 0.
fn key(bits: u32) -> i32 {
    let magnitude = super::absolute(bits) as i32;
    if bits & super::SIGN == 0 {
        magnitude
    } else {
        -magnitude
    }
}
