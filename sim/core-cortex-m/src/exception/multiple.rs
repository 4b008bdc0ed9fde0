//! LDM and STM that an exception interrupts, and that continue behind it (ARMv7-M ARM B1.5.10).
//!
//! The transfers that are done stay done. ICI, in the place of ITSTATE in the stacked xPSR, names the register to go on
//! with; the base keeps its value until the last transfer, so that the addresses can be worked out again. Where ICI
//! cannot serve the instruction starts again from its first transfer: in an IT block, which needs the place for itself,
//! and when the base is itself loaded.

use isa_thumb::{Index, Insn, Op, decode_at};

use crate::core::Core;
use crate::microop::{MicroOp, Step};

/// The register to go on with, if these bits of EPSR are ICI and not ITSTATE.
pub(crate) fn continuation(it: u8) -> Option<u8> {
    (it & 15 == 0 && it != 0).then_some(it >> 4)
}

/// LDM or STM, as far as its transfers are concerned.
struct Transfers {
    insn: Insn,
    /// Address of the lowest register.
    lowest: u32,
    /// What the base becomes.
    base: u32,
}

impl Transfers {
    /// `None` if the instruction is another one.
    fn of(core: &Core, op: &MicroOp) -> Option<Self> {
        let (first, second) = if op.size == 4 { (op.raw >> 16, Some(op.raw as u16)) } else { (op.raw, None) };
        let insn = decode_at(first as u16, second).ok().filter(|insn| matches!(insn.op, Op::Ldm | Op::Stm))?;
        let (base, length) = (core.regs.r[insn.rn.index()], 4 * insn.list.len());
        let (lowest, base) = match insn.index {
            Index::Pre => (base.wrapping_sub(length), base.wrapping_sub(length)),
            _ => (base, base.wrapping_add(length)),
        };
        Some(Transfers { insn, lowest, base })
    }

    /// Its registers, lowest first, each with its address.
    fn all(&self) -> impl Iterator<Item = (u8, u32)> + use<> {
        let (list, lowest) = (self.insn.list.0, self.lowest);
        let members = (0..16u8).filter(move |register| list >> register & 1 != 0);
        members.zip(0u32..).map(move |(register, place)| (register, lowest.wrapping_add(4 * place)))
    }

    /// Whether it can go on where it was interrupted.
    fn continues(&self, op: &MicroOp) -> bool {
        let loads_base = self.insn.op == Op::Ldm && self.insn.list.contains(self.insn.rn);
        op.it & 15 == 0 && !loads_base
    }
}

impl Core {
    /// Does only the first `done` transfers of LDM or STM `op` from where ICI (`it`) says, and gives ICI to stack; 0
    /// if the instruction must start again, and then nothing was done. The transfers are announced as those of the
    /// whole instruction are.
    pub(crate) fn interrupt_multiple(&mut self, op: &MicroOp, it: u8, done: usize) -> (u8, Step) {
        let Some(transfers) = Transfers::of(self, op).filter(|transfers| transfers.continues(op)) else {
            return (0, Step::Next);
        };
        let from = continuation(it).unwrap_or(0);
        let mut left = transfers.all().filter(|&(register, _)| register >= from);
        let mut step = Step::Next;
        for (register, address) in left.by_ref().take(done) {
            step = step.and(self.transfer(op, &transfers, register, address));
            if step == Step::Trap {
                return (it, step);
            }
        }
        // R0 is never the register to go on with: that is the beginning, which 0 says too.
        (left.next().map_or(0, |(register, _)| register << 4), step)
    }

    /// Does the transfers of LDM or STM `op` that are left from ICI on, and ends it; the PC, if it is in the list, is
    /// given and not yet jumped to. `None` if ICI stands before another instruction or names a register that is not in
    /// the list: INVSTATE.
    pub(crate) fn continue_multiple(&mut self, op: &MicroOp, ici: u8) -> Option<(Option<u32>, Step)> {
        let from = continuation(ici)?;
        let transfers = Transfers::of(self, op).filter(|transfers| transfers.insn.list.0 >> from & 1 != 0)?;
        let mut step = Step::Next;
        let mut target = None;
        for (register, address) in transfers.all().filter(|&(register, _)| register >= from) {
            if register == 15 {
                let (value, one) = self.load_aligned(op, address);
                (target, step) = (Some(value), step.and(one));
            } else {
                step = step.and(self.transfer(op, &transfers, register, address));
            }
            if step == Step::Trap {
                return Some((None, step));
            }
        }
        if transfers.insn.writeback {
            self.regs.r[transfers.insn.rn.index()] = transfers.base;
        }
        Some((target, step))
    }

    fn transfer(&mut self, op: &MicroOp, transfers: &Transfers, register: u8, address: u32) -> Step {
        let register = usize::from(register & 15);
        if transfers.insn.op == Op::Stm {
            return self.store_aligned(op, address, self.regs.r[register]);
        }
        let (value, step) = self.load_aligned(op, address);
        if step != Step::Trap {
            self.regs.r[register] = value;
        }
        step
    }
}
