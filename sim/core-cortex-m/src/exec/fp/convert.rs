//! VCVT and VCMP.

use super::{ready, s, set_s};
use crate::core::Core;
use crate::fp::{self, Comparison, Integer, Rounding, quick};
use crate::microop::{MicroOp, Step};

/// sd ← a value worked out from sm.
#[inline(always)]
fn convert(core: &mut Core, op: &MicroOp, result: impl FnOnce(u32, &mut fp::Fpscr) -> u32) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    let result = result(s(core, op.rm), &mut core.regs.fpscr);
    set_s(core, op.rd, result);
    Step::Next
}

const fn integer(bits: u32, signed: bool) -> Integer {
    Integer { bits, signed }
}

/// VCVT to an integer: towards zero.
pub(super) fn to_integer<const SIGNED: bool>(core: &mut Core, op: &MicroOp) -> Step {
    convert(core, op, |m, fpscr| {
        quick::to_integer(m, integer(32, SIGNED), Rounding::Zero, fpscr)
    })
}

/// VCVTR: as FPSCR says.
pub(super) fn to_integer_rounded<const SIGNED: bool>(core: &mut Core, op: &MicroOp) -> Step {
    convert(core, op, |m, fpscr| {
        let rounding = fpscr.rounding();
        quick::to_integer(m, integer(32, SIGNED), rounding, fpscr)
    })
}

pub(super) fn from_integer<const SIGNED: bool>(core: &mut Core, op: &MicroOp) -> Step {
    convert(core, op, |m, fpscr| {
        quick::from_integer(m, integer(32, SIGNED), fpscr)
    })
}

/// To fixed point with `amount` bits of fraction: towards zero.
pub(super) fn to_fixed<const BITS: u32, const SIGNED: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let fraction = u32::from(op.amount);
    convert(core, op, |m, fpscr| {
        fp::to_fixed(m, integer(BITS, SIGNED), fraction, Rounding::Zero, fpscr)
    })
}

pub(super) fn from_fixed<const BITS: u32, const SIGNED: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let fraction = u32::from(op.amount);
    convert(core, op, |m, fpscr| {
        fp::from_fixed(m, integer(BITS, SIGNED), fraction, fpscr)
    })
}

/// VCVTB, VCVTT from half precision, in the lower or the upper half of sm.
pub(super) fn from_half<const TOP: bool>(core: &mut Core, op: &MicroOp) -> Step {
    convert(core, op, |m, fpscr| {
        fp::from_half(if TOP { m >> 16 } else { m & 0xffff }, fpscr)
    })
}

/// Converts to half precision; the other half of sd stays.
pub(super) fn to_half<const TOP: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let old = s(core, op.rd);
    convert(core, op, |m, fpscr| {
        let half = fp::to_half(m, fpscr);
        if TOP {
            half << 16 | old & 0xffff
        } else {
            old & 0xffff_0000 | half
        }
    })
}

/// VCMP, VCMPE of sd with sm, or with zero.
pub(super) fn compare<const SIGNALLING: bool, const ZERO: bool>(core: &mut Core, op: &MicroOp) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    let kind = if SIGNALLING {
        Comparison::Signalling
    } else {
        Comparison::Quiet
    };
    let (d, m) = (s(core, op.rd), if ZERO { 0 } else { s(core, op.rm) });
    fp::compare(d, m, kind, &mut core.regs.fpscr);
    Step::Next
}
