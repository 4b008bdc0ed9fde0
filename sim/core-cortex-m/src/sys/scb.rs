//! The system control block: identification, configuration, and fault status (ARMv7-M ARM B3.2).

use super::exceptions::{Exceptions, number};
use super::{Lanes, RegisterEffect};
use crate::config::Config;
use crate::cores::{Architecture, Auxiliary, Revision};
use crate::regs::{Mode, Registers};

/// The registers of the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScbRegister {
    AuxiliaryControl,
    CpuId,
    InterruptControl,
    VectorTable,
    ResetControl,
    SystemControl,
    Configuration,
    HandlerControl,
    FaultStatus,
    HardFaultStatus,
    DebugFaultStatus,
    MemManageAddress,
    BusFaultAddress,
    AuxiliaryFaultStatus,
    /// `ID_PFR0` to `ID_ISAR4`.
    Features,
}

/// Bits of the fault status registers (ARMv7-M ARM B3.2.15 to B3.2.18).
pub(crate) mod status {
    pub(crate) const IACCVIOL: u32 = 1 << 0;
    pub(crate) const DACCVIOL: u32 = 1 << 1;
    pub(crate) const MUNSTKERR: u32 = 1 << 3;
    pub(crate) const MSTKERR: u32 = 1 << 4;
    pub(crate) const MLSPERR: u32 = 1 << 5;
    pub(crate) const MMARVALID: u32 = 1 << 7;
    pub(crate) const IBUSERR: u32 = 1 << 8;
    pub(crate) const PRECISERR: u32 = 1 << 9;
    pub(crate) const IMPRECISERR: u32 = 1 << 10;
    pub(crate) const UNSTKERR: u32 = 1 << 11;
    pub(crate) const STKERR: u32 = 1 << 12;
    pub(crate) const LSPERR: u32 = 1 << 13;
    pub(crate) const BFARVALID: u32 = 1 << 15;
    pub(crate) const UNDEFINSTR: u32 = 1 << 16;
    pub(crate) const INVSTATE: u32 = 1 << 17;
    pub(crate) const INVPC: u32 = 1 << 18;
    pub(crate) const NOCP: u32 = 1 << 19;
    pub(crate) const UNALIGNED: u32 = 1 << 24;
    pub(crate) const DIVBYZERO: u32 = 1 << 25;
    /// Bits of HFSR.
    pub(crate) const VECTTBL: u32 = 1 << 1;
    pub(crate) const FORCED: u32 = 1 << 30;
    pub(crate) const DEBUGEVT: u32 = 1 << 31;
    /// Bits of DFSR.
    pub(crate) const BKPT: u32 = 1 << 1;
    pub(crate) const DWTTRAP: u32 = 1 << 2;
}

/// Bits of CCR.
pub(crate) mod ccr {
    pub(crate) const NONBASETHRDENA: u32 = 1 << 0;
    pub(crate) const USERSETMPEND: u32 = 1 << 1;
    pub(crate) const UNALIGN_TRP: u32 = 1 << 3;
    pub(crate) const DIV_0_TRP: u32 = 1 << 4;
    pub(crate) const BFHFNMIGN: u32 = 1 << 8;
    pub(crate) const STKALIGN: u32 = 1 << 9;
}

/// Bits of SCR.
pub(crate) mod scr {
    pub(crate) const SLEEPONEXIT: u32 = 1 << 1;
    pub(super) const SEVONPEND: u32 = 1 << 4;
    pub(super) const ALL: u32 = SLEEPONEXIT | 1 << 2 | SEVONPEND;
}

pub(crate) use crate::cores::actlr;

/// DFSR bits that exist.
const DFSR: u32 = 0x1f;
/// ICSR.RETTOBASE: ARMv7-M alone has it.
const RETTOBASE: u32 = 1 << 11;

/// Which state of an exception a bit of SHCSR shows.
#[derive(Clone, Copy)]
enum ExceptionState {
    Active,
    Pending,
    Enabled,
}

