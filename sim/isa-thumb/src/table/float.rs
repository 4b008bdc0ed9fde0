//! FPv4-SP-D16: single-precision floating point (ARMv7-M ARM A6.4 to A6.7).
//!
//! A register is `v` and `V` (destination or data), `b` and `B` (first operand), `f` and `F` (second operand). The lower case letter
//! holds four bits. The upper case letter is the fifth bit: the lowest one of a single register, the highest one of a double register.
//! These rows replace coprocessors 10 and 11 on a core with floating point; the rest of that space is undefined.

use super::row::{Form, Row, row};
use super::rules;
use crate::{Index, Op, Reg};

#[rustfmt::skip] // a table: an encoding a line, its particulars below
pub(super) const ROWS: &[Row] = &[
    // Loads and stores.
    row("1110 1101 U V 01 nnnn vvvv 1010 iiiiiiii", "VLDR T2", Op::Vldr, "vldr%c %V, %A").form(Form::FloatAddress),
    row("1110 1101 U V 01 nnnn vvvv 1011 iiiiiiii", "VLDR T1", Op::Vldr, "vldr%c %V, %A").form(Form::FloatAddress)
        .double().except(&[('V', 1)]),
    row("1110 1101 U V 00 nnnn vvvv 1010 iiiiiiii", "VSTR T2", Op::Vstr, "vstr%c %V, %A").form(Form::FloatAddress)
        .unpredictable(&[rules::RN_PC]),
    row("1110 1101 U V 00 nnnn vvvv 1011 iiiiiiii", "VSTR T1", Op::Vstr, "vstr%c %V, %A").form(Form::FloatAddress)
        .double().except(&[('V', 1)]).unpredictable(&[rules::RN_PC]),
    row("1110 1100 1 V W 1 nnnn vvvv 1010 iiiiiiii", "VLDM T2", Op::Vldm, "vldmia%c %n%!, %G")
        .form(Form::FloatList).index(Index::Post).except(&[('n', 13), ('W', 1)]).unpredictable(&[rules::RN_PC, rules::FLOAT_LIST]),
    row("1110 1100 1 V W 1 nnnn vvvv 1011 iiiiiii 0", "VLDM T1", Op::Vldm, "vldmia%c %n%!, %G")
        .form(Form::FloatList).double().index(Index::Post).except(&[('V', 1)])
        .except(&[('n', 13), ('W', 1)]).unpredictable(&[rules::RN_PC, rules::FLOAT_LIST]),
    row("1110 1100 1 V 1 1 1101 vvvv 1010 iiiiiiii", "VPOP T2", Op::Vldm, "vpop%c %G")
        .form(Form::FloatList).rn(Reg::SP).index(Index::Post).writeback().unpredictable(&[rules::FLOAT_LIST]),
    row("1110 1101 0 V 1 0 1101 vvvv 1010 iiiiiiii", "VPUSH T2", Op::Vstm, "vpush%c %G")
        .form(Form::FloatList).rn(Reg::SP).index(Index::Pre).writeback().unpredictable(&[rules::FLOAT_LIST]),
    row("1110 1100 1 V W 0 nnnn vvvv 1010 iiiiiiii", "VSTM T2", Op::Vstm, "vstmia%c %n%!, %G")
        .form(Form::FloatList).index(Index::Post).unpredictable(&[rules::RN_PC, rules::FLOAT_LIST]),
    row("1110 1100 1 V 1 1 1101 vvvv 1011 iiiiiii 0", "VPOP T1", Op::Vldm, "vpop%c %G")
        .form(Form::FloatList).double().rn(Reg::SP).index(Index::Post).writeback().except(&[('V', 1)]).unpredictable(&[rules::FLOAT_LIST]),
    row("1110 1101 0 V 1 0 1101 vvvv 1011 iiiiiii 0", "VPUSH T1", Op::Vstm, "vpush%c %G")
        .form(Form::FloatList).double().rn(Reg::SP).index(Index::Pre).writeback().except(&[('V', 1)]).unpredictable(&[rules::FLOAT_LIST]),
    row("1110 1100 1 V W 0 nnnn vvvv 1011 iiiiiii 0", "VSTM T1", Op::Vstm, "vstmia%c %n%!, %G")
        .form(Form::FloatList).double().index(Index::Post).except(&[('V', 1)])
        .unpredictable(&[rules::RN_PC, rules::FLOAT_LIST]),
    row("1110 1101 0 V 1 1 nnnn vvvv 1010 iiiiiiii", "VLDM T2 (decrement)", Op::Vldm, "vldmdb%c %n%!, %G")
        .form(Form::FloatList).index(Index::Pre).writeback().unpredictable(&[rules::RN_PC, rules::FLOAT_LIST]),
    row("1110 1101 0 V 1 1 nnnn vvvv 1011 iiiiiii 0", "VLDM T1 (decrement)", Op::Vldm, "vldmdb%c %n%!, %G")
        .form(Form::FloatList).double().index(Index::Pre).writeback().except(&[('V', 1)])
        .unpredictable(&[rules::RN_PC, rules::FLOAT_LIST]),
    row("1110 1101 0 V 1 0 nnnn vvvv 1010 iiiiiiii", "VSTM T2 (decrement)", Op::Vstm, "vstmdb%c %n%!, %G")
        .form(Form::FloatList).index(Index::Pre).writeback().except(&[('n', 13)]).unpredictable(&[rules::RN_PC, rules::FLOAT_LIST]),
    row("1110 1101 0 V 1 0 nnnn vvvv 1011 iiiiiii 0", "VSTM T1 (decrement)", Op::Vstm, "vstmdb%c %n%!, %G")
        .form(Form::FloatList).double().index(Index::Pre).writeback().except(&[('V', 1)])
        .except(&[('n', 13)]).unpredictable(&[rules::RN_PC, rules::FLOAT_LIST]),
    // Moves between core and floating-point registers.
    row("1110 1110 000 0 bbbb tttt 1010 B (0)(0) 1 (0)(0)(0)(0)", "VMOV (core to single)", Op::VmovFromCore, "vmov%c %Y, %t")
        .form(Form::Float).unpredictable(&[rules::RT]),
    row("1110 1110 000 1 bbbb tttt 1010 B (0)(0) 1 (0)(0)(0)(0)", "VMOV (single to core)", Op::VmovToCore, "vmov%c %t, %Y")
        .form(Form::Float).unpredictable(&[rules::RT]),
    row("1110 1110 00 x 0 bbbb tttt 1011 B (0)(0) 1 (0)(0)(0)(0)", "VMOV (core to scalar)", Op::VmovFromCore, "vmov%c.32 d$b[$x], %t")
        .form(Form::FloatScalar).except(&[('B', 1)]).unpredictable(&[rules::RT]),
    row("1110 1110 00 x 1 bbbb tttt 1011 B (0)(0) 1 (0)(0)(0)(0)", "VMOV (scalar to core)", Op::VmovToCore, "vmov%c.32 %t, d$b[$x]")
        .form(Form::FloatScalar).except(&[('B', 1)]).unpredictable(&[rules::RT]),
    row("1110 1100 010 0 uuuu tttt 1010 00 F 1 ffff", "VMOV (core to two singles)", Op::VmovPairFromCore, "vmov%c %Z, %S, %t, %a")
        .form(Form::Float).unpredictable(&[rules::RT, rules::RT2, rules::LAST_SINGLE]),
    row("1110 1100 010 1 uuuu tttt 1010 00 F 1 ffff", "VMOV (two singles to core)", Op::VmovPairToCore, "vmov%c %t, %a, %Z, %S")
        .form(Form::Float).unpredictable(&[rules::RT, rules::RT2, rules::LAST_SINGLE, rules::SAME_DATA]),
    row("1110 1100 010 0 uuuu tttt 1011 00 F 1 ffff", "VMOV (core to double)", Op::VmovPairFromCore, "vmov%c %Z, %t, %a")
        .form(Form::Float).double().except(&[('F', 1)]).unpredictable(&[rules::RT, rules::RT2]),
    row("1110 1100 010 1 uuuu tttt 1011 00 F 1 ffff", "VMOV (double to core)", Op::VmovPairToCore, "vmov%c %t, %a, %Z")
        .form(Form::Float).double().except(&[('F', 1)]).unpredictable(&[rules::RT, rules::RT2, rules::SAME_DATA]),
    row("1110 1110 1110 0001 tttt 1010 (0)(0)(0) 1 (0)(0)(0)(0)", "VMSR", Op::Vmsr, "vmsr%c fpscr, %t")
        .unpredictable(&[rules::RT]),
    row("1110 1110 1111 0001 tttt 1010 (0)(0)(0) 1 (0)(0)(0)(0)", "VMRS", Op::Vmrs, "vmrs%c %H, fpscr")
        .unpredictable(&[rules::RT_SP]),
    // Data processing.
    row("1110 1110 0 V 00 bbbb vvvv 1010 B 0 F 0 ffff", "VMLA", Op::Vmla, "vmla%c.f32 %V, %Y, %Z").form(Form::Float),
    row("1110 1110 0 V 00 bbbb vvvv 1010 B 1 F 0 ffff", "VMLS", Op::Vmls, "vmls%c.f32 %V, %Y, %Z").form(Form::Float),
    row("1110 1110 0 V 01 bbbb vvvv 1010 B 0 F 0 ffff", "VNMLS", Op::Vnmls, "vnmls%c.f32 %V, %Y, %Z").form(Form::Float),
    row("1110 1110 0 V 01 bbbb vvvv 1010 B 1 F 0 ffff", "VNMLA", Op::Vnmla, "vnmla%c.f32 %V, %Y, %Z").form(Form::Float),
    row("1110 1110 0 V 10 bbbb vvvv 1010 B 0 F 0 ffff", "VMUL", Op::Vmul, "vmul%c.f32 %V, %Y, %Z").form(Form::Float),
    row("1110 1110 0 V 10 bbbb vvvv 1010 B 1 F 0 ffff", "VNMUL", Op::Vnmul, "vnmul%c.f32 %V, %Y, %Z").form(Form::Float),
    row("1110 1110 0 V 11 bbbb vvvv 1010 B 0 F 0 ffff", "VADD", Op::Vadd, "vadd%c.f32 %V, %Y, %Z").form(Form::Float),
    row("1110 1110 0 V 11 bbbb vvvv 1010 B 1 F 0 ffff", "VSUB", Op::Vsub, "vsub%c.f32 %V, %Y, %Z").form(Form::Float),
    row("1110 1110 1 V 00 bbbb vvvv 1010 B 0 F 0 ffff", "VDIV", Op::Vdiv, "vdiv%c.f32 %V, %Y, %Z").form(Form::Float),
    row("1110 1110 1 V 01 bbbb vvvv 1010 B 0 F 0 ffff", "VFNMS", Op::Vfnms, "vfnms%c.f32 %V, %Y, %Z").form(Form::Float),
    row("1110 1110 1 V 01 bbbb vvvv 1010 B 1 F 0 ffff", "VFNMA", Op::Vfnma, "vfnma%c.f32 %V, %Y, %Z").form(Form::Float),
    row("1110 1110 1 V 10 bbbb vvvv 1010 B 0 F 0 ffff", "VFMA", Op::Vfma, "vfma%c.f32 %V, %Y, %Z").form(Form::Float),
    row("1110 1110 1 V 10 bbbb vvvv 1010 B 1 F 0 ffff", "VFMS", Op::Vfms, "vfms%c.f32 %V, %Y, %Z").form(Form::Float),
    row("1110 1110 1 V 11 iiii vvvv 1010 (0) 0 (0) 0 iiii", "VMOV (immediate)", Op::VmovImm, "vmov%c.f32 %V, #$i")
        .form(Form::FloatConstant),
    row("1110 1110 1 V 11 0000 vvvv 1010 01 F 0 ffff", "VMOV (register)", Op::VmovReg, "vmov%c.f32 %V, %Z").form(Form::Float),
    row("1110 1110 1 V 11 0000 vvvv 1010 11 F 0 ffff", "VABS", Op::Vabs, "vabs%c.f32 %V, %Z").form(Form::Float),
    row("1110 1110 1 V 11 0001 vvvv 1010 01 F 0 ffff", "VNEG", Op::Vneg, "vneg%c.f32 %V, %Z").form(Form::Float),
    row("1110 1110 1 V 11 0001 vvvv 1010 11 F 0 ffff", "VSQRT", Op::Vsqrt, "vsqrt%c.f32 %V, %Z").form(Form::Float),
    row("1110 1110 1 V 11 0100 vvvv 1010 01 F 0 ffff", "VCMP T1", Op::Vcmp, "vcmp%c.f32 %V, %Z").form(Form::Float),
    row("1110 1110 1 V 11 0100 vvvv 1010 11 F 0 ffff", "VCMPE T1", Op::Vcmpe, "vcmpe%c.f32 %V, %Z").form(Form::Float),
    row("1110 1110 1 V 11 0101 vvvv 1010 01 (0) 0 (0)(0)(0)(0)", "VCMP T2", Op::Vcmp, "vcmp%c.f32 %V, #0.0")
        .form(Form::Float),
    row("1110 1110 1 V 11 0101 vvvv 1010 11 (0) 0 (0)(0)(0)(0)", "VCMPE T2", Op::Vcmpe, "vcmpe%c.f32 %V, #0.0")
        .form(Form::Float),
    // Conversions. `amount` is the number of fraction bits, or selects a half of the register.
    row("1110 1110 1 V 11 0010 vvvv 1010 x 1 F 0 ffff", "VCVTB, VCVTT (half to single)", Op::VcvtFromHalf, "vcvt%X%c.f32.f16 %V, %Z")
        .form(Form::FloatHalf),
    row("1110 1110 1 V 11 0011 vvvv 1010 x 1 F 0 ffff", "VCVTB, VCVTT (single to half)", Op::VcvtToHalf, "vcvt%X%c.f16.f32 %V, %Z")
        .form(Form::FloatHalf),
    row("1110 1110 1 V 11 1000 vvvv 1010 01 F 0 ffff", "VCVT (unsigned to float)", Op::VcvtFromInt, "vcvt%c.f32.u32 %V, %Z")
        .form(Form::Float),
    row("1110 1110 1 V 11 1000 vvvv 1010 11 F 0 ffff", "VCVT (signed to float)", Op::VcvtFromInt, "vcvt%c.f32.s32 %V, %Z")
        .form(Form::Float).signed(),
    row("1110 1110 1 V 11 1100 vvvv 1010 01 F 0 ffff", "VCVTR (float to unsigned)", Op::VcvtrToInt, "vcvtr%c.u32.f32 %V, %Z")
        .form(Form::Float),
    row("1110 1110 1 V 11 1100 vvvv 1010 11 F 0 ffff", "VCVT (float to unsigned)", Op::VcvtToInt, "vcvt%c.u32.f32 %V, %Z")
        .form(Form::Float),
    row("1110 1110 1 V 11 1101 vvvv 1010 01 F 0 ffff", "VCVTR (float to signed)", Op::VcvtrToInt, "vcvtr%c.s32.f32 %V, %Z")
        .form(Form::Float).signed(),
    row("1110 1110 1 V 11 1101 vvvv 1010 11 F 0 ffff", "VCVT (float to signed)", Op::VcvtToInt, "vcvt%c.s32.f32 %V, %Z")
        .form(Form::Float).signed(),
    row("1110 1110 1 V 11 1010 vvvv 1010 01 k 0 iiii", "VCVT (fixed16 to float)", Op::VcvtFromFixed, "vcvt%c.f32.s16 %V, %V, %w")
        .form(Form::FloatFixed).half().signed().unpredictable(&[rules::TOO_MANY_FRACTION_BITS]),
    row("1110 1110 1 V 11 1010 vvvv 1010 11 k 0 iiii", "VCVT (fixed32 to float)", Op::VcvtFromFixed, "vcvt%c.f32.s32 %V, %V, %w")
        .form(Form::FloatFixed).signed(),
    row("1110 1110 1 V 11 1011 vvvv 1010 01 k 0 iiii", "VCVT (unsigned fixed16 to float)", Op::VcvtFromFixed, "vcvt%c.f32.u16 %V, %V, %w")
        .form(Form::FloatFixed).half().unpredictable(&[rules::TOO_MANY_FRACTION_BITS]),
    row("1110 1110 1 V 11 1011 vvvv 1010 11 k 0 iiii", "VCVT (unsigned fixed32 to float)", Op::VcvtFromFixed, "vcvt%c.f32.u32 %V, %V, %w")
        .form(Form::FloatFixed),
    row("1110 1110 1 V 11 1110 vvvv 1010 01 k 0 iiii", "VCVT (float to fixed16)", Op::VcvtToFixed, "vcvt%c.s16.f32 %V, %V, %w")
        .form(Form::FloatFixed).half().signed().unpredictable(&[rules::TOO_MANY_FRACTION_BITS]),
    row("1110 1110 1 V 11 1110 vvvv 1010 11 k 0 iiii", "VCVT (float to fixed32)", Op::VcvtToFixed, "vcvt%c.s32.f32 %V, %V, %w")
        .form(Form::FloatFixed).signed(),
    row("1110 1110 1 V 11 1111 vvvv 1010 01 k 0 iiii", "VCVT (float to unsigned fixed16)", Op::VcvtToFixed, "vcvt%c.u16.f32 %V, %V, %w")
        .form(Form::FloatFixed).half().unpredictable(&[rules::TOO_MANY_FRACTION_BITS]),
    row("1110 1110 1 V 11 1111 vvvv 1010 11 k 0 iiii", "VCVT (float to unsigned fixed32)", Op::VcvtToFixed, "vcvt%c.u32.f32 %V, %V, %w")
        .form(Form::FloatFixed),
];
