//! The registers that govern the floating-point extension (ARMv7-M ARM B3.2.20 to B3.2.24): who may use it, and how its
//! state is saved when an exception is entered.

use super::RegisterEffect;
use crate::config::Config;
use crate::fp::Fpscr;

/// Its registers. `MVFR0` and `MVFR1` say what the extension can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FpRegister {
    /// CPACR.
    Access,
    /// FPCCR.
    Context,
    /// FPCAR.
    ContextAddress,
    /// FPDSCR.
    DefaultStatus,
    Features,
}

/// FPCCR.
pub(crate) mod fpccr {
    /// An instruction of the extension sets CONTROL.FPCA.
    pub(crate) const ASPEN: u32 = 1 << 31;
    /// An exception entry leaves saving the registers to the first instruction that changes them.
    pub(crate) const LSPEN: u32 = 1 << 30;
    /// Whether DebugMonitor, BusFault, MemManage, HardFault could have been made pending when the frame was reserved.
    pub(crate) const MONRDY: u32 = 1 << 8;
    pub(crate) const BFRDY: u32 = 1 << 6;
    pub(crate) const MMRDY: u32 = 1 << 5;
    pub(crate) const HFRDY: u32 = 1 << 4;
    /// The frame belongs to thread mode.
    pub(crate) const THREAD: u32 = 1 << 3;
    /// The frame belongs to unprivileged code.
    pub(crate) const USER: u32 = 1 << 1;
    /// Saving is still to be done.
    pub(crate) const LSPACT: u32 = 1 << 0;
    pub(super) const ALL: u32 = ASPEN | LSPEN | MONRDY | BFRDY | MMRDY | HFRDY | THREAD | USER | LSPACT;
}

/// CPACR: both fields of the extension. CP10 decides; CP11 must be the same.
const ACCESS: u32 = 0xf << 20;
/// `MVFR0` and `MVFR1` of FPv4-SP (Cortex-M4 TRM, table 7-3).
const FEATURES: [u32; 2] = [0x1011_0021, 0x1100_0011];

/// The state of these registers; all zero, and not there, without the extension.
#[derive(Clone, Debug)]
pub(crate) struct Fp {
    present: bool,
    access: u32,
    context: u32,
    context_address: u32,
    default_status: u32,
    /// Any code may use the extension, and nothing is to be saved before.
    open: bool,
}

impl Fp {
    pub(crate) fn new(config: &Config) -> Self {
        let present = config.core.isa.has_float();
        Fp {
            present,
            access: 0,
            context: if present { fpccr::ASPEN | fpccr::LSPEN } else { 0 },
            context_address: 0,
            default_status: 0,
            open: false,
        }
    }

    /// Whether the core has the extension.
    pub(crate) fn is_present(&self) -> bool {
        self.present
    }

    /// Any code may use it, and nothing is to be saved before.
    #[inline(always)]
    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// Whether CPACR lets code with these rights use it.
    pub(crate) fn permits(&self, privileged: bool) -> bool {
        match self.access >> 20 & 3 {
            0 => false,
            1 => privileged,
            _ => true,
        }
    }

    /// Whether all of these bits of FPCCR are set.
    pub(crate) fn has(&self, bits: u32) -> bool {
        self.context & bits == bits
    }

    /// The address at which the registers are to be saved: FPCAR.
    pub(crate) fn reserved(&self) -> u32 {
        self.context_address
    }

    /// FPDSCR: the modes of a new context.
    pub(crate) fn default_status(&self) -> u32 {
        self.default_status
    }

    /// Reserves a frame for registers that are to be saved later, on these terms (bits of FPCCR).
    pub(crate) fn reserve(&mut self, address: u32, terms: u32) {
        let kept = self.context & (fpccr::ASPEN | fpccr::LSPEN);
        self.context = kept | terms | fpccr::LSPACT;
        self.context_address = address & !7;
        self.refresh();
    }

    /// The registers were saved, or need not be any more.
    pub(crate) fn settle(&mut self) {
        self.context &= !fpccr::LSPACT;
        self.refresh();
    }

    fn refresh(&mut self) {
        let everyone = self.access >> 20 & 3 == 3;
        self.open = everyone && !self.has(fpccr::LSPACT);
    }

    pub(crate) fn read(&self, register: FpRegister, index: u32) -> u32 {
        match register {
            FpRegister::Access => self.access,
            FpRegister::Context => self.context,
            FpRegister::ContextAddress => self.context_address,
            FpRegister::DefaultStatus => self.default_status,
            FpRegister::Features => FEATURES.get(index as usize).copied().unwrap_or(0),
        }
    }

    /// # Errors
    /// A setting that the architecture leaves open, in words.
    pub(crate) fn write(&mut self, register: FpRegister, value: u32) -> Result<RegisterEffect, &'static str> {
        match register {
            FpRegister::Access if !self.present => {}
            FpRegister::Access => self.set_access(value & ACCESS)?,
            FpRegister::Context => self.context = value & fpccr::ALL,
            FpRegister::ContextAddress => self.context_address = value & !7,
            FpRegister::DefaultStatus => {
                let mut modes = Fpscr::default();
                modes.set_modes(value);
                self.default_status = modes.bits();
            }
            FpRegister::Features => {}
        }
        self.refresh();
        Ok(RegisterEffect::Attention)
    }

    fn set_access(&mut self, value: u32) -> Result<(), &'static str> {
        let (cp10, cp11) = (value >> 20 & 3, value >> 22 & 3);
        if cp10 != cp11 || cp10 == 2 {
            return Err("CP10 and CP11 must be the same, and not 0b10");
        }
        self.access = value;
        Ok(())
    }
}
