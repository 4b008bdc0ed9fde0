//! From a fault to the exception that answers it: status registers, escalation, lock-up.

use super::Stuck;
use crate::core::Core;
use crate::fault::{Fault, FaultRecord};
use crate::sys::exceptions::number;
use crate::sys::scb::{ccr, status};
use events::Exception;

/// How many faults a crash report can look back on.
const REMEMBERED: usize = 16;

/// A fault's own exception and its bits in CFSR.
fn describe(fault: Fault) -> (u16, u32) {
    use number::{BUS_FAULT, HARD_FAULT, MEM_MANAGE, USAGE_FAULT};
    match fault {
        Fault::UndefInstr => (USAGE_FAULT, status::UNDEFINSTR),
        Fault::InvState => (USAGE_FAULT, status::INVSTATE),
        Fault::InvPc => (USAGE_FAULT, status::INVPC),
        Fault::NoCp => (USAGE_FAULT, status::NOCP),
        Fault::Unaligned(_) => (USAGE_FAULT, status::UNALIGNED),
        Fault::DivByZero => (USAGE_FAULT, status::DIVBYZERO),
        Fault::InstructionBus => (BUS_FAULT, status::IBUSERR),
        Fault::DataBus(_) => (BUS_FAULT, status::PRECISERR | status::BFARVALID),
        Fault::ImpreciseBus => (BUS_FAULT, status::IMPRECISERR),
        Fault::StackingBus => (BUS_FAULT, status::STKERR),
        Fault::UnstackingBus => (BUS_FAULT, status::UNSTKERR),
        Fault::InstructionAccess => (MEM_MANAGE, status::IACCVIOL),
        Fault::DataAccess(_) => (MEM_MANAGE, status::DACCVIOL | status::MMARVALID),
        Fault::StackingAccess => (MEM_MANAGE, status::MSTKERR),
        Fault::UnstackingAccess => (MEM_MANAGE, status::MUNSTKERR),
        Fault::PreservingBus => (BUS_FAULT, status::LSPERR),
        Fault::PreservingAccess => (MEM_MANAGE, status::MLSPERR),
        Fault::VectorRead => (HARD_FAULT, 0),
        Fault::DebugEvent => (number::DEBUG_MONITOR, 0),
        Fault::SupervisorCall => (number::SV_CALL, 0),
    }
}

impl Core {
    /// A synchronous fault of the instruction at `pc`: sets the fault status and makes pending the exception that
    /// answers it, its own or HardFault. Gives that exception's number; the return address is `pc`.
    ///
    /// # Errors
    /// Lock-up, if the priority lets not even HardFault in.
    pub(crate) fn raise(&mut self, fault: Fault, pc: u32) -> Result<u16, Stuck> {
        self.note_fault_status(fault);
        let answer = self.answer_to(describe(fault).0);
        self.remember(fault, pc, answer.unwrap_or(number::HARD_FAULT));
        if answer == Some(number::HARD_FAULT) {
            self.note_hard_fault(match fault {
                Fault::VectorRead => status::VECTTBL,
                Fault::DebugEvent => status::DEBUGEVT,
                _ => status::FORCED,
            });
        }
        let answer = answer.ok_or(Stuck::Lockup(fault))?;
        self.sys.exceptions.pend(answer);
        Ok(answer)
    }

    /// SVC at `pc`: makes SVCall pending, or HardFault if SVCall's priority does not suffice. The return address is that after the SVC in
    /// the first case, and that of the SVC in the second.
    ///
    /// # Errors
    /// Lock-up, as [`Core::raise`].
    pub(crate) fn supervisor_call(&mut self, pc: u32) -> Result<u16, Stuck> {
        match self.answer_to(number::SV_CALL) {
            Some(number::SV_CALL) => {
                self.sys.exceptions.pend(number::SV_CALL);
                Ok(number::SV_CALL)
            }
            _ => self.raise(Fault::SupervisorCall, pc),
        }
    }

    /// A store of the instruction at `pc` failed after the core had gone on. BusFault becomes pending and is taken
    /// when its priority suffices; if it is disabled, HardFault is.
    /// The store was on the bus in this cycle: the core's own may be that of the beginning of its run.
    pub(crate) fn pend_imprecise_bus_fault(&mut self, pc: u32, cycle: u64) {
        self.raise_waiting(Fault::ImpreciseBus, pc);
        if let Some(record) = self.faults.last_mut() {
            record.cycle = cycle;
        }
    }

    /// Raises a fault that does not belong to an instruction: it may wait until its priority suffices. A stacking error on entry is one
    /// (ARMv7-M ARM B1.5.11, derived exceptions): its handler goes before that of the exception being entered if it is more urgent, and
    /// otherwise after it.
    pub(super) fn raise_waiting(&mut self, fault: Fault, pc: u32) {
        let own = describe(fault).0;
        let enabled = self.sys.exceptions.is_enabled(own);
        self.raise_as(fault, pc, if enabled { own } else { number::HARD_FAULT });
    }

    /// Makes pending the exception that answers a fault, its own or HardFault.
    pub(super) fn raise_as(&mut self, fault: Fault, pc: u32, answer: u16) {
        self.note_fault_status(fault);
        if answer == number::HARD_FAULT {
            self.note_hard_fault(status::FORCED);
        }
        self.remember(fault, pc, answer);
        self.sys.exceptions.pend(answer);
    }

    /// Sets bits of HFSR, which ARMv6-M has not.
    fn note_hard_fault(&mut self, bits: u32) {
        if self.config.core.architecture.has_fault_status {
            self.sys.scb.hfsr |= bits;
        }
    }

    /// Sets the bits of CFSR or DFSR and the fault address that belong to a fault; ARMv6-M has no such registers.
    pub(crate) fn note_fault_status(&mut self, fault: Fault) {
        if !self.config.core.architecture.has_fault_status {
            return;
        }
        let scb = &mut self.sys.scb;
        scb.cfsr |= describe(fault).1;
        match fault {
            Fault::DataBus(address) => scb.bfar = address,
            Fault::DataAccess(address) => scb.mmfar = address,
            Fault::DebugEvent => scb.dfsr |= status::BKPT,
            _ => {}
        }
    }

    /// CCR.BFHFNMIGN: code at a priority below 0 ignores bus faults of its loads and stores.
    pub(crate) fn ignores_bus_faults(&self) -> bool {
        self.sys.scb.ccr & ccr::BFHFNMIGN != 0 && self.execution_priority() < 0
    }

    /// The exception that can be taken now for a synchronous exception: itself, HardFault, or none.
    fn answer_to(&self, number: u16) -> Option<u16> {
        let exceptions = &self.sys.exceptions;
        let now = self.execution_priority();
        let fits = |number: u16| exceptions.group(exceptions.priority(number)) < now;
        [number, number::HARD_FAULT]
            .into_iter()
            .find(|&number| exceptions.is_enabled(number) && fits(number))
    }

    fn remember(&mut self, fault: Fault, pc: u32, taken_as: u16) {
        if self.faults.len() == REMEMBERED {
            self.faults.remove(0);
        }
        self.faults.push(FaultRecord {
            fault,
            pc,
            cycle: self.cycle,
            taken_as: Exception::of_number(taken_as),
        });
    }
}
