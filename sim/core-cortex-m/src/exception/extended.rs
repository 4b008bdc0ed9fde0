//! Floating-point registers in exceptions: the extended frame, and saving it lazily (ARMv7-M ARM B1.5.7).
//!
//! The frame of code that uses the extension has room for S0 to S15 and FPSCR after the eight words of every frame. With FPCCR.LSPEN the
//! entry only reserves that room, and notes its address and access rights in FPCAR and FPCCR: LSPACT. The registers keep their values. The
//! first instruction of the extension in another context saves them first ([`Core::preserve_fp`]); a return before that finds them
//! unchanged.

use super::Stuck;
use super::entry::FRAME_WORDS;
use super::exit::is_extended;
use crate::access::Refused;
use crate::core::{Core, Trap};
use crate::fault::Fault;
use crate::fp::Fpscr;
use crate::microop::Step;
use crate::regs::Mode;
use crate::sys::exceptions::number;
use crate::sys::fp::fpccr;

/// Words of an extended frame: the basic one, S0 to S15, FPSCR, and one that is reserved.
pub(super) const EXTENDED_WORDS: u32 = FRAME_WORDS + 18;
/// Number of saved registers.
const SAVED: usize = 16;

/// S0 to S15 and FPSCR.
pub(super) type FpFrame = [u32; SAVED + 1];

impl Core {
    /// Whether the frame of the code that executes has room for the registers of the extension.
    pub(super) fn has_extended_frame(&self) -> bool {
        self.regs.fp_active
    }

    /// Whether an exception entry now stacks registers of the extension at once.
    pub(crate) fn stacks_fp(&self) -> bool {
        self.has_extended_frame() && !self.sys.fp.has(fpccr::LSPEN)
    }

    /// Whether an exception return by this EXC_RETURN unstacks them.
    pub(crate) fn unstacks_fp(&self, exc_return: u32) -> bool {
        is_extended(exc_return) && !self.sys.fp.has(fpccr::LSPACT)
    }

    /// Completes an extended frame at `frame` after its basic part: reserves the room, or saves the registers there.
    pub(super) fn stack_fp(&mut self, frame: u32, privileged: bool) -> Result<(), Refused> {
        let address = frame.wrapping_add(4 * FRAME_WORDS);
        if self.sys.fp.has(fpccr::LSPEN) {
            let terms = self.terms();
            self.sys.fp.reserve(address, terms);
            return Ok(());
        }
        if !self.sys.fp.permits(privileged) {
            return Err(Fault::NoCp.into());
        }
        let mut words = self.fp_frame().into_iter().zip(0..);
        words.try_for_each(|(value, word)| {
            self.hardware_write(address.wrapping_add(4 * word), value, privileged)
        })
    }

    /// The registers in an extended frame at `frame`; `None` if they were never saved there.
    pub(super) fn read_fp_frame(&mut self, frame: u32, privileged: bool) -> Result<Option<FpFrame>, Refused> {
        if self.sys.fp.has(fpccr::LSPACT) {
            return Ok(None);
        }
        if !self.sys.fp.permits(privileged) {
            return Err(Fault::NoCp.into());
        }
        let address = frame.wrapping_add(4 * FRAME_WORDS);
        let mut words = [0; SAVED + 1];
        for (value, word) in words.iter_mut().zip(0..) {
            *value = self.hardware_read(address.wrapping_add(4 * word), Some(privileged))?;
        }
        Ok(Some(words))
    }

    /// The return from an extended frame (or not): the registers are those of the code that was left.
    pub(super) fn restore_fp(&mut self, extended: bool, frame: Option<FpFrame>) {
        self.regs.fp_active = extended;
        if let Some(frame) = frame {
            self.regs.s[..SAVED].copy_from_slice(&frame[..SAVED]);
            self.regs.fpscr = Fpscr::from_bits(frame[SAVED]);
        }
        if extended {
            self.sys.fp.settle();
        }
    }

