//! Interrupted LDM, STM, VLDM and VSTM, which continue after the exception (ARMv7-M ARM B1.5.10).
//!
//! Completed transfers stay complete. ICI, in the place of ITSTATE in the stacked xPSR, names the register to continue with. (For a
//! floating-point register it has half the number; this is an inference: the field has four bits, so that the even register of a pair may
//! be transferred again.) The base keeps its value until the last transfer, so that the addresses can be recomputed. Where ICI cannot be
//! used, the instruction restarts from its first transfer: in an IT block, which needs the field itself; when the base is also loaded; and
//! in PUSH and VPUSH, whose first words the exception's frame overwrites, because SP has not moved yet (an inference: the manuals do not
//! say how silicon keeps them). ARMv6-M has no ICI: LDM and STM always restart there.

use bus::ProfileId;
use isa_thumb::{Index, Insn, Op, Reg};

use super::register_list::{RegisterList, continuation};

use crate::core::{Core, Trap};
use crate::cores::CoreKind;
use crate::exec::{fp_may_go_on, load_to_pc};
use crate::fault::Fault;
use crate::microop::{MicroOp, Step};

/// The handler of an instruction that ICI stands before: LDM or STM goes on; before any other one, or with a register
/// that it does not transfer, ICI is not a valid state (ARMv7-M ARM B1.4.2).
pub(crate) fn resume(core: &mut Core, op: &MicroOp) -> Step {
    let from = continuation(op.it).unwrap_or(0);
    let transfers = MultipleTransfer::of(core, op).filter(|transfers| transfers.registers.includes(from));
    let Some(transfers) = transfers else {
        core.trap = Trap::Fault(Fault::InvState);
        return Step::Trap;
    };
    if op.uses_fp && !fp_may_go_on(core) {
        return Step::Trap;
    }
    core.continue_multiple(op, &transfers, from)
}

/// LDM or STM, as far as its transfers are concerned.
struct MultipleTransfer {
    insn: Insn,
    registers: RegisterList,
    /// Address of the lowest register.
    lowest: u32,
    /// The final value of the base.
    base: u32,
}

impl MultipleTransfer {
    /// `None` if the instruction is another one.
    fn of(core: &Core, op: &MicroOp) -> Option<Self> {
        let (first, second) = if op.size == 4 {
            (op.raw >> 16, Some(op.raw as u16))
        } else {
            (op.raw, None)
        };
        let isa = core.config.core.isa;
        let insn = isa
            .decode_at(first as u16, second)
            .ok()
            .filter(|insn| matches!(insn.op, Op::Ldm | Op::Stm | Op::Vldm | Op::Vstm))?;
        let registers = RegisterList::of(&insn);
        let (base, length) = (core.regs.r[insn.rn.index()], 4 * registers.all().count() as u32);
        let (lowest, base) = match insn.index {
            Index::Pre => (base.wrapping_sub(length), base.wrapping_sub(length)),
            _ => (base, base.wrapping_add(length)),
        };
        Some(MultipleTransfer {
            insn,
            registers,
            lowest,
            base,
        })
    }

    /// The registers that are left, lowest first, each with its address.
    fn left(&self, from: u8) -> impl Iterator<Item = (u8, u32)> + use<> {
        let (registers, lowest) = (self.registers, self.lowest);
        let all = registers.all().zip(0u32..);
        all.filter(move |&(register, _)| registers.name(register) >= from)
            .map(move |(register, place)| (register, lowest.wrapping_add(4 * place)))
    }

    /// Whether it can go on where it was interrupted.
    fn continues(&self, op: &MicroOp, core: CoreKind) -> bool {
        let insn = &self.insn;
        let loads_base = insn.op == Op::Ldm && insn.list.contains(insn.rn);
        let stores = matches!(insn.op, Op::Stm | Op::Vstm);
        let pushes = stores && insn.rn == Reg::SP && insn.index == Index::Pre;
        op.it & 15 == 0 && !loads_base && !pushes && core.architecture.continues_multiples
    }
}

impl Core {
    /// Does only the next `done` transfers of LDM or STM `op`, and gives what to stack in the place of ITSTATE: ICI, or
    /// what is there now if the instruction must start again; then nothing was done.
    pub(crate) fn interrupt_multiple(&mut self, op: &MicroOp, done: usize) -> (u8, Step) {
        let core = self.config.core;
        let continues = |transfers: &MultipleTransfer| transfers.continues(op, core);
        let Some(transfers) = MultipleTransfer::of(self, op).filter(continues) else {
            return (op.it, Step::Next);
        };
        let from = continuation(op.it).unwrap_or(0);
        let mut left = transfers.left(from);
        let mut step = Step::Next;
        for (register, address) in left.by_ref().take(done) {
            step = step.and(self.transfer(op, &transfers, register, address));
            if step == Step::Trap {
                return (op.it, step);
            }
        }
        let next = left
            .next()
            .map_or(0, |(register, _)| transfers.registers.name(register));
        // The first register is never the one to go on with: that is the beginning, which 0 says too.
        (next << 4, step)
    }

    /// The kind of memory where the next transfer of LDM or STM `op` goes.
    pub(crate) fn memory_of_multiple(&self, op: &MicroOp) -> ProfileId {
        let from = continuation(op.it).unwrap_or(0);
        let next = MultipleTransfer::of(self, op).and_then(|transfers| transfers.left(from).next());
        next.and_then(|(_, address)| self.bus.profile_at(address))
            .unwrap_or_default()
    }

    /// Does the transfers that are left from register `from` on, and ends the instruction.
    fn continue_multiple(&mut self, op: &MicroOp, transfers: &MultipleTransfer, from: u8) -> Step {
        let mut step = Step::Next;
        let mut target = None;
        for (register, address) in transfers.left(from) {
            let to_pc = register == 15 && matches!(transfers.registers, RegisterList::Core(_));
            let one = if to_pc {
                let (value, one) = self.load_aligned(op, address);
                target = Some(value);
                one
            } else {
                self.transfer(op, transfers, register, address)
            };
            if one == Step::Trap {
                return one;
            }
            step = step.and(one);
        }
        if transfers.insn.writeback {
            self.regs.r[transfers.insn.rn.index()] = transfers.base;
        }
        target.map_or(step, |target| load_to_pc(self, step, target))
    }

    fn transfer(&mut self, op: &MicroOp, transfers: &MultipleTransfer, register: u8, address: u32) -> Step {
        let registers = transfers.registers;
        if matches!(transfers.insn.op, Op::Stm | Op::Vstm) {
            let value = *self.register(registers, register);
            return self.store_aligned(op, address, value);
        }
        let (value, step) = self.load_aligned(op, address);
        if step != Step::Trap {
            *self.register(registers, register) = value;
        }
        step
    }

    fn register(&mut self, of: RegisterList, register: u8) -> &mut u32 {
        match of {
            RegisterList::Core(_) => &mut self.regs.r[usize::from(register & 15)],
            RegisterList::Float { .. } => &mut self.regs.s[usize::from(register & 31)],
        }
    }
}
