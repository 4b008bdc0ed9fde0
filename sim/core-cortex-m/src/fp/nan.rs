//! Which NaN an operation gives (`FPProcessNaN()` and its like, ARMv7-M ARM A2.5.6).

use super::fpscr::{FloatException, Fpscr};
use super::real::{Operand, Value};

/// The NaN of every invalid operation, and of every NaN under FPSCR.DN.
const DEFAULT: u32 = 0x7fc0_0000;
const QUIET: u32 = 1 << 22;

/// The result of an invalid operation.
pub(super) fn invalid(fpscr: &mut Fpscr) -> u32 {
    fpscr.raise(FloatException::InvalidOperation);
    DEFAULT
}

/// The result if one of these is a NaN: of the signalling ones the first, then of the quiet ones.
pub(super) fn propagated(operands: &[Operand], fpscr: &mut Fpscr) -> Option<u32> {
    let first = |kind: Value| operands.iter().find(|operand| operand.value == kind);
    let signalling = first(Value::SignallingNan);
    let nan = signalling.or_else(|| first(Value::QuietNan))?;
    if signalling.is_some() {
        fpscr.raise(FloatException::InvalidOperation);
    }
    Some(if fpscr.default_nan() {
        DEFAULT
    } else {
        nan.bits | QUIET
    })
}
