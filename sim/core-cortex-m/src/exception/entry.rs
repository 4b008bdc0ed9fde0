//! Entering an exception: the frame, the vector, the handler's state.

use super::Stuck;
use super::extended::EXTENDED_WORDS;
use crate::access::Refused;
use crate::core::Core;
use crate::cores::BASIC_FRAME;
use crate::fault::Fault;
use crate::regs::Mode;
use crate::sys::exceptions::number;
use crate::sys::scb::ccr;

/// Words of a basic stack frame: R0 to R3, R12, LR, the return address, xPSR.
pub(super) const FRAME_WORDS: u32 = 8;

/// Words of a frame.
pub(super) const fn frame_words(extended: bool) -> u32 {
    if extended { EXTENDED_WORDS } else { FRAME_WORDS }
}

/// An exception whose handler is about to execute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// Exception number.
    pub(crate) number: u16,
    /// The handler's first instruction.
    pub(crate) handler: u32,
}

impl Core {
    /// Pushes the frame of the code that is left onto its stack and puts EXC_RETURN into LR (ARMv7-M ARM B1.5.6).
    /// `return_address` is stacked as the PC, `it` as ITSTATE or ICI. A frame that cannot be written makes a fault
    /// pending, beside what is being entered; the stack pointer has moved all the same.
    ///
    /// # Errors
    /// The stack lies where the board describes nothing.
    pub(crate) fn stack(&mut self, return_address: u32, it: u8) -> Result<(), Stuck> {
        self.regs.it = it;
        self.regs.r[15] = return_address;
        let (privileged, extended) = (self.regs.privileged(), self.has_extended_frame());
        let (frame, aligned) = (self.frame(), self.aligns_stack(extended));
        let before = self.regs.r[13];
        let sp = before.wrapping_sub(4 * frame_words(extended));
        self.regs.r[13] = if aligned { sp & !7 } else { sp };
        if self.floors.is_below(sp) {
            self.look_at_stack(return_address, before, self.cycle);
        }
        self.regs.r[14] = self.exc_return();
        self.stack_part(return_address, |core| core.write_frame(frame, privileged))?;
        if extended {
            let frame = self.regs.r[13];
            self.stack_part(return_address, |core| core.stack_fp(frame, privileged))?;
        }
        Ok(())
    }

    /// Writes part of a frame; what goes wrong makes a fault pending.
    fn stack_part(
        &mut self,
        return_address: u32,
        write: impl FnOnce(&mut Self) -> Result<(), Refused>,
    ) -> Result<(), Stuck> {
        let fault = match write(self) {
            Ok(()) => return Ok(()),
            Err(Refused::NotModelled(what)) => return Err(Stuck::NotModelled(what)),
            Err(Refused::Fault(Fault::NoCp)) => Fault::NoCp,
            Err(Refused::Fault(Fault::DataAccess(_))) => Fault::StackingAccess,
            Err(Refused::Fault(_)) => Fault::StackingBus,
        };
        self.raise_waiting(fault, return_address);
        Ok(())
    }

    /// Reads the vector of `number` and makes its handler the code that executes (ARMv7-M ARM B1.5.6,
    /// `ExceptionTaken`). If the vector cannot be read, HardFault takes its place, and `number` stays pending.
    ///
    /// # Errors
    /// Lock-up, if the vector of NMI or HardFault cannot be read; a vector table where the board describes nothing.
    pub(crate) fn take(&mut self, number: u16) -> Result<Entry, Stuck> {
        match self.vector(number) {
            Ok(vector) => Ok(self.begin_handler(number, vector)),
            Err(Refused::NotModelled(what)) => Err(Stuck::NotModelled(what)),
            Err(Refused::Fault(_)) if number <= number::HARD_FAULT => Err(Stuck::Lockup(Fault::VectorRead)),
            Err(Refused::Fault(_)) => {
                let answer = self.raise(Fault::VectorRead, self.regs.r[15])?;
                self.take(answer)
            }
        }
    }

    /// The vector of an exception. Vectors are read with the default memory map (ARMv7-M ARM B3.5.1).
    fn vector(&mut self, number: u16) -> Result<u32, Refused> {
        self.hardware_read(self.sys.vector_table().wrapping_add(4 * u32::from(number)), None)
    }

    fn begin_handler(&mut self, number: u16, vector: u32) -> Entry {
        self.sys.exceptions.activate(number);
        self.switch_stack(|regs| {
            regs.ipsr = number;
            regs.process_stack = false;
            regs.fp_active = false;
        });
        self.regs.it = 0;
        self.regs.thumb = vector & 1 != 0;
        self.regs.r[15] = vector & !1;
        (self.exclusive, self.event) = (None, true);
        Entry {
            number,
            handler: vector & !1,
        }
    }

    /// The words of the frame; bit 9 of xPSR says that the stack pointer was moved to a multiple of eight.
    fn frame(&self) -> [u32; FRAME_WORDS as usize] {
        let r = &self.regs.r;
        let padded = self.aligns_stack(self.has_extended_frame()) && r[13] & 4 != 0;
        [
            r[0],
            r[1],
            r[2],
            r[3],
            r[12],
            r[14],
            r[15],
            self.regs.xpsr() | u32::from(padded) << 9,
        ]
    }

    fn write_frame(&mut self, frame: [u32; FRAME_WORDS as usize], privileged: bool) -> Result<(), Refused> {
        let sp = self.regs.r[13];
        let mut words = (0..).zip(frame);
        words.try_for_each(|(word, value)| self.hardware_write(sp.wrapping_add(4 * word), value, privileged))
    }

    /// CCR.STKALIGN: frames lie at multiples of eight. Extended ones always do.
    pub(super) fn aligns_stack(&self, extended: bool) -> bool {
        extended || self.sys.scb.ccr & ccr::STKALIGN != 0
    }

    fn exc_return(&self) -> u32 {
        let returns = self.returns();
        let basic = match (self.regs.mode(), self.regs.process_stack) {
            (Mode::Handler, _) => returns.handler,
            (Mode::Thread, false) => returns.thread_main,
            (Mode::Thread, true) => returns.thread_process,
        };
        if self.has_extended_frame() {
            basic & !BASIC_FRAME
        } else {
            basic
        }
    }
}
