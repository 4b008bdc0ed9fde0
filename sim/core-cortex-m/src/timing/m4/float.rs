//! The floating-point unit next to the pipeline: the registers that wait for a result.
//!
//! It does one thing at a time and forms one result at a time. That can be used a cycle after the unit is free again
//! (rule `float-result`), only as an addend at once. A division keeps the unit while the core goes on (rule
//! `float-divide`).

use isa_thumb::{FpReg, Insn, Op};

use crate::timing::Cycle;
use crate::timing::rule::Rule;

/// An instruction's use of the single-precision registers, a bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct FloatUse {
    /// Whether it needs the unit at all.
    pub unit: bool,
    /// Registers that it reads when it starts.
    pub reads: u32,
    /// The register that it reads a cycle later: the addend of a multiply-accumulate.
    pub addend: u32,
    /// The register that arithmetic forms.
    pub result: u32,
}

/// A result that is being formed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PendingResult {
    /// Its register, as a bit.
    register: u32,
    /// First cycle in which an instruction that reads it can start; the unit is free one before.
    ready: Cycle,
}

impl PendingResult {
    /// The result of an instruction that keeps the unit until cycle `free`.
    pub(crate) fn until(free: Cycle, float: FloatUse) -> Option<Self> {
        (float.result != 0).then_some(PendingResult {
            register: float.result,
            ready: free + 1,
        })
    }

    /// When an instruction can start at the earliest, and by which rule.
    pub(crate) fn wait(self, float: FloatUse) -> (Cycle, Rule) {
        if float.reads & self.register != 0 {
            (self.ready, Rule::FloatResult)
        } else {
            (self.ready - 1, Rule::FloatDivide)
        }
    }

    /// The pending result, unless any instruction that starts after cycle `last_start` comes too late to meet it.
    pub(crate) fn met_behind(self, last_start: Cycle) -> Option<Self> {
        (self.ready > last_start + 1).then_some(self)
    }

    /// Moves the state in time by `cycles`.
    pub(crate) fn moved_by(self, cycles: Cycle) -> Self {
        PendingResult {
            ready: self.ready + cycles,
            ..self
        }
    }
}

impl FloatUse {
    /// Of a decoded instruction.
    pub(crate) fn of(insn: &Insn) -> Self {
        if !insn.op.is_float() {
            return FloatUse::default();
        }
        let count = |words: u8| (1_u64 << words) - 1;
        let words = match insn.op {
            Op::Vldm | Op::Vstm => insn.amount,
            _ => 1 + u8::from(insn.double),
        };
        let bits = |reg: FpReg, words: u8| {
            if reg.is_some() {
                (count(words) << reg.index()) as u32
            } else {
                0
            }
        };
        let operands = bits(insn.vn, 1) | bits(insn.vm, 1);
        let data = bits(insn.vd, words);
        let (reads, addend, result) = match insn.op {
            Op::Vstr | Op::Vstm => (data, 0, 0),
            Op::VmovToCore => (bits(insn.vn, 1), 0, 0),
            Op::VmovPairToCore => (bits(insn.vm, 2), 0, 0),
            Op::Vcmp | Op::Vcmpe => (data | operands, 0, 0),
            Op::VmovReg | Op::Vabs | Op::Vneg => (operands, 0, 0),
            Op::VcvtFromFixed | Op::VcvtToFixed => (data, 0, data),
            op if accumulates(op) => (operands, data, data),
            op if forms_late(op) => (operands, 0, data),
            _ => (0, 0, 0),
        };
        FloatUse {
            unit: true,
            reads,
            addend: addend & !reads,
            result,
        }
    }
}

/// Whether it adds a product to its destination.
pub(crate) fn accumulates(op: Op) -> bool {
    use Op::{Vfma, Vfms, Vfnma, Vfnms, Vmla, Vmls, Vnmla, Vnmls};
    matches!(op, Vfma | Vfms | Vfnma | Vfnms | Vmla | Vmls | Vnmla | Vnmls)
}

