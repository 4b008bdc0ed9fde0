//! The registers that an instruction sees (ARMv7-M ARM B1.4).

use isa_thumb::Isa;

use crate::fp::Fpscr;

/// Thread mode runs the program, Handler mode an exception (ARMv7-M ARM B1.3.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// Thread mode: the program.
    Thread,
    /// Handler mode: an exception.
    Handler,
}

/// The condition flags, kept the way that instructions produce them: N and Z as the result they come from.
#[derive(Clone, Copy, Default, Debug)]
pub struct Flags {
    /// N is its bit 31.
    pub n: u32,
    /// Z is set when it is zero.
    pub z: u32,
    /// Carry.
    pub c: bool,
    /// Overflow.
    pub v: bool,
    /// Sticky saturation.
    pub q: bool,
    /// Greater or equal, four bits: results of parallel arithmetic for SEL. Always 0 without the DSP extension.
    pub ge: u8,
}

impl Flags {
    /// From the upper five bits of an xPSR value, and GE.
    pub fn from_bits(psr: u32) -> Self {
        Flags {
            n: psr & 1 << 31,
            z: u32::from(psr & 1 << 30 == 0),
            c: psr & 1 << 29 != 0,
            v: psr & 1 << 28 != 0,
            q: psr & 1 << 27 != 0,
            ge: (psr >> 16 & 15) as u8,
        }
    }

    /// As the upper five bits of xPSR, and GE.
    pub fn bits(self) -> u32 {
        let bit = |set: bool, place: u32| u32::from(set) << place;
        self.n & 1 << 31
            | bit(self.z == 0, 30)
            | bit(self.c, 29)
            | bit(self.v, 28)
            | bit(self.q, 27)
            | u32::from(self.ge) << 16
    }

    /// N and Z from a result.
    #[inline(always)]
    pub fn set_nz(&mut self, result: u32) {
        self.n = result;
        self.z = result;
    }
}

/// The bits of xPSR that a core has: Q, ITSTATE and exception numbers beyond 63 belong to ARMv7-M, GE to the DSP
/// extension (ARMv6-M ARM and ARMv7-M ARM B1.4.2). The others are reserved.
pub(crate) fn xpsr_bits(isa: Isa) -> u32 {
    match (isa.is_v7(), isa.has_dsp()) {
        (false, _) => 0xf100_003f,
        (true, false) => 0xff00_fdff,
        (true, true) => 0xff0f_fdff,
    }
}

/// General, special and mask registers.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a bit of a register
pub struct Registers {
    /// R0 to R15. R13 is the stack pointer in use. R15 is the address of the next instruction whenever the core
    /// stands between two instructions, and not kept while a run executes.
    pub r: [u32; 16],
    /// Condition flags.
    pub flags: Flags,
    /// ITSTATE of the next instruction; like R15 only kept between two instructions that stand apart.
    pub it: u8,
    /// EPSR.T: false after a branch to an even address; the next instruction then faults.
    pub thumb: bool,
    /// Number of the exception that executes; 0 in thread mode.
    pub ipsr: u16,
    /// PRIMASK bit 0.
    pub primask: bool,
    /// FAULTMASK bit 0.
    pub faultmask: bool,
    /// BASEPRI, only the bits that the core implements.
    pub basepri: u8,
    /// CONTROL.nPRIV: thread mode is unprivileged.
    pub unprivileged: bool,
    /// CONTROL.SPSEL: thread mode uses the process stack.
    pub process_stack: bool,
    /// The stack pointer that is not in use: PSP while R13 is MSP, and the other way round.
    pub other_sp: u32,
    /// S0 to S31, of a core with the floating-point extension.
    pub s: [u32; 32],
    /// FPSCR.
    pub fpscr: Fpscr,
    /// CONTROL.FPCA: the code that executes uses the extension, so that an exception must save its registers.
    pub fp_active: bool,
}

impl Default for Registers {
    fn default() -> Self {
        Registers {
            r: [0; 16],
            flags: Flags::default(),
            it: 0,
            thumb: true,
            ipsr: 0,
            primask: false,
            faultmask: false,
            basepri: 0,
            unprivileged: false,
            process_stack: false,
            other_sp: 0,
            s: [0; 32],
            fpscr: Fpscr::default(),
            fp_active: false,
        }
    }
}

impl Registers {
    /// The mode that the core is in.
    pub fn mode(&self) -> Mode {
        if self.ipsr == 0 {
            Mode::Thread
        } else {
            Mode::Handler
        }
    }

    /// Whether the code that executes is privileged.
    pub fn privileged(&self) -> bool {
        self.mode() == Mode::Handler || !self.unprivileged
    }

    /// Whether R13 is the process stack pointer.
    pub fn uses_process_stack(&self) -> bool {
        self.mode() == Mode::Thread && self.process_stack
    }

    /// MSP, PSP.
    pub fn stack_pointers(&self) -> (u32, u32) {
        if self.uses_process_stack() {
            (self.other_sp, self.r[13])
        } else {
            (self.r[13], self.other_sp)
        }
    }

    /// Changes what selects the stack (mode or SPSEL) and keeps both stack pointers.
    pub fn switch_stack(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.uses_process_stack();
        change(self);
        if self.uses_process_stack() != before {
            std::mem::swap(&mut self.r[13], &mut self.other_sp);
        }
    }

    /// CONTROL.
    pub fn control(&self) -> u32 {
        u32::from(self.fp_active) << 2 | u32::from(self.process_stack) << 1 | u32::from(self.unprivileged)
    }

    /// xPSR as a handler finds it on the stack.
    pub fn xpsr(&self) -> u32 {
        let it = u32::from(self.it);
        self.flags.bits()
            | (it & 3) << 25
            | u32::from(self.thumb) << 24
            | (it >> 2) << 10
            | u32::from(self.ipsr)
    }

    /// Takes flags, ITSTATE, T and exception number from an xPSR value.
    pub fn set_xpsr(&mut self, psr: u32) {
        self.flags = Flags::from_bits(psr);
        self.it = (psr >> 25 & 3 | psr >> 8 & 0xfc) as u8;
        self.thumb = psr & 1 << 24 != 0;
        self.ipsr = (psr & 0x1ff) as u16;
    }
}
