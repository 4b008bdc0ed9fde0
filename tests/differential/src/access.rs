//! Computes the address of a load or store independently of the cores, to know which memory to compare.

use isa_thumb::{Index, Insn, Op, Operand, Reg};

/// The lowest address that an instruction accesses; `None` if a register is unknown.
pub(crate) fn address(insn: &Insn, pc: u32, register: impl Fn(Reg) -> Option<u32>) -> Option<u32> {
    let base = if insn.rn == Reg::PC {
        pc + 4
    } else {
        register(insn.rn)?
    };
    Some(match (insn.op, insn.operand, insn.index) {
        (Op::Ldm | Op::Stm | Op::Vldm | Op::Vstm, _, Index::Pre) => base.wrapping_sub(length(insn)),
        (Op::Ldm | Op::Stm | Op::Vldm | Op::Vstm, ..) => base,
        (_, Operand::Reg, _) => base.wrapping_add(register(insn.rm)? << insn.amount),
        (_, _, Index::Post) => base,
        _ => base.wrapping_add(insn.imm),
    })
}

/// Number of bytes accessed.
pub(crate) fn length(insn: &Insn) -> u32 {
    match insn.op {
        Op::Ldm | Op::Stm => 4 * insn.list.len(),
        Op::Ldrd | Op::Strd => 8,
        Op::Vldm | Op::Vstm => 4 * u32::from(insn.amount),
        Op::Vldr | Op::Vstr if insn.double => 8,
        _ => insn.width as u32,
    }
}
