//! Lowers a decoded instruction to a [`MicroOp`]: unpacks operands, resolves everything that depends on its place, and picks the handler.
//!
//! The content of `MicroOp::imm` depends on the operation: the second operand, an offset, or an absolute address where it is relative to
//! the instruction's own address (a branch's target, a literal, ADR). A PC as the second operand becomes such a constant too, so that no
//! handler reads the PC.

use std::ptr::fn_addr_eq;

use bus::{ExpectedLatency, ProfileId};
use isa_thumb::{Cond, DecodeError, Insn, ItRule, ItState, Op, Operand, Reg, SetFlags, Shift};

use super::condition::{InItBlock, InItBlockToLr, InItBlockToSp, for_condition, to_sp};
use super::{bits, branch, data, dsp, exclusive, fp, memory, muldiv, multiple, parallel, shift, system};
use crate::core::{Core, Trap};
use crate::fault::{Fault, NotModelled};
use crate::microop::{Handler, MicroOp, Step};
use crate::timing::ByOperands;

/// The micro-operation of `insn` at address `pc`, with ITSTATE `it` before it. Its timing is left at zero.
pub(crate) fn lower(insn: &Insn, pc: u32, it: u8) -> MicroOp {
    let it = ItState(it);
    let insn = resolve_pc(resolve_shift(*insn), pc);
    let mut op = operands(&insn, pc, it);
    fp::operands(&insn, &mut op);
    op.inner = if misplaced(insn.it, it) {
        system::misplaced
    } else {
        handler(&insn, op.sets_flags)
    };
    op.exec = around(&insn, op.inner, it);
    op
}

/// Picks the handler of a load that is expected to read a flash with wait states.
pub(crate) fn lower_from_flash(op: &mut MicroOp, insn: &Insn) {
    let Some(handler) = memory::handler_from_flash(insn) else {
        return;
    };
    if fn_addr_eq(op.exec, op.inner) {
        op.exec = handler;
    }
    op.inner = handler;
}

/// The micro-operation of an encoding that is not an instruction.
pub(crate) fn lower_error(raw: u32, pc: u32, size: u8, error: &DecodeError) -> MicroOp {
    let handler: Handler = match error {
        DecodeError::Undefined { .. } => system::undefined,
        DecodeError::Unpredictable { .. } => unpredictable,
        DecodeError::Truncated { .. } => truncated,
    };
    MicroOp {
        raw,
        pc,
        size,
        exec: handler,
        inner: handler,
        ..EMPTY
    }
}

/// The micro-operation of an address where the board describes nothing.
pub(crate) fn lower_unmapped(pc: u32) -> MicroOp {
    MicroOp {
        pc,
        size: 2,
        exec: unmapped,
        inner: unmapped,
        ..EMPTY
    }
}

const EMPTY: MicroOp = MicroOp {
    exec: system::nop,
    inner: system::nop,
    imm: 0,
    pc: 0,
    raw: 0,
    start: 0,
    access: 0,
    size: 0,
    it: 0,
    it_after: 0,
    rd: Reg::NONE.0,
    rn: Reg::NONE.0,
    rm: Reg::NONE.0,
    ra: Reg::NONE.0,
    amount: 0,
    cond: Cond::Al as u8,
    uses_fp: false,
    sets_flags: false,
    imm_carry: 2,
    by_operands: ByOperands::Not,
    expected: 0,
    reads: ExpectedLatency::NONE,
    profile: ProfileId::PRIVATE,
    list: 0,
};

fn operands(insn: &Insn, pc: u32, it: ItState) -> MicroOp {
    MicroOp {
        imm: insn.imm,
        pc,
        raw: insn.raw,
        size: insn.size,
        it: it.0,
        it_after: it.after(insn).0,
        rd: insn.rd.0,
        rn: insn.rn.0,
        rm: insn.rm.0,
        ra: insn.ra.0,
        amount: insn.amount,
        cond: condition(insn, it) as u8,
        sets_flags: match insn.set_flags {
            SetFlags::Never => false,
            SetFlags::Always => true,
            SetFlags::OutsideIt => !it.in_block(),
        },
        imm_carry: insn.imm_carry.map_or(2, u8::from),
        list: insn.list.0,
        ..EMPTY
    }
}

/// Its own condition, or that of the IT block; BKPT has none even there.
fn condition(insn: &Insn, it: ItState) -> Cond {
    match insn.op {
        Op::Bkpt => Cond::Al,
        _ if it.in_block() => it.cond(),
        _ => insn.cond,
    }
}

fn misplaced(rule: ItRule, it: ItState) -> bool {
    match rule {
        ItRule::Any => false,
        ItRule::OutsideOrLast => it.in_block() && !it.is_last(),
        ItRule::Outside => it.in_block(),
    }
}

/// A shift by a constant is a MOV of a shifted register.
fn resolve_shift(mut insn: Insn) -> Insn {
    let shift = match insn.op {
        Op::Lsl => Shift::Lsl,
        Op::Lsr => Shift::Lsr,
        Op::Asr => Shift::Asr,
        Op::Ror => Shift::Ror,
        Op::Rrx => Shift::Rrx,
        _ => return insn,
    };
    insn.shift = shift;
    if insn.operand != Operand::Reg {
        insn.op = Op::Mov;
        insn.operand = Operand::Reg;
        (insn.rm, insn.rn) = (insn.rn, Reg::NONE);
        insn.amount = if shift == Shift::Rrx { 1 } else { insn.imm as u8 };
    }
    insn
}