/// SHCSR: bit, what it shows, of which exception.
const HANDLER_BITS: [(u32, ExceptionState, u16); 14] = [
    (0, ExceptionState::Active, number::MEM_MANAGE),
    (1, ExceptionState::Active, number::BUS_FAULT),
    (3, ExceptionState::Active, number::USAGE_FAULT),
    (7, ExceptionState::Active, number::SV_CALL),
    (8, ExceptionState::Active, number::DEBUG_MONITOR),
    (10, ExceptionState::Active, number::PEND_SV),
    (11, ExceptionState::Active, number::SYS_TICK),
    (12, ExceptionState::Pending, number::USAGE_FAULT),
    (13, ExceptionState::Pending, number::MEM_MANAGE),
    (14, ExceptionState::Pending, number::BUS_FAULT),
    (15, ExceptionState::Pending, number::SV_CALL),
    (16, ExceptionState::Enabled, number::MEM_MANAGE),
    (17, ExceptionState::Enabled, number::BUS_FAULT),
    (18, ExceptionState::Enabled, number::USAGE_FAULT),
];

/// The block's own state; pending, enabled and active bits belong to [`Exceptions`].
#[derive(Clone, Debug)]
pub(crate) struct Scb {
    cpuid: u32,
    pub(crate) revision: &'static Revision,
    architecture: &'static Architecture,
    auxiliary: Auxiliary,
    pub(crate) vtor: u32,
    /// The bits of VTOR that exist.
    vtor_bits: u32,
    pub(crate) scr: u32,
    pub(crate) ccr: u32,
    pub(crate) actlr: u32,
    pub(crate) cfsr: u32,
    pub(crate) hfsr: u32,
    pub(crate) dfsr: u32,
    pub(crate) mmfar: u32,
    pub(crate) bfar: u32,
    pub(crate) reset_requested: bool,
}

impl Scb {
    pub(crate) fn new(config: &Config) -> Self {
        let core = config.core;
        let align = if config.stack_align { ccr::STKALIGN } else { 0 };
        Scb {
            cpuid: config.cpuid,
            revision: core.revision(config.cpuid),
            architecture: core.architecture,
            auxiliary: core.actlr,
            vtor: if config.options.vtor {
                config.vector_table & core.vtor
            } else {
                config.vector_table
            },
            vtor_bits: if config.options.vtor { core.vtor } else { 0 },
            scr: 0,
            ccr: core.architecture.ccr.fixed | align,
            actlr: 0,
            cfsr: 0,
            hfsr: 0,
            dfsr: 0,
            mmfar: 0,
            bfar: 0,
            reset_requested: false,
        }
    }

    pub(crate) fn read(
        &self,
        exceptions: &Exceptions,
        register: ScbRegister,
        index: u32,
        regs: &Registers,
    ) -> u32 {
        match register {
            ScbRegister::AuxiliaryControl => self.actlr,
            ScbRegister::CpuId => self.cpuid,
            ScbRegister::InterruptControl if self.architecture.groups_priorities => {
                interrupt_control(exceptions, regs)
            }
            ScbRegister::InterruptControl => interrupt_control(exceptions, regs) & !RETTOBASE,
            ScbRegister::VectorTable => self.vtor & self.vtor_bits,
            ScbRegister::ResetControl => 0xfa05_0000 | u32::from(exceptions.group_bits()) << 8,
            ScbRegister::SystemControl => self.scr,
            ScbRegister::Configuration => self.ccr,
            ScbRegister::HandlerControl => handler_control(exceptions),
            ScbRegister::FaultStatus => self.cfsr,
            ScbRegister::HardFaultStatus => self.hfsr,
            ScbRegister::DebugFaultStatus => self.dfsr,
            ScbRegister::MemManageAddress => self.mmfar,
            ScbRegister::BusFaultAddress => self.bfar,
            ScbRegister::Features => self.revision.features.get(index as usize).copied().unwrap_or(0),
            ScbRegister::AuxiliaryFaultStatus => 0,
        }
    }

