//! The unpredictable cases. Each rule is one clause of the manual's "if … then UNPREDICTABLE".
//!
//! One clause is deliberately missing: T2 of CMP (register) with two low registers. LLVM emitted it for every unoptimised
//! compare-and-swap (fixed in 2026), so existing images contain it, and every core executes it as a comparison.

use super::Row;
use crate::{Cond, Insn, Isa, Reg, Shift};

/// A condition under which an encoding is unpredictable.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The violation, in the words of an error message.
    pub why: &'static str,
    /// Whether a decoded instruction of this row violates the rule.
    pub holds: fn(&Insn, &Row) -> bool,
    /// Whether the rule applies to an architecture.
    pub applies: fn(Isa) -> bool,
}

const fn rule(why: &'static str, holds: fn(&Insn, &Row) -> bool) -> Rule {
    Rule {
        why,
        holds,
        applies: |_| true,
    }
}

/// The manual's `BadReg()`.
fn bad(reg: Reg) -> bool {
    reg == Reg::SP || reg == Reg::PC
}

pub(super) const RD: Rule = rule("Rd is SP or PC", |i, _| bad(i.rd));
pub(super) const RN: Rule = rule("Rn is SP or PC", |i, _| bad(i.rn));
pub(super) const RM: Rule = rule("Rm is SP or PC", |i, _| bad(i.rm));
/// Operand of a shift by a constant, which the manual calls Rm.
pub(super) const RS: Rule = rule("Rm is SP or PC", |i, _| bad(i.rn));
pub(super) const RA: Rule = rule("Ra is SP or PC", |i, _| bad(i.ra));
pub(super) const RT: Rule = rule("Rt is SP or PC", |i, _| bad(i.rd));
pub(super) const RT2: Rule = rule("Rt2 is SP or PC", |i, _| bad(i.ra));
pub(super) const RDLO: Rule = rule("RdLo is SP or PC", |i, _| bad(i.rd));
pub(super) const RDHI: Rule = rule("RdHi is SP or PC", |i, _| bad(i.ra));
pub(super) const STATUS: Rule = rule("the status register is SP or PC", |i, _| bad(i.rm));

pub(super) const RD_PC: Rule = rule("Rd is PC", |i, _| i.rd == Reg::PC);
pub(super) const RT_PC: Rule = rule("Rt is PC", |i, _| i.rd == Reg::PC);
pub(super) const RT_SP: Rule = rule("Rt is SP", |i, _| i.rd == Reg::SP);
pub(super) const RN_PC: Rule = rule("Rn is PC", |i, _| i.rn == Reg::PC);
pub(super) const RN_SP: Rule = rule("Rn is SP", |i, _| i.rn == Reg::SP);
pub(super) const RM_PC: Rule = rule("Rm is PC", |i, _| i.rm == Reg::PC);
pub(super) const RA_SP: Rule = rule("Ra is SP", |i, _| i.ra == Reg::SP);

/// ADD and SUB may compute the stack pointer only from itself.
pub(super) const RD_SP_FROM_OTHER: Rule =
    rule("Rd is SP, Rn is not", |i, _| i.rd == Reg::SP && i.rn != Reg::SP);
pub(super) const SP_SHIFT: Rule = rule("SP is computed with a shift other than LSL by 0 to 3", |i, _| {
    i.rd == Reg::SP && (i.shift != Shift::Lsl || i.amount > 3)
});
pub(super) const BOTH_PC: Rule = rule("both operands are PC", |i, _| i.rn == Reg::PC && i.rm == Reg::PC);
pub(super) const MOV_SP_TO_SP: Rule = rule("MOV.W from SP to SP", |i, _| i.rd == Reg::SP && i.rm == Reg::SP);
pub(super) const RM_TWICE: Rule = rule("the two copies of Rm differ", |i, row| {
    u32::from(i.rm.0) != row.field(b'k', i.raw)
});
pub(super) const SAME_HALVES: Rule = rule("RdLo and RdHi are the same", |i, _| i.rd == i.ra);

pub(super) const ZERO_REPEATED: Rule = rule("a repeated byte of the immediate is zero", |i, row| {
    let imm = row.field(b'i', i.raw);
    matches!((imm >> 8, imm & 0xff), (1..=3, 0))
});
pub(super) const PAST_BIT_31: Rule = rule("the bit field goes past bit 31", |i, _| {
    i.imm + u32::from(i.amount) > 32
});
pub(super) const MSB_BELOW_LSB: Rule = rule("the bit field's highest bit is below its lowest", |i, row| {
    row.field(b'w', i.raw) < i.imm
});

