//! Which handler an instruction of the extension has, and what its micro-operation holds.

use isa_thumb::{Index, Insn, Op, Reg, Width};

use super::compute::{
    Absolute, AddFloat, Divide, Fused, Move, Multiply, MultiplyThenAdd, Negate, NegatedMultiply, SquareRoot,
    Subtract, compute,
};
use super::{convert, transfer};
use crate::microop::{Handler, MicroOp};

/// Puts the registers of an instruction where its handler looks for them.
pub(crate) fn operands(insn: &Insn, op: &mut MicroOp) {
    if !insn.op.is_float() {
        return;
    }
    op.uses_fp = true;
    let (rd, ra, vd, vn, vm) = (insn.rd.0, insn.ra.0, insn.vd.0, insn.vn.0, insn.vm.0);
    match insn.op {
        Op::Vldr | Op::Vstr => op.rd = vd,
        Op::Vldm | Op::Vstm => {
            (op.rd, op.list, op.imm) = (vd, u16::from(insn.amount), 4 * u32::from(insn.amount));
        }
        Op::VmovFromCore => (op.rd, op.rn) = (vn, rd),
        Op::VmovToCore => (op.rd, op.rn) = (rd, vn),
        Op::VmovPairFromCore => (op.rd, op.rn, op.rm) = (vm, rd, ra),
        Op::VmovPairToCore => (op.rd, op.ra, op.rn) = (rd, ra, vm),
        Op::Vmsr => op.rn = rd,
        Op::Vmrs => op.rd = rd,
        Op::VcvtFromFixed | Op::VcvtToFixed => (op.rd, op.rm) = (vd, vd),
        _ => (op.rd, op.rn, op.rm) = (vd, vn, vm),
    }
}

/// The handler of an instruction of the extension, or `None` if it is not one.
pub(crate) fn handler(insn: &Insn) -> Option<Handler> {
    if insn.op.is_float() {
        computation(insn.op)
            .or_else(|| conversion(insn))
            .or_else(|| movement(insn))
    } else {
        None
    }
}

fn computation(op: Op) -> Option<Handler> {
    Some(match op {
        Op::Vadd => compute::<AddFloat>,
        Op::Vsub => compute::<Subtract>,
        Op::Vmul => compute::<Multiply>,
        Op::Vnmul => compute::<NegatedMultiply>,
        Op::Vmla => compute::<MultiplyThenAdd<false, false>>,
        Op::Vmls => compute::<MultiplyThenAdd<true, false>>,
        Op::Vnmla => compute::<MultiplyThenAdd<true, true>>,
        Op::Vnmls => compute::<MultiplyThenAdd<false, true>>,
        Op::Vfma => compute::<Fused<false, false>>,
        Op::Vfms => compute::<Fused<true, false>>,
        Op::Vfnma => compute::<Fused<true, true>>,
        Op::Vfnms => compute::<Fused<false, true>>,
        Op::Vdiv => compute::<Divide>,
        Op::Vsqrt => compute::<SquareRoot>,
        Op::Vabs => compute::<Absolute>,
        Op::Vneg => compute::<Negate>,
        Op::VmovReg => compute::<Move>,
        _ => return None,
    })
}

fn conversion(insn: &Insn) -> Option<Handler> {
    let (signed, top, zero) = (insn.signed, insn.amount != 0, !insn.vm.is_some());
    Some(match (insn.op, signed) {
        (Op::VcvtToInt, false) => convert::to_integer::<false>,
        (Op::VcvtToInt, true) => convert::to_integer::<true>,
        (Op::VcvtrToInt, false) => convert::to_integer_rounded::<false>,
        (Op::VcvtrToInt, true) => convert::to_integer_rounded::<true>,
        (Op::VcvtFromInt, false) => convert::from_integer::<false>,
        (Op::VcvtFromInt, true) => convert::from_integer::<true>,
        (Op::VcvtFromFixed | Op::VcvtToFixed, _) => fixed(insn),
        (Op::VcvtFromHalf, _) if top => convert::from_half::<true>,
        (Op::VcvtFromHalf, _) => convert::from_half::<false>,
        (Op::VcvtToHalf, _) if top => convert::to_half::<true>,
        (Op::VcvtToHalf, _) => convert::to_half::<false>,
        (Op::Vcmp, _) if zero => convert::compare::<false, true>,
        (Op::Vcmp, _) => convert::compare::<false, false>,
        (Op::Vcmpe, _) if zero => convert::compare::<true, true>,
        (Op::Vcmpe, _) => convert::compare::<true, false>,
        _ => return None,
    })
}

fn fixed(insn: &Insn) -> Handler {
    let wide = insn.width == Width::Word;
    match (insn.op, wide, insn.signed) {
        (Op::VcvtFromFixed, false, false) => convert::from_fixed::<16, false>,
        (Op::VcvtFromFixed, false, true) => convert::from_fixed::<16, true>,
        (Op::VcvtFromFixed, true, false) => convert::from_fixed::<32, false>,
        (Op::VcvtFromFixed, true, true) => convert::from_fixed::<32, true>,
        (_, false, false) => convert::to_fixed::<16, false>,
        (_, false, true) => convert::to_fixed::<16, true>,
        (_, true, false) => convert::to_fixed::<32, false>,
        (_, true, true) => convert::to_fixed::<32, true>,
    }
}

fn movement(insn: &Insn) -> Option<Handler> {
    let literal = insn.rn == Reg::PC;
    Some(match insn.op {
        Op::VmovImm => transfer::constant,
        Op::VmovFromCore => transfer::from_core,
        Op::VmovToCore => transfer::to_core,
        Op::VmovPairFromCore => transfer::two_from_core,
        Op::VmovPairToCore => transfer::two_to_core,
        Op::Vmsr => transfer::status_from_core,
        Op::Vmrs if insn.rd == Reg::PC => transfer::status_to_flags,
        Op::Vmrs => transfer::status_to_core,
        Op::Vldr => match (insn.double, literal) {
            (false, false) => transfer::load::<1, false>,
            (false, true) => transfer::load::<1, true>,
            (true, false) => transfer::load::<2, false>,
            (true, true) => transfer::load::<2, true>,
        },
        Op::Vstr if insn.double => transfer::store::<2>,
        Op::Vstr => transfer::store::<1>,
        Op::Vldm => match (insn.index == Index::Pre, insn.writeback) {
            (false, false) => transfer::load_multiple::<false, false>,
            (false, true) => transfer::load_multiple::<false, true>,
            (true, _) => transfer::load_multiple::<true, true>,
        },
        Op::Vstm => match (insn.index == Index::Pre, insn.writeback) {
            (false, false) => transfer::store_multiple::<false, false>,
            (false, true) => transfer::store_multiple::<false, true>,
            (true, _) => transfer::store_multiple::<true, true>,
        },
        _ => return None,
    })
}
