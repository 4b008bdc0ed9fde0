//! Register operands, and the ends of instructions that the engine must handle.

use crate::core::{Core, Trap};
use crate::fault::Fault;
use crate::microop::Step;

/// Register `n`; "no operand" (0xff) reads as the unused R15, which costs no check.
#[inline(always)]
pub(super) fn read(core: &Core, n: u8) -> u32 {
    core.regs.r[usize::from(n & 15)]
}

#[inline(always)]
pub(super) fn write(core: &mut Core, n: u8, value: u32) {
    core.regs.r[usize::from(n & 15)] = value;
}

/// Ends an instruction with something that the engine must handle.
#[cold]
pub(super) fn trap(core: &mut Core, trap: Trap) -> Step {
    core.trap = trap;
    Step::Trap
}

#[cold]
pub(super) fn fault(core: &mut Core, fault: Fault) -> Step {
    trap(core, Trap::Fault(fault))
}