pub(super) const LAST_SINGLE: Rule = rule("there is no single register after S31", |i, _| i.vm.0 == 31);
pub(super) const TOO_MANY_FRACTION_BITS: Rule =
    rule("a fixed-point number has more fraction bits than bits", |i, _| {
        i.amount > 8 * i.width as u8
    });
/// The list must not be empty, go past the last register, or have more than 16 double registers.
pub(super) const FLOAT_LIST: Rule = rule(
    "the register list is empty, or goes past the last register",
    |i, _| i.amount == 0 || u32::from(i.vd.0) + u32::from(i.amount) > 32,
);

pub(super) const NO_REGISTER: Rule = rule("the register list is empty", |i, _| i.list.is_empty());
pub(super) const FEWER_THAN_TWO: Rule = rule("the register list has fewer than two registers", |i, _| {
    i.list.len() < 2
});
pub(super) const LR_AND_PC: Rule = rule("the register list has both LR and PC", |i, _| {
    i.list.contains(Reg::LR) && i.list.contains(Reg::PC)
});
pub(super) const BASE_IN_LIST: Rule = rule("the base is written back and is in the list", |i, _| {
    i.writeback && i.list.contains(i.rn)
});
/// The manual leaves the stored value UNKNOWN, so no program can depend on it.
pub(super) const BASE_NOT_LOWEST: Rule =
    rule("the base is stored, but is not the lowest of the list", |i, _| {
        i.list.contains(i.rn) && i.list.0.trailing_zeros() != u32::from(i.rn.0)
    });

pub(super) const BASE_IS_DATA: Rule = rule("the base is written back and is a data register", |i, _| {
    i.writeback && (i.rn == i.rd || i.rn == i.ra)
});
pub(super) const PC_WRITTEN_BACK: Rule = rule("the base is PC and is written back", |i, _| {
    i.writeback && i.rn == Reg::PC
});
pub(super) const SAME_DATA: Rule = rule("Rt and Rt2 are the same", |i, _| i.rd == i.ra);
pub(super) const STATUS_IS_OTHER: Rule = rule("the status register is also base or data register", |i, _| {
    i.rm == i.rn || i.rm == i.rd
});

pub(super) const IT_CONDITION: Rule = rule("the condition of IT is 0b1111", |i, _| i.imm >> 4 == 15);
pub(super) const IT_ELSE_NEVER: Rule = rule("an IT block of AL has an E", |i, _| {
    i.imm >> 4 == Cond::Al as u32 && (i.imm & 15).count_ones() != 1
});
pub(super) const CPS_NOTHING: Rule = rule("CPS changes nothing", |i, _| matches!(i.imm & 3, 0));
pub(super) const NO_SUCH_SPECIAL: Rule = rule(
    "there is no such special register",
    |i, _| !matches!(i.imm, 0..=3 | 5..=9 | 16..=20),
);
/// ARMv6-M has PRIMASK only (ARMv6-M ARM B1.4.3).
pub(super) const NO_SUCH_MASK: Rule = Rule {
    applies: |isa| !isa.is_v7(),
    ..rule("BASEPRI and FAULTMASK are not in ARMv6-M", |i, _| {
        matches!(i.imm, 17..=19)
    })
};
pub(super) const CPS_FAULTMASK: Rule = Rule {
    applies: |isa| !isa.is_v7(),
    ..rule("FAULTMASK is not in ARMv6-M", |i, _| i.imm & 1 != 0)
};
pub(super) const NO_MASK: Rule = rule("MSR writes nothing", |i, _| i.amount == 0);
/// The GE bits belong to the DSP extension, and only xPSR has more than one part.
pub(super) const GE_MASK: Rule = Rule {
    applies: |isa| !isa.has_dsp(),
    ..rule("MSR writes GE bits, which need the DSP extension", |i, _| {
        i.amount & 1 != 0
    })
};
/// Only the parts of xPSR have GE bits.
pub(super) const GE_ELSEWHERE: Rule = rule("MSR writes GE bits of a register that has none", |i, _| {
    i.amount & 1 != 0 && i.imm > 3
});
