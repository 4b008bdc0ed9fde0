//! Traps as the program takes them.

use events::Exception;

use super::{PendingSwitch, Program};
use crate::config::Timing;
use crate::engine::Stop;
use crate::engine::handling::ExceptionRecord;
use crate::trap::{Cause, Trap};

impl Program {
    /// A trap or an interrupt leads where the core stands now. Gives that.
    pub(super) fn entered(&mut self, exception: Exception, return_address: u32) -> u32 {
        let (to, sp) = (self.core.pc, self.core.regs[2]);
        self.switched(PendingSwitch {
            cycle: self.now,
            exception,
            to,
            entry: Some(return_address),
            sp,
            switches: None,
        });
        self.under.handling.enter(exception, sp);
        to
    }

    /// Puts the trap that was taken on record.
    pub(super) fn record_trap(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.take(self.now, &self.core);
        }
    }

    /// Takes a trap. Gives where that leads.
    pub(super) fn take(&mut self, trap: Trap) -> u32 {
        let pc = self.core.pc;
        let regs = self.core.regs;
        let counts = self.core.config.timing == Some(Timing::Ibex) && trap.cause == Cause::IllegalInstruction;
        if counts && self.core.config.quirks().counts_illegal(trap.value) {
            self.core.csrs.count_instructions(1);
        }
        self.core.enter_exception(trap);
        if let Some(misplaced) = self.misplaced.take() {
            self.core.csrs.mepc = misplaced;
        }
        if !self.core.config.halts {
            self.record_trap();
        }
        let forever = self.core.pc == pc;
        if forever {
            self.under.traps_forever = true;
            self.stop = Some(Stop::Forever);
        }
        // A requested exception is no mistake, unless it leads nowhere.
        if forever || !trap.is_call() {
            let cycle = self.now;
            self.under.handling.meet(ExceptionRecord {
                cycle,
                trap,
                pc,
                regs,
            });
        }
        if self.core.config.halts {
            return pc;
        }
        self.entered(trap.cause.into(), pc)
    }
}