    /// # Errors
    /// A setting that is not modelled, in words.
    pub(crate) fn write(
        &mut self,
        exceptions: &mut Exceptions,
        register: ScbRegister,
        value: u32,
        lanes: Lanes,
    ) -> Result<RegisterEffect, &'static str> {
        match register {
            ScbRegister::AuxiliaryControl => self.actlr = self.auxiliary.written(value)?,
            ScbRegister::VectorTable if self.vtor_bits == 0 => {}
            ScbRegister::VectorTable => self.vtor = value & self.vtor_bits,
            ScbRegister::Configuration => {
                let written = self.architecture.ccr.written;
                self.ccr = self.ccr & !written | value & written;
            }
            ScbRegister::FaultStatus => self.cfsr &= !(value & lanes.mask),
            ScbRegister::HardFaultStatus => self.hfsr &= !value,
            ScbRegister::DebugFaultStatus => self.dfsr &= !(value & DFSR),
            ScbRegister::MemManageAddress => self.mmfar = value,
            ScbRegister::BusFaultAddress => self.bfar = value,
            ScbRegister::SystemControl => {
                self.scr = value & scr::ALL;
                exceptions.set_event_on_pend(value & scr::SEVONPEND != 0);
            }
            ScbRegister::InterruptControl => return Ok(control_interrupts(exceptions, value)),
            ScbRegister::HandlerControl => return Ok(control_handlers(exceptions, value)),
            ScbRegister::ResetControl => return self.control_reset(exceptions, value),
            ScbRegister::CpuId | ScbRegister::Features | ScbRegister::AuxiliaryFaultStatus => {}
        }
        Ok(RegisterEffect::Attention)
    }

    /// AIRCR: ignored without its key.
    fn control_reset(
        &mut self,
        exceptions: &mut Exceptions,
        value: u32,
    ) -> Result<RegisterEffect, &'static str> {
        if value >> 16 != 0x05fa {
            return Ok(RegisterEffect::Quiet);
        }
        if value & 3 != 0 {
            return Err("VECTRESET or VECTCLRACTIVE, which are for a debugger while the core is halted");
        }
        if self.architecture.groups_priorities {
            exceptions.set_group_bits((value >> 8 & 7) as u8);
        }
        self.reset_requested |= value & 4 != 0;
        Ok(RegisterEffect::Exceptions)
    }
}

fn interrupt_control(exceptions: &Exceptions, regs: &Registers) -> u32 {
    let bit = |set: bool, place: u32| u32::from(set) << place;
    let current = u32::from(regs.mode() == Mode::Handler);
    // BASEPRI and FAULTMASK hide a pending exception from VECTPENDING, PRIMASK does not.
    let next = exceptions.preempting(exceptions.mask_priority(regs)).unwrap_or(0);
    bit(exceptions.is_pending(number::NMI), 31)
        | bit(exceptions.is_pending(number::PEND_SV), 28)
        | bit(exceptions.is_pending(number::SYS_TICK), 26)
        | bit(exceptions.interrupt_pending(), 22)
        | u32::from(next) << 12
        | bit(current == 1 && exceptions.active_count() <= 1, 11)
        | u32::from(regs.ipsr)
}

fn control_interrupts(exceptions: &mut Exceptions, value: u32) -> RegisterEffect {
    let set = [(31, number::NMI), (28, number::PEND_SV), (26, number::SYS_TICK)];
    let clear = [(27, number::PEND_SV), (25, number::SYS_TICK)];
    set.iter()
        .filter(|(bit, _)| value >> bit & 1 != 0)
        .for_each(|&(_, number)| exceptions.pend(number));
    clear
        .iter()
        .filter(|(bit, _)| value >> bit & 1 != 0)
        .for_each(|&(_, number)| exceptions.unpend(number));
    RegisterEffect::Exceptions
}

fn handler_control(exceptions: &Exceptions) -> u32 {
    let shown = HANDLER_BITS.iter().filter(|&&(_, state, number)| match state {
        ExceptionState::Active => exceptions.is_active(number),
        ExceptionState::Pending => exceptions.is_pending(number),
        ExceptionState::Enabled => exceptions.is_enabled(number),
    });
    shown.map(|(bit, ..)| 1 << bit).sum()
}

fn control_handlers(exceptions: &mut Exceptions, value: u32) -> RegisterEffect {
    for (bit, state, number) in HANDLER_BITS {
        let on = value >> bit & 1 != 0;
        match (state, on) {
            (ExceptionState::Active, _) => exceptions.set_active(number, on),
            (ExceptionState::Pending, true) => exceptions.pend(number),
            (ExceptionState::Pending, false) => exceptions.unpend(number),
            (ExceptionState::Enabled, _) => exceptions.set_enabled(number, on),
        }
    }
    RegisterEffect::Exceptions
}
