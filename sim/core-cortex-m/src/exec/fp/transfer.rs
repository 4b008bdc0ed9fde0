//! Floating-point registers to and from core registers, memory and FPSCR.

use super::{ready, s, set_s};
use crate::core::Core;
use crate::exec::operand::{read, write};
use crate::fp::Fpscr;
use crate::microop::{MicroOp, Step};

/// VMOV sd, #imm.
pub(super) fn constant(core: &mut Core, op: &MicroOp) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    set_s(core, op.rd, op.imm);
    Step::Next
}

/// VMOV sn, rt: `rd` is a register of the extension.
pub(super) fn from_core(core: &mut Core, op: &MicroOp) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    set_s(core, op.rd, read(core, op.rn));
    Step::Next
}

/// VMOV rt, sn: `rn` is a register of the extension.
pub(super) fn to_core(core: &mut Core, op: &MicroOp) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    write(core, op.rd, s(core, op.rn));
    Step::Next
}

/// VMOV sm, sm1, rt, rt2, and its double-precision form: `rd` and the next register are of the extension.
pub(super) fn two_from_core(core: &mut Core, op: &MicroOp) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    set_s(core, op.rd, read(core, op.rn));
    set_s(core, op.rd + 1, read(core, op.rm));
    Step::Next
}

/// VMOV rt, rt2, sm, sm1: `rn` and the next register are of the extension.
pub(super) fn two_to_core(core: &mut Core, op: &MicroOp) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    write(core, op.rd, s(core, op.rn));
    write(core, op.ra, s(core, op.rn + 1));
    Step::Next
}

/// VMRS rt, FPSCR.
pub(super) fn status_to_core(core: &mut Core, op: &MicroOp) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    write(core, op.rd, core.regs.fpscr.bits());
    Step::Next
}

/// `VMRS APSR_nzcv, FPSCR`.
pub(super) fn status_to_flags(core: &mut Core, _: &MicroOp) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    core.regs.flags = core.regs.fpscr.over(core.regs.flags);
    Step::Next
}

/// VMSR FPSCR, rt.
pub(super) fn status_from_core(core: &mut Core, op: &MicroOp) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    core.regs.fpscr = Fpscr::from_bits(read(core, op.rn));
    Step::Next
}

/// The address of VLDR or VSTR; a literal's is known.
#[inline(always)]
fn address<const LITERAL: bool>(core: &Core, op: &MicroOp) -> u32 {
    if LITERAL {
        op.imm
    } else {
        read(core, op.rn).wrapping_add(op.imm)
    }
}

/// VLDR of one word, or of two into a double-precision register.
pub(super) fn load<const WORDS: u32, const LITERAL: bool>(core: &mut Core, op: &MicroOp) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    let address = address::<LITERAL>(core, op);
    let (first, step) = core.load_aligned(op, address);
    if step == Step::Trap {
        return step;
    }
    if WORDS == 1 {
        set_s(core, op.rd, first);
        return step;
    }
    let (second, behind) = core.load_aligned(op, address.wrapping_add(4));
    if behind == Step::Trap {
        return behind;
    }
    set_s(core, op.rd, first);
    set_s(core, op.rd + 1, second);
    step.and(behind)
}

/// VSTR.
pub(super) fn store<const WORDS: u32>(core: &mut Core, op: &MicroOp) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    let address = address::<false>(core, op);
    let step = core.store_aligned(op, address, s(core, op.rd));
    if WORDS == 1 || step == Step::Trap {
        return step;
    }
    step.and(core.store_aligned(op, address.wrapping_add(4), s(core, op.rd + 1)))
}

/// The lowest address of VLDM or VSTM of `list` words in `imm` bytes, and what the base becomes.
#[inline(always)]
fn extent<const DOWN: bool>(core: &Core, op: &MicroOp) -> (u32, u32) {
    let (base, length) = (read(core, op.rn), op.imm);
    if DOWN {
        let lowest = base.wrapping_sub(length);
        (lowest, lowest)
    } else {
        (base, base.wrapping_add(length))
    }
}

/// VLDM, VPOP: of a fault, nothing was done.
pub(super) fn load_multiple<const DOWN: bool, const WRITE_BACK: bool>(core: &mut Core, op: &MicroOp) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    let (lowest, base) = extent::<DOWN>(core, op);
    let (mut values, mut step) = ([0; 32], Step::Next);
    let values = &mut values[..usize::from(op.list & 63).min(32)];
    for (value, word) in values.iter_mut().zip(0..) {
        let (loaded, one) = core.load_aligned(op, lowest.wrapping_add(4 * word));
        if one == Step::Trap {
            return one;
        }
        *value = loaded;
        step = step.and(one);
    }
    if WRITE_BACK {
        write(core, op.rn, base);
    }
    for (&mut value, register) in values.iter_mut().zip(op.rd..) {
        set_s(core, register, value);
    }
    step
}

/// VSTM, VPUSH: of a fault, the base stayed.
pub(super) fn store_multiple<const DOWN: bool, const WRITE_BACK: bool>(
    core: &mut Core,
    op: &MicroOp,
) -> Step {
    if ready(core) == Step::Trap {
        return Step::Trap;
    }
    let (lowest, base) = extent::<DOWN>(core, op);
    let mut step = Step::Next;
    for word in 0..op.list as u8 {
        let address = lowest.wrapping_add(4 * u32::from(word));
        let one = core.store_aligned(op, address, s(core, op.rd + word));
        if one == Step::Trap {
            return one;
        }
        step = step.and(one);
    }
    if WRITE_BACK {
        write(core, op.rn, base);
    }
    step
}
