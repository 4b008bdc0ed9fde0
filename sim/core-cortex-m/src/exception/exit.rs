//! Leaving an exception: integrity checks, and the frame back into the registers.

use super::Stuck;
use super::entry::{FRAME_WORDS, frame_words};
use super::extended::FpFrame;
use crate::access::Refused;
use crate::core::Core;
use crate::cores::{BASIC_FRAME, ExcReturn};
use crate::fault::{Fault, NotModelled};
use crate::regs::{Mode, xpsr_bits};
use crate::sys::exceptions::number;
use crate::sys::scb::ccr;

impl Core {
    /// First half of an exception return by the instruction at `pc`: the exception ends, and LR holds EXC_RETURN, as
    /// a tail-chained handler finds it (ARMv7-M ARM B1.5.8). A return that is not consistent makes UsageFault
    /// (INVPC), or HardFault for it, pending; [`Core::pending_exception`] then finds that, and not the frame but that
    /// handler comes next.
    ///
    /// # Errors
    /// Lock-up, if that fault cannot be taken; an EXC_RETURN that the architecture leaves open.
    pub(crate) fn begin_return(&mut self, exc_return: u32, pc: u32) -> Result<(), Stuck> {
        let free = if self.sys.fp.is_present() { 0x1f } else { 0xf };
        if exc_return | free != u32::MAX {
            let why = "EXC_RETURN with a 0 between bits 4 (5 with floating point) and 27";
            return Err(Stuck::NotModelled(Box::new(NotModelled::Unpredictable {
                raw: exc_return,
                why,
            })));
        }
        let number = self.regs.ipsr;
        let consistent = self.sys.exceptions.is_active(number) && self.may_return_to(exc_return);
        self.sys.exceptions.deactivate(number);
        if number != number::NMI {
            self.regs.faultmask = false;
        }
        self.regs.r[14] = exc_return;
        if !consistent {
            self.raise(Fault::InvPc, pc)?;
        }
        Ok(())
    }

    /// Second half of an exception return: the frame becomes the state of the core. False if that failed; then a fault
    /// is pending, and its handler comes next, tail-chained, with the frame still on the stack.
    ///
    /// # Errors
    /// Lock-up, if that fault cannot be taken; a stack where the board describes nothing.
    pub(crate) fn unstack(&mut self, exc_return: u32, pc: u32) -> Result<bool, Stuck> {
        let fault = match self.read_frame(exc_return) {
            Ok(frame) if self.is_consistent(exc_return, frame.basic[7]) => {
                self.restore(exc_return, &frame);
                return Ok(true);
            }
            Ok(_) => Fault::InvPc,
            Err(Refused::NotModelled(what)) => return Err(Stuck::NotModelled(what)),
            Err(Refused::Fault(Fault::NoCp)) => Fault::NoCp,
            Err(Refused::Fault(Fault::DataAccess(_))) => Fault::UnstackingAccess,
            Err(Refused::Fault(_)) => Fault::UnstackingBus,
        };
        self.raise(fault, pc)?;
        Ok(false)
    }

    /// Whether the core goes to sleep after the return that just ended: SCR.SLEEPONEXIT, and no exception is left.
    pub(crate) fn sleeps_on_exit(&self) -> bool {
        let base = self.regs.mode() == Mode::Thread && self.sys.exceptions.active_count() == 0;
        base && self.sys.sleeps_on_exit()
    }

    /// The values of EXC_RETURN.
    pub(super) fn returns(&self) -> &'static ExcReturn {
        &self.config.core.architecture.exc_return
    }

    /// Whether the stacked exception number agrees with the mode that EXC_RETURN names.
    fn is_consistent(&self, exc_return: u32, psr: u32) -> bool {
        self.returns().is_to_handler(exc_return) == (psr & 0x1ff != 0)
    }

    /// Whether EXC_RETURN fits how many exceptions are active, before this one ends.
    fn may_return_to(&self, exc_return: u32) -> bool {
        let returns = self.returns();
        let to_thread =
            || self.sys.exceptions.active_count() == 1 || self.sys.scb.ccr & ccr::NONBASETHRDENA != 0;
        returns.is_to_handler(exc_return) || returns.is_to_thread(exc_return) && to_thread()
    }

    /// The frame, read with the rights of the code that is returned to.
    fn read_frame(&mut self, exc_return: u32) -> Result<ExceptionFrame, Refused> {
        let sp = self.frame_pointer(exc_return);
        let privileged = self.returns().is_to_handler(exc_return) || !self.regs.unprivileged;
        let mut basic = [0; FRAME_WORDS as usize];
        for (value, word) in basic.iter_mut().zip(0..) {
            *value = self.hardware_read(sp.wrapping_add(4 * word), Some(privileged))?;
        }
        let fp = if is_extended(exc_return) {
            self.read_fp_frame(sp, privileged)?
        } else {
            None
        };
        Ok(ExceptionFrame { basic, fp })
    }

    fn frame_pointer(&self, exc_return: u32) -> u32 {
        let (main, process) = self.regs.stack_pointers();
        if self.returns().is_to_process_stack(exc_return) {
            process
        } else {
            main
        }
    }

    fn restore(&mut self, exc_return: u32, frame: &ExceptionFrame) {
        let [r0, r1, r2, r3, r12, lr, pc, psr] = frame.basic;
        let extended = is_extended(exc_return);
        let padding = if self.aligns_stack(extended) {
            psr >> 7 & 4
        } else {
            0
        };
        let sp = self
            .frame_pointer(exc_return)
            .wrapping_add(4 * frame_words(extended))
            | padding;
        self.restore_fp(extended, frame.fp);
        let psr = psr & xpsr_bits(self.config.core.isa);
        let to_process_stack = self.returns().is_to_process_stack(exc_return);
        let regs = &mut self.regs;
        regs.r[..4].copy_from_slice(&[r0, r1, r2, r3]);
        (regs.r[12], regs.r[14], regs.r[15]) = (r12, lr, pc & !1);
        self.switch_stack(|regs| {
            regs.set_xpsr(psr);
            regs.process_stack = to_process_stack;
        });
        self.regs.r[13] = sp;
        (self.exclusive, self.event) = (None, true);
    }
}

/// A frame read from a stack.
struct ExceptionFrame {
    basic: [u32; FRAME_WORDS as usize],
    fp: Option<FpFrame>,
}

pub(super) fn is_extended(exc_return: u32) -> bool {
    exc_return & BASIC_FRAME == 0
}