/// Replaces offsets from the PC by addresses, and a PC that is an operand by its value.
fn resolve_pc(mut insn: Insn, pc: u32) -> Insn {
    let value = pc.wrapping_add(4);
    match insn.op {
        Op::B | Op::Bl | Op::Cbz | Op::Cbnz => insn.imm = value.wrapping_add(insn.imm),
        Op::Adr => insn.imm = (value & !3).wrapping_add(insn.imm),
        Op::Ldr | Op::Ldrd | Op::Vldr if insn.rn == Reg::PC => insn.imm = (value & !3).wrapping_add(insn.imm),
        Op::Bx if insn.rm == Reg::PC => insn.imm = value,
        Op::Mov | Op::Add if insn.rm == Reg::PC => {
            insn.operand = Operand::Imm;
            insn.imm = value;
        }
        _ => {}
    }
    insn
}

fn handler(insn: &Insn, sets_flags: bool) -> Handler {
    let kind = data::Kind::new(insn.operand, insn.shift, insn.amount);
    let of_sp = insn.rd == Reg::SP && insn.rn == Reg::SP && insn.operand == Operand::Imm;
    if insn.op == Op::Sub && of_sp && !sets_flags && insn.imm.is_multiple_of(4) {
        return data::sub_from_sp;
    }
    branch::handler(insn)
        .or_else(|| data::handler(insn.op, kind, sets_flags))
        .or_else(|| muldiv::handler(insn.op, sets_flags))
        .or_else(|| bits::handler(insn.op, insn.shift))
        .or_else(|| memory::handler(insn))
        .or_else(|| multiple::handler(insn.op, insn.index, insn.writeback, insn.list.contains(Reg::PC)))
        .or_else(|| exclusive::handler(insn.op, insn.width))
        .or_else(|| parallel::handler(insn.op))
        .or_else(|| dsp::handler(insn.op, insn.rn.is_some()))
        .or_else(|| system::handler(insn.op))
        .or_else(|| shift::by_register_handler(insn.op, sets_flags))
        .or_else(|| fp::handler(insn))
        .unwrap_or_else(|| unreachable!("every operation has a handler, which a test proves"))
}

/// The handler with what has to stand around it.
fn around(insn: &Insn, inner: Handler, it: ItState) -> Handler {
    let conditional = it.in_block() && it.cond() != Cond::Al && insn.op != Op::Bkpt;
    match (conditional, may_misalign_sp(insn)) {
        (false, false) => inner,
        (false, true) => to_sp,
        (true, false) if branches_to_lr(insn) => for_condition::<InItBlockToLr>(it.cond()),
        (true, false) => for_condition::<InItBlock>(it.cond()),
        (true, true) => for_condition::<InItBlockToSp>(it.cond()),
    }
}

fn branches_to_lr(insn: &Insn) -> bool {
    let jumps = matches!(insn.op, Op::Bx | Op::Blx) || insn.op == Op::Mov && insn.rd == Reg::PC;
    jumps && insn.rm == Reg::LR
}

/// Whether it may write a value to SP that is not a multiple of four. SP itself is one, so that adding or
/// subtracting one, as nearly all code does, needs no check.
fn may_misalign_sp(insn: &Insn) -> bool {
    let steps = insn.operand == Operand::Imm && insn.imm.is_multiple_of(4);
    let result = insn.rd == Reg::SP
        && match insn.op {
            Op::Add | Op::Sub => !(steps && insn.rn == Reg::SP),
            Op::Mov | Op::Ldr => true,
            _ => false,
        };
    let multiple = matches!(insn.op, Op::Ldm | Op::Stm | Op::Vldm | Op::Vstm);
    let base = insn.rn == Reg::SP && insn.writeback && !multiple && !steps;
    result || base
}

/// Looks the reason up again: it is needed once at the most, so that no micro-operation carries it.
fn unpredictable(core: &mut Core, op: &MicroOp) -> Step {
    let why = match core.config.core.isa.decode(op.raw) {
        Err(DecodeError::Unpredictable { why, .. }) => why,
        _ => "the encoding",
    };
    system::unpredictable(core, op.raw, why)
}

/// The first half of an instruction at the very end of a memory.
fn truncated(core: &mut Core, op: &MicroOp) -> Step {
    let address = op.pc.wrapping_add(2);
    super::operand::trap(
        core,
        Trap::NotModelled(Box::new(NotModelled::UnmappedFetch { address })),
    )
}

fn unmapped(core: &mut Core, op: &MicroOp) -> Step {
    let trap = if core.bus.is_reserved(op.pc) {
        Trap::Fault(Fault::InstructionBus)
    } else {
        Trap::NotModelled(Box::new(NotModelled::UnmappedFetch { address: op.pc }))
    };
    super::operand::trap(core, trap)
}

#[cfg(test)]
mod tests {
    use isa_thumb::Isa;
    use isa_thumb::table::rows;

    use super::*;

    #[test]
    fn every_operation_has_a_handler() {
        for row in rows().iter().filter(|row| row.op.is_some()) {
            let (select, should_be) = (row.pattern.select, row.pattern.should_be);
            let free = !(select.mask | should_be.mask);
            // Some value of the free bits that is predictable: small registers, then all of them.
            let insn = [0, 0x0001_0203, 0x2104_0506, u32::MAX]
                .into_iter()
                .chain((0..5000u32).map(|n| n.wrapping_mul(0x9e37_79b9)))
                .map(|bits| {
                    select.value
                        | should_be.value
                        | bits & free & (u32::MAX >> (32 - 8 * u32::from(row.pattern.size)))
                })
                .filter(|&raw| row.matches(raw))
                .find_map(|raw| Isa::ARMV7EM_FLOAT.decode(raw).ok())
                .unwrap_or_else(|| panic!("{} has no predictable encoding", row.name));
            lower(&insn, 0x0800_0000, 0);
        }
    }
}
