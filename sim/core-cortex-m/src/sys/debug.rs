//! The registers of halting and monitor debug (ARMv7-M ARM C1.6), as software sees them.

/// The debug registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DebugRegister {
    HaltingControl,
    MonitorControl,
}

/// `DHCSR.C_DEBUGEN`, which only a debugger can set.
const DEBUG_ENABLED: u32 = 1 << 0;
const REGISTERS_READY: u32 = 1 << 16;
const RETIRED: u32 = 1 << 24;
const WAS_RESET: u32 = 1 << 25;
const KEY: u32 = 0xa05f;

/// DEMCR.
pub(crate) mod demcr {
    pub(crate) const TRCENA: u32 = 1 << 24;
    pub(crate) const MON_PEND: u32 = 1 << 17;
    pub(crate) const MON_EN: u32 = 1 << 16;
    pub(super) const MON_STEP: u32 = 1 << 18;
    /// The bits of DebugMonitor.
    pub(super) const MONITOR: u32 = 0x000f_0000;
    /// The bits that can be written; vector catches have an effect on a debugger only.
    pub(super) const ALL: u32 = TRCENA | MONITOR | 0x7f1;
}

/// Debug state that software can read.
#[derive(Clone, Debug)]
pub(crate) struct Debug {
    /// A debugger holds `C_DEBUGEN`.
    attached: bool,
    reset_seen: bool,
    demcr: u32,
}

impl Debug {
    pub(crate) fn new(attached: bool) -> Self {
        Debug {
            attached,
            reset_seen: false,
            demcr: 0,
        }
    }

    /// As a reset of the chip leaves it: only power-on resets TRCENA and the vector catches.
    pub(crate) fn of_next_life(self) -> Debug {
        Debug {
            demcr: self.demcr & !demcr::MONITOR,
            reset_seen: false,
            ..self
        }
    }

    /// Reads a register; `pending` says whether DebugMonitor is.
    pub(crate) fn read(&mut self, register: DebugRegister, pending: bool) -> u32 {
        match register {
            DebugRegister::MonitorControl => self.demcr | if pending { demcr::MON_PEND } else { 0 },
            DebugRegister::HaltingControl => {
                let reset = if std::mem::replace(&mut self.reset_seen, true) {
                    0
                } else {
                    WAS_RESET
                };
                let enabled = if self.attached { DEBUG_ENABLED } else { 0 };
                enabled | REGISTERS_READY | RETIRED | reset
            }
        }
    }

    /// # Errors
    /// If the write requests an unmodelled feature.
    pub(crate) fn write(&mut self, register: DebugRegister, value: u32) -> Result<(), &'static str> {
        match register {
            DebugRegister::MonitorControl if value & demcr::MON_STEP != 0 => return Err("DEMCR.MON_STEP"),
            DebugRegister::MonitorControl => self.demcr = value & demcr::ALL & !demcr::MON_PEND,
            // Without C_DEBUGEN the control bits do nothing, and software cannot set that one.
            DebugRegister::HaltingControl if self.attached && value >> 16 == KEY && value & 0x2e != 0 => {
                return Err("DHCSR, a program that halts, steps or masks itself under a debugger");
            }
            DebugRegister::HaltingControl => {}
        }
        Ok(())
    }
}
