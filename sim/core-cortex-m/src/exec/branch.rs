//! Branches, and every other way to write the PC (ARMv7-M ARM A4.4.1, B1.4.7).

use isa_thumb::{Cond, Insn, Op, Operand, Reg, Width};

use super::condition::{PerCondition, for_condition, holds};
use super::operand::{read, trap};
use crate::core::{Core, Trap};
use crate::microop::{Handler, MicroOp, Step};
use crate::regs::Mode;

/// In handler mode a branch to here is a return from an exception.
const EXC_RETURN: u32 = 0xf000_0000;

/// `BranchWritePC()`: bit 0 means nothing.
fn jump(core: &mut Core, target: u32) -> Step {
    core.regs.r[15] = target & !1;
    Step::Branch
}

/// `BXWritePC()`, `LoadWritePC()`: bit 0 becomes EPSR.T, and in handler mode an `EXC_RETURN` value ends the exception.
pub(super) fn interwork(core: &mut Core, target: u32) -> Step {
    if target >= EXC_RETURN && core.regs.mode() == Mode::Handler {
        return trap(core, Trap::ExceptionReturn(target));
    }
    core.regs.thumb = target & 1 != 0;
    jump(core, target)
}

/// The end of a load of `target` to the PC, for what is executed outside this module.
pub(crate) fn load_to_pc(core: &mut Core, load: Step, target: u32) -> Step {
    let jump = interwork(core, target);
    loaded(core, load, jump)
}

/// The end of a load that jumps. With [`Step::Attention`] for the load, only the deviation shows the jump.
pub(super) fn loaded(core: &mut Core, load: Step, jump: Step) -> Step {
    let step = load.and(jump);
    core.deviation.taken |= step == Step::Attention;
    step
}

/// B without a condition of its own, and MOV PC, PC.
fn always(core: &mut Core, op: &MicroOp) -> Step {
    jump(core, op.imm)
}

fn conditional<const COND: u8>(core: &mut Core, op: &MicroOp) -> Step {
    if holds::<COND>(core.regs.flags) {
        jump(core, op.imm)
    } else {
        Step::Next
    }
}

struct Conditional;

impl PerCondition for Conditional {
    fn handler<const COND: u8>() -> Handler {
        conditional::<COND>
    }
}

fn link(core: &mut Core, op: &MicroOp) {
    core.regs.r[14] = op.pc.wrapping_add(u32::from(op.size)) | 1;
}

fn bl(core: &mut Core, op: &MicroOp) -> Step {
    link(core, op);
    jump(core, op.imm)
}

fn bx(core: &mut Core, op: &MicroOp) -> Step {
    let target = read(core, op.rm);
    interwork(core, target)
}

/// BX PC: the address is constant and even, so that the next instruction faults.
fn bx_pc(core: &mut Core, op: &MicroOp) -> Step {
    interwork(core, op.imm)
}

/// `BLXWritePC()`: as BX, but never a return from an exception.
fn blx(core: &mut Core, op: &MicroOp) -> Step {
    let target = read(core, op.rm);
    link(core, op);
    core.regs.thumb = target & 1 != 0;
    jump(core, target)
}

/// CBZ, and CBNZ if `NON_ZERO`.
fn compare_and_branch<const NON_ZERO: bool>(core: &mut Core, op: &MicroOp) -> Step {
    if (read(core, op.rn) != 0) == NON_ZERO {
        jump(core, op.imm)
    } else {
        Step::Next
    }
}

/// TBB, TBH: forward by twice the table's entry. With the PC as its base the table follows the instruction.
fn table<const SIZE: usize, const BASE_PC: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let base = if BASE_PC { pc(op) } else { read(core, op.rn) };
    let index = read(core, op.rm).wrapping_mul(SIZE as u32);
    let (entry, step) = core.load::<SIZE>(op, base.wrapping_add(index));
    if step == Step::Trap {
        return step;
    }
    let jump = jump(core, pc(op).wrapping_add(2 * entry));
    loaded(core, step, jump)
}

/// The value of the PC as an operand.
fn pc(op: &MicroOp) -> u32 {
    op.pc.wrapping_add(4)
}

fn mov_to_pc(core: &mut Core, op: &MicroOp) -> Step {
    let target = read(core, op.rm);
    jump(core, target)
}

fn add_to_pc(core: &mut Core, op: &MicroOp) -> Step {
    let target = pc(op).wrapping_add(read(core, op.rm));
    jump(core, target)
}

/// The handler of a branch, or of MOV and ADD to the PC; `None` for anything else.
pub(super) fn handler(insn: &Insn) -> Option<Handler> {
    Some(match insn.op {
        Op::B if insn.cond == Cond::Al => always,
        Op::B => for_condition::<Conditional>(insn.cond),
        Op::Bl => bl,
        Op::Bx if insn.rm == Reg::PC => bx_pc,
        Op::Bx => bx,
        Op::Blx => blx,
        Op::Cbz => compare_and_branch::<false>,
        Op::Cbnz => compare_and_branch::<true>,
        Op::Tbb => table_handler(insn.width, insn.rn == Reg::PC),
        Op::Mov if insn.rd == Reg::PC && insn.operand == Operand::Imm => always,
        Op::Mov if insn.rd == Reg::PC => mov_to_pc,
        Op::Add if insn.rd == Reg::PC => add_to_pc,
        _ => return None,
    })
}

fn table_handler(width: Width, base_pc: bool) -> Handler {
    match (width, base_pc) {
        (Width::Byte, false) => table::<1, false>,
        (Width::Byte, true) => table::<1, true>,
        (_, false) => table::<2, false>,
        (_, true) => table::<2, true>,
    }
}
