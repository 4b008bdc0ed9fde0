//! Execution of a single instruction without timing.
//!
//! The engine executes runs; this executes only the instruction at R15. No cycle passes, no interrupt is taken, and no state is cached
//! between calls. It shares decoding, [`lower`] and the handlers with the engine, so that instructions can be compared with other
//! implementations of the architecture.

use isa_thumb::{DecodeError, Insn, is_wide};

use super::{lower, lower_error, lower_unmapped};
use crate::core::{Core, Trap};
use crate::fault::{Fault, NotModelled};
use crate::microop::{MicroOp, Step};
use crate::state::Deviation;

/// The outcome of one instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// It was executed. R15 and ITSTATE are those of the next instruction.
    Done,
    /// The condition of its IT block did not hold. R15 and ITSTATE are those of the next instruction.
    Skipped,
    /// It faulted, without effect.
    Fault(Fault),
    /// SVC.
    SupervisorCall,
    /// BKPT with this immediate.
    Breakpoint(u8),
    /// In handler mode it branched to this `EXC_RETURN` value.
    ExceptionReturn(u32),
    /// WFI, or WFE without an event.
    Wait,
    /// The instruction or its access is not modelled.
    NotModelled(Box<NotModelled>),
}

impl Core {
    /// Executes the instruction at R15 for its effect alone. After anything but [`Effect::Done`] and
    /// [`Effect::Skipped`] R15 and ITSTATE are still its own.
    pub fn execute_alone(&mut self) -> Effect {
        if !self.regs.thumb {
            return Effect::Fault(Fault::InvState);
        }
        let (pc, it) = (self.regs.r[15], self.regs.it);
        let op = match self.fetch(pc, it) {
            Ok(op) => MicroOp {
                profile: self.bus.profile_at(self.regs.r[13]).unwrap_or_default(),
                ..op
            },
            Err(effect) => return effect,
        };
        self.deviation = Deviation::default();
        let step = (op.exec)(self, &op);
        let jumped = step == Step::Branch || self.deviation.taken;
        match step {
            Step::Trap => return Effect::of(std::mem::replace(&mut self.trap, Trap::None)),
            _ if jumped => self.regs.it = 0,
            _ => (self.regs.r[15], self.regs.it) = (pc.wrapping_add(u32::from(op.size)), op.it_after),
        }
        if self.deviation.skipped {
            Effect::Skipped
        } else {
            Effect::Done
        }
    }

    /// The instruction at `pc`.
    fn fetch(&self, pc: u32, it: u8) -> Result<MicroOp, Effect> {
        self.may_fetch(pc).map_err(Effect::Fault)?;
        let Some(first) = self.bus.peek_halfword(pc) else {
            return Ok(lower_unmapped(pc));
        };
        let isa = self.config.core.isa;
        if !is_wide(first) {
            let decoded = isa.decode_at(first, None);
            return Ok(lowered(decoded, u32::from(first), pc, it));
        }
        let behind = pc.wrapping_add(2);
        self.may_fetch(behind).map_err(Effect::Fault)?;
        let second = self.bus.peek_halfword(behind);
        let raw = u32::from(first) << 16 | u32::from(second.unwrap_or(0));
        Ok(lowered(isa.decode_at(first, second), raw, pc, it))
    }
}

fn lowered(decoded: Result<Insn, DecodeError>, raw: u32, pc: u32, it: u8) -> MicroOp {
    let size = if is_wide((raw >> 16) as u16) { 4 } else { 2 };
    decoded.map_or_else(
        |error| lower_error(raw, pc, size, &error),
        |insn| lower(&insn, pc, it),
    )
}

impl Effect {
    fn of(trap: Trap) -> Self {
        match trap {
            // Only the fast path asks for the careful one, and an instruction by itself is not on it.
            Trap::None | Trap::Expect(_) | Trap::SlowPath => Effect::Done,
            Trap::Fault(fault) => Effect::Fault(fault),
            Trap::Svc => Effect::SupervisorCall,
            Trap::Bkpt(immediate) => Effect::Breakpoint(immediate),
            Trap::ExceptionReturn(value) => Effect::ExceptionReturn(value),
            Trap::WaitForInterrupt | Trap::WaitForEvent => Effect::Wait,
            Trap::NotModelled(what) => Effect::NotModelled(what),
        }
    }
}