    /// Before an instruction of the extension (`ExecuteFPCheck`): may it be used, is something to be saved, does a new
    /// context begin. [`Step::Next`] if the instruction may execute.
    #[cold]
    pub(crate) fn prepare_fp(&mut self) -> Step {
        if !self.sys.fp.permits(self.regs.privileged()) {
            self.trap = Trap::Fault(Fault::NoCp);
            return Step::Trap;
        }
        if self.sys.fp.has(fpccr::LSPACT) {
            if self.in_fast_path {
                self.trap = Trap::SlowPath;
                return Step::Trap;
            }
            if let Err(refused) = self.save_fp() {
                return self.refuse(refused);
            }
        }
        if self.sys.fp.has(fpccr::ASPEN) && !self.regs.fp_active {
            self.regs.fpscr.set_modes(self.sys.fp.default_status());
            self.regs.fp_active = true;
        }
        Step::Next
    }

    /// The address at which an instruction of the extension, if permitted now, has to save the registers first.
    pub(crate) fn fp_to_preserve(&self) -> Option<u32> {
        let due = self.sys.fp.has(fpccr::LSPACT) && self.sys.fp.permits(self.regs.privileged());
        due.then_some(self.sys.fp.reserved())
    }

    /// Saves the registers where an exception entry reserved room for them (`PreserveFPState`), before the instruction at
    /// `pc`. A fault becomes pending, its own or HardFault: whichever could have become so at that entry.
    ///
    /// # Errors
    /// Lock-up, if not even HardFault could; a stack where the board describes nothing.
    pub(crate) fn preserve_fp(&mut self, pc: u32) -> Result<(), Stuck> {
        let (fault, own, ready) = match self.save_fp() {
            Ok(()) => return Ok(()),
            Err(Refused::NotModelled(what)) => return Err(Stuck::NotModelled(what)),
            Err(Refused::Fault(Fault::DataAccess(_))) => {
                (Fault::PreservingAccess, number::MEM_MANAGE, fpccr::MMRDY)
            }
            Err(Refused::Fault(_)) => (Fault::PreservingBus, number::BUS_FAULT, fpccr::BFRDY),
        };
        let answer = match () {
            () if self.sys.fp.has(ready) => own,
            () if self.sys.fp.has(fpccr::HFRDY) => number::HARD_FAULT,
            () => return Err(Stuck::Lockup(fault)),
        };
        self.raise_as(fault, pc, answer);
        if self.pending_exception().is_none() {
            // The fault waits until it can be taken, and the instruction executes.
            self.sys.fp.settle();
        }
        Ok(())
    }

    /// Saves them with the rights of the code that they belong to.
    fn save_fp(&mut self) -> Result<(), Refused> {
        let terms = &self.sys.fp;
        let (privileged, below_zero) = (!terms.has(fpccr::USER), !terms.has(fpccr::HFRDY));
        let address = terms.reserved();
        let mut words = self.fp_frame().into_iter().zip(0..);
        words.try_for_each(|(value, word)| {
            self.hardware_write_as(address.wrapping_add(4 * word), value, privileged, below_zero)
        })?;
        self.sys.fp.settle();
        Ok(())
    }

    fn fp_frame(&self) -> FpFrame {
        let mut frame = [0; SAVED + 1];
        frame[..SAVED].copy_from_slice(&self.regs.s[..SAVED]);
        frame[SAVED] = self.regs.fpscr.bits();
        frame
    }

    /// Bits of FPCCR that say to whom the frame belongs, and which faults could be taken.
    fn terms(&self) -> u32 {
        let now = self.execution_priority();
        let exceptions = &self.sys.exceptions;
        let ready = |number: u16| exceptions.is_enabled(number) && now > exceptions.priority(number);
        let bit = |set: bool, bit: u32| if set { bit } else { 0 };
        bit(self.regs.mode() == Mode::Thread, fpccr::THREAD)
            | bit(!self.regs.privileged(), fpccr::USER)
            | bit(now > -1, fpccr::HFRDY)
            | bit(ready(number::MEM_MANAGE), fpccr::MMRDY)
            | bit(ready(number::BUS_FAULT), fpccr::BFRDY)
            | bit(ready(number::DEBUG_MONITOR), fpccr::MONRDY)
    }
}
