//! An instruction within a run: unpacked operands, chosen handler, known cost.

use bus::{ExpectedLatency, ProfileId};
use isa_thumb::{Cond, DecodeError, Insn};

use crate::core::Core;
use crate::timing::ByOperands;

/// The result of an instruction's handler. [`Core`] has the details of rarer ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(crate) enum Step {
    /// Done, and nothing differed from the facts that the block's cost was worked out for.
    Next,
    /// Done, and [`Core::deviation`] holds what happened: it differs from what the block's cost assumes.
    Irregular,
    /// Done, with a jump: R15 holds the target. [`Core::deviation`] counts if the instruction also accessed memory.
    Branch,
    /// Done, and the engine must look at the core's state (masks, pending exceptions, system registers) before
    /// the next instruction. [`Core::deviation`] counts.
    Attention,
    /// [`Core::trap`] holds what happened; of a fault, nothing of the instruction was done.
    Trap,
}

impl Step {
    /// Combines the steps of an instruction's two parts: the one that asks for more wins.
    #[inline(always)]
    pub(crate) fn and(self, other: Step) -> Step {
        self.max(other)
    }
}

/// Executes one instruction.
pub(crate) type Handler = fn(&mut Core, &MicroOp) -> Step;

/// Turns instructions into micro-operations. Blocks know no handler; the engine hands them these functions.
pub(crate) struct Decoder {
    /// An instruction at an address, with this ITSTATE before it.
    pub lower: fn(&Insn, u32, u8) -> MicroOp,
    /// Picks the handler of a load that is expected to read a flash with wait states.
    pub expect_flash: fn(&mut MicroOp, &Insn),
    /// An encoding that is no instruction, by its address and size.
    pub lower_error: fn(u32, u32, u8, &DecodeError) -> MicroOp,
    /// An address without memory.
    pub lower_unmapped: fn(u32) -> MicroOp,
    /// The handler that continues an interrupted LDM or STM.
    pub resume: Handler,
}

/// A decoded instruction, ready to execute.
#[derive(Clone, Copy)]
pub(crate) struct MicroOp {
    /// The handler.
    pub exec: Handler,
    /// In an IT block: the handler if the condition holds; `exec` is then the check.
    pub inner: Handler,
    /// Immediate operand.
    pub imm: u32,
    /// The instruction's address.
    pub pc: u32,
    /// Encoding, as in [`isa_thumb::Insn::raw`].
    pub raw: u32,
    /// Cycles from the block's base until it starts, with nominal facts; the block sets it.
    pub start: i32,
    /// Cycles from its start to its (first) access on the data bus, with nominal facts; the block sets it.
    pub access: u8,
    /// Length in bytes.
    pub size: u8,
    /// ITSTATE before it.
    pub it: u8,
    /// ITSTATE after it; the block sets it.
    pub it_after: u8,
    /// Register numbers; 0xff for none.
    pub rd: u8,
    /// First operand or base.
    pub rn: u8,
    /// Second operand or index.
    pub rm: u8,
    /// Accumulator, high result, or second data register.
    pub ra: u8,
    /// Shift amount, width, rotation or mask.
    pub amount: u8,
    /// Condition (its own or its IT block's), as [`isa_thumb::Cond`].
    pub cond: u8,
    /// Needs the floating-point extension.
    pub uses_fp: bool,
    /// Writes the flags, here (IT block considered).
    pub sets_flags: bool,
    /// Carry of a rotated immediate: 0, 1, or 2 for "unchanged".
    pub imm_carry: u8,
    /// Which kind of memory its data access is expected to meet; see [`crate::access`].
    pub profile: ProfileId,
    /// Bit mask of a register list.
    pub list: u16,
    /// How its time follows from its operands.
    pub by_operands: ByOperands,
    /// Cycles that its operands are expected to decide.
    pub expected: u8,
    /// How a flash with wait states is expected to serve what it reads.
    pub reads: ExpectedLatency,
}

impl MicroOp {
    /// Whether it may be skipped.
    pub(crate) fn is_conditional(&self) -> bool {
        self.cond != Cond::Al as u8
    }

    /// The approximate address of its next access with these registers, sufficient to find the kind of memory.
    pub(crate) fn address(&self, registers: &[u32; 16]) -> u32 {
        let register = |n: u8| registers.get(usize::from(n)).copied().unwrap_or(0);
        let base = if self.rn == 15 { self.pc } else { register(self.rn) };
        let offset = if self.rm < 16 {
            register(self.rm) << (self.amount & 3)
        } else {
            self.imm
        };
        let literal = self.rn == 15 || self.rn >= 16;
        if literal { base } else { base.wrapping_add(offset) }
    }
}