/// Whether it is other arithmetic whose result can be used a cycle late.
fn forms_late(op: Op) -> bool {
    use Op::{
        Vadd, VcvtFromHalf, VcvtFromInt, VcvtToHalf, VcvtToInt, VcvtrToInt, Vdiv, Vmul, Vnmul, Vsqrt, Vsub,
    };
    let converts = matches!(
        op,
        VcvtFromHalf | VcvtFromInt | VcvtToHalf | VcvtToInt | VcvtrToInt
    );
    converts || matches!(op, Vadd | Vdiv | Vmul | Vnmul | Vsqrt | Vsub)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores::CoreKind;
    use crate::timing::Path;
    use crate::timing::shape::Shape;
    use crate::timing::state::{PipelineState, RuntimeFacts};
    use crate::timing::supply::Supply;
    use crate::timing::{Model, step};

    const VADD_S0: u32 = 0xee30_0a81; // vadd.f32 s0, s1, s2
    const VADD_S3_S0: u32 = 0xee70_1a01; // vadd.f32 s3, s0, s2
    const VMLA_S0: u32 = 0xee01_0a02; // vmla.f32 s0, s2, s4
    const VMLA_BY_S0: u32 = 0xee40_1a02; // vmla.f32 s3, s0, s4
    const VDIV_S0: u32 = 0xee81_0a02; // vdiv.f32 s0, s2, s4
    const VMOV_S5: u32 = 0xee02_1a90; // vmov s5, r1
    const VABS_S0: u32 = 0xeeb0_0ac0; // vabs.f32 s0, s0
    const VSTR_S0: u32 = 0xed80_0a00; // vstr s0, [r0]
    const ADD: u32 = 0xf101_0101; // add.w r1, r1, #1

    /// The cycle in which each instruction starts, from that of the first on.
    fn starts(raws: &[u32]) -> Vec<Cycle> {
        let kind = CoreKind::CORTEX_M4F;
        let mut pipe = PipelineState::full(0x100, 0, Path::default(), &mut Supply::immediate());
        let timed = raws.iter().zip((0x100..).step_by(4)).map(|(&raw, pc)| {
            let insn = kind.isa.decode(raw).unwrap();
            let shape = Shape::of(&insn, pc, false);
            let start = step(
                &mut pipe,
                Model::of(kind),
                &shape,
                &RuntimeFacts::default(),
                &mut Supply::immediate(),
            )
            .start;
            // The state as the engine keeps it: relative, and moved back.
            pipe = pipe.relative_to(start).moved_by(start);
            start
        });
        timed.collect()
    }

    #[test]
    fn a_result_is_late_by_a_cycle_for_what_reads_it_next() {
        assert_eq!(starts(&[VADD_S0, ADD, ADD]), [0, 1, 2]);
        assert_eq!(starts(&[VADD_S0, VADD_S3_S0]), [0, 2]);
        assert_eq!(starts(&[VADD_S0, ADD, VADD_S3_S0]), [0, 1, 2]);
        assert_eq!(starts(&[VADD_S0, VSTR_S0]), [0, 2]);
        assert_eq!(starts(&[VABS_S0, VADD_S3_S0]), [0, 1]);
    }

    #[test]
    fn so_is_that_of_every_conversion() {
        for convert in [
            0xeebd_0ae0, // vcvt.s32.f32 s0, s1
            0xeebd_0a60, // vcvtr.s32.f32 s0, s1
            0xeebc_0a60, // vcvtr.u32.f32 s0, s1
            0xeeb8_0ae0, // vcvt.f32.s32 s0, s1
            0xeeb2_0a60, // vcvtb.f32.f16 s0, s1
            0xeeb3_0a60, // vcvtb.f16.f32 s0, s1
        ] {
            assert_eq!(starts(&[convert, VADD_S3_S0]), [0, 2], "{convert:#x}");
        }
    }

    #[test]
    fn an_addend_is_in_time_and_a_factor_is_not() {
        assert_eq!(starts(&[VADD_S0, VMLA_S0, VMLA_S0, ADD]), [0, 1, 4, 7]);
        assert_eq!(starts(&[VADD_S0, VMLA_BY_S0]), [0, 2]);
        assert_eq!(starts(&[VMLA_S0, VMLA_BY_S0]), [0, 4]);
    }

    #[test]
    fn a_division_lets_the_core_go_on_and_keeps_the_unit() {
        assert_eq!(starts(&[VDIV_S0, ADD, ADD, VMOV_S5]), [0, 1, 2, 14]);
        assert_eq!(starts(&[VDIV_S0, VADD_S3_S0]), [0, 15]);
        assert_eq!(starts(&[VDIV_S0, VMLA_S0]), [0, 14]);
        assert_eq!(starts(&[VDIV_S0, VDIV_S0]), [0, 14]);
    }

    #[test]
    fn a_double_register_is_two_single_ones() {
        let insn = |raw| CoreKind::CORTEX_M4F.isa.decode(raw).unwrap();
        let vstr_d1 = FloatUse::of(&insn(0xed80_1b00));
        assert_eq!(vstr_d1.reads, 0b1100);
        let vpush_all = FloatUse::of(&insn(0xed2d_0a20));
        assert_eq!(vpush_all.reads, u32::MAX);
        assert!(!FloatUse::of(&insn(ADD)).unit);
    }
}
