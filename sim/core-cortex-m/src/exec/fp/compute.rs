//! sd ← sn operation sm: arithmetic in single precision (ARMv7-M ARM A6.5 and A7.7.225 on).

use super::{ready, s, set_s};
use crate::core::Core;
use crate::fp::{Fpscr, absolute, negate, quick};
use crate::microop::{MicroOp, Step};

/// An operation; `d` is the old value of the destination.
pub(super) trait FloatOperation {
    fn result(d: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32;
}

pub(super) struct AddFloat;
pub(super) struct Subtract;
pub(super) struct Multiply;
pub(super) struct Divide;
pub(super) struct SquareRoot;
pub(super) struct Move;
pub(super) struct Absolute;
pub(super) struct Negate;
/// VNMUL: the product with the other sign, NaNs too.
pub(super) struct NegatedMultiply;
/// VMLA and its like: a product that is rounded, then a sum that is rounded. `PRODUCT` and `ADDEND` say which of the
/// two changes its sign before: VMLS, VNMLS, VNMLA.
pub(super) struct MultiplyThenAdd<const PRODUCT: bool, const ADDEND: bool>;
/// VFMA and its like: rounded once. `FACTOR` and `ADDEND` change their signs before: VFMS, VFNMS, VFNMA.
pub(super) struct Fused<const FACTOR: bool, const ADDEND: bool>;

const fn negate_if(condition: bool, value: u32) -> u32 {
    if condition { negate(value) } else { value }
}

impl FloatOperation for AddFloat {
    #[inline(always)]
    fn result(_: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
        quick::add(n, m, fpscr)
    }
}

impl FloatOperation for Subtract {
    #[inline(always)]
    fn result(_: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
        quick::subtract(n, m, fpscr)
    }
}

impl FloatOperation for Multiply {
    #[inline(always)]
    fn result(_: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
        quick::multiply(n, m, fpscr)
    }
}

impl FloatOperation for Divide {
    #[inline(always)]
    fn result(_: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
        quick::divide(n, m, fpscr)
    }
}

impl FloatOperation for SquareRoot {
    #[inline(always)]
    fn result(_: u32, _: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
        quick::square_root(m, fpscr)
    }
}

impl FloatOperation for Move {
    #[inline(always)]
    fn result(_: u32, _: u32, m: u32, _: &mut Fpscr) -> u32 {
        m
    }
}

impl FloatOperation for Absolute {
    #[inline(always)]
    fn result(_: u32, _: u32, m: u32, _: &mut Fpscr) -> u32 {
        absolute(m)
    }
}

impl FloatOperation for Negate {
    #[inline(always)]
    fn result(_: u32, _: u32, m: u32, _: &mut Fpscr) -> u32 {
        negate(m)
    }
}

impl FloatOperation for NegatedMultiply {
    #[inline(always)]
    fn result(_: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
        negate(quick::multiply(n, m, fpscr))
    }
}

impl<const PRODUCT: bool, const ADDEND: bool> FloatOperation for MultiplyThenAdd<PRODUCT, ADDEND> {
    #[inline(always)]
    fn result(d: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
        let product = quick::multiply(n, m, fpscr);
        quick::add(negate_if(ADDEND, d), negate_if(PRODUCT, product), fpscr)
    }
}

impl<const FACTOR: bool, const ADDEND: bool> FloatOperation for Fused<FACTOR, ADDEND> {
    #[inline(always)]
    fn result(d: u32, n: u32, m: u32, fpscr: &mut Fpscr) -> u32 {
        quick::multiply_add(negate_if(ADDEND, d), negate_if(FACTOR, n), m, fpscr)
    }
}

pub(super) fn compute<O: FloatOperation>(core: &mut Core, op: &MicroOp) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    let (d, n, m) = (s(core, op.rd), s(core, op.rn), s(core, op.rm));
    let result = O::result(d, n, m, &mut core.regs.fpscr);
    set_s(core, op.rd, result);
    Step::Next
}
