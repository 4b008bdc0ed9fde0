//! Multiplication and division (ARMv7-M ARM A5.3.16, A5.3.17).

use isa_thumb::Op;

use super::operand::{fault, read, write};
use crate::core::Core;
use crate::fault::Fault;
use crate::microop::{Handler, MicroOp, Step};
use crate::timing::{self, ByOperands};

fn mul<const FLAGS: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let result = read(core, op.rn).wrapping_mul(read(core, op.rm));
    if FLAGS {
        core.regs.flags.set_nz(result);
    }
    write(core, op.rd, result);
    Step::Next
}

fn mla(core: &mut Core, op: &MicroOp) -> Step {
    let product = read(core, op.rn).wrapping_mul(read(core, op.rm));
    write(core, op.rd, read(core, op.ra).wrapping_add(product));
    Step::Next
}

fn mls(core: &mut Core, op: &MicroOp) -> Step {
    let product = read(core, op.rn).wrapping_mul(read(core, op.rm));
    write(core, op.rd, read(core, op.ra).wrapping_sub(product));
    Step::Next
}

/// ra:rd ← rn × rm, added to what ra:rd held if `ACCUMULATE`.
fn long<const SIGNED: bool, const ACCUMULATE: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let (n, m) = (read(core, op.rn), read(core, op.rm));
    let product = if SIGNED {
        (i64::from(n as i32) * i64::from(m as i32)) as u64
    } else {
        u64::from(n) * u64::from(m)
    };
    let addend = if ACCUMULATE {
        u64::from(read(core, op.ra)) << 32 | u64::from(read(core, op.rd))
    } else {
        0
    };
    let result = product.wrapping_add(addend);
    write(core, op.rd, result as u32);
    write(core, op.ra, (result >> 32) as u32);
    if op.by_operands == ByOperands::Not {
        return Step::Next;
    }
    let cycles = timing::long_multiply(ACCUMULATE, SIGNED, [n, m]) as u8;
    decided(core, op, [n, m], cycles)
}

/// rd ← rn / rm, rounded towards zero. A division by zero faults if `CCR.DIV_0_TRP` is set, else gives zero.
fn divide<const SIGNED: bool>(core: &mut Core, op: &MicroOp) -> Step {
    let (dividend, divisor) = (read(core, op.rn), read(core, op.rm));
    if divisor == 0 && core.sys.traps_divide_by_zero() {
        return fault(core, Fault::DivByZero);
    }
    let quotient = match (divisor, SIGNED) {
        (0, _) => 0,
        (_, true) => (dividend as i32).wrapping_div(divisor as i32) as u32,
        (_, false) => dividend / divisor,
    };
    let step = by_operands(core, op, [dividend, divisor]);
    if step != Step::Next {
        core.deviation.replaced = Some(read(core, op.rd));
    }
    write(core, op.rd, quotient);
    step
}

/// Says with what operands an instruction was executed, where its time may depend on them. On the fast path only if that is
/// not the time that its run expects: nothing is due then that could meet it half done.
#[inline(always)]
fn by_operands(core: &mut Core, op: &MicroOp, operands: [u32; 2]) -> Step {
    if op.by_operands == ByOperands::Not {
        return Step::Next;
    }
    decided(core, op, operands, op.by_operands.cycles(operands))
}

/// Notes the operands of an instruction that takes this number of cycles for them.
#[inline(always)]
fn decided(core: &mut Core, op: &MicroOp, operands: [u32; 2], cycles: u8) -> Step {
    if core.in_fast_path && cycles == op.expected {
        return Step::Next;
    }
    (core.deviation.operands, core.deviation.cycles) = (Some(operands), cycles);
    Step::Irregular
}

/// The handler of a multiplication or division, or `None` if `op` is neither.
pub(super) fn handler(op: Op, sets_flags: bool) -> Option<Handler> {
    Some(match op {
        Op::Mul if sets_flags => mul::<true>,
        Op::Mul => mul::<false>,
        Op::Mla => mla,
        Op::Mls => mls,
        Op::Umull => long::<false, false>,
        Op::Smull => long::<true, false>,
        Op::Umlal => long::<false, true>,
        Op::Smlal => long::<true, true>,
        Op::Sdiv => divide::<true>,
        Op::Udiv => divide::<false>,
        _ => return None,
    })
}
