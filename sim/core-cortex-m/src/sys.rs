//! The core's own peripherals on the private peripheral bus: NVIC, system control block, SysTick, MPU, debug.
//!
//! [`System`] answers the program's accesses through one table of registers (`map`), and tells the core what is pending, masked, and
//! permitted. Nothing here advances cycle by cycle: SysTick and the cycle counter compute their values from the core cycle of an access.

pub(crate) mod debug;
pub(crate) mod dwt;
pub(crate) mod exceptions;
pub(crate) mod fp;
pub(crate) mod id;
pub(crate) mod itm;
pub(crate) mod map;
pub(crate) mod mpu;
mod nvic;
pub(crate) mod scb;
mod systick;
mod tpiu;

use crate::config::{Config, Debugger};
use crate::fault::NotModelled;
use crate::regs::Registers;
use crate::timing::Latencies;
use bus::Irq;
use debug::{Debug, demcr};
use dwt::Dwt;
use exceptions::{Exceptions, number};
use exec::AddressRange;
use fp::Fp;
use itm::Itm;
pub use itm::Packet;
use map::{PpbRegister, Row, Sizes};
use mpu::{Mpu, Want};
use scb::{Scb, actlr, ccr, scr};
use systick::SysTick;
use tpiu::Tpiu;

/// Name of all this when it stops a block.
const REGION: &str = "private peripheral bus";

/// NVIC, SCB, SysTick, MPU, DWT, ITM and the debug registers.
#[derive(Clone)]
#[allow(clippy::struct_excessive_bools)] // each says one thing of its own
pub struct System {
    pub(crate) exceptions: Exceptions,
    pub(crate) scb: Scb,
    pub(crate) mpu: Mpu,
    pub(crate) fp: Fp,
    pub(crate) dwt: Dwt,
    systick: SysTick,
    itm: Itm,
    tpiu: Tpiu,
    debug: Debug,
    irqs: u16,
    registers: &'static [Row],
    has_systick: bool,
    /// Rule `late-recognition`: cycles from the arrival of SysTick's exception until the core sees it.
    seen_late: u64,
    /// Cycles until a write takes effect on SysTick.
    written_late: u64,
    /// Data accesses go straight to the bus: no MPU, no watching comparator.
    pub(crate) plain: bool,
    /// The address ranges of loads, and of stores, that a listener wants.
    pub(crate) watched: [AddressRange; 2],
    /// Bus cycle of the last access that may have changed which exception is taken, until the engine takes it.
    pub(crate) changed_at: Option<u64>,
}

/// The state and the cycle of a register access.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) regs: &'a Registers,
    pub(crate) privileged: bool,
    /// Core cycle of the access on the bus.
    pub(crate) cycle: u64,
}

/// Which bytes of a register's word an access reaches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    /// 1, 2 or 4 bytes.
    pub(crate) size: u32,
    /// Left shift of the value within its word.
    pub(crate) shift: u32,
    /// The bits of these bytes.
    pub(crate) mask: u32,
}

impl Lanes {
    fn of(address: u32, size: u32) -> Self {
        let shift = 8 * (address % 4);
        Lanes {
            size,
            shift,
            mask: (u32::MAX >> (32 - 8 * size)) << shift,
        }
    }
}

/// The possible effect of a register access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RegisterEffect {
    /// Nothing that anybody must look at.
    Quiet,
    /// The engine must handle a change before the next instruction.
    Attention,
    /// The engine must handle a change, and another exception may be taken.
    Exceptions,
}

/// Why a register refused an access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    /// A bus fault: privileged code only.
    Bus,
    /// The access is not modelled.
    NotModelled(Box<NotModelled>),
}

fn not_modelled(address: u32, what: impl AsRef<str>) -> Refusal {
    let (region, what) = (REGION.into(), what.as_ref().into());
    Refusal::NotModelled(Box::new(NotModelled::Device {
        region,
        what,
        address: Some(address),
        instead: Some(address),
    }))
}

impl System {
    /// The state after reset.
    pub fn new(config: &Config) -> Self {
        let architecture = config.core.architecture;
        let (_, seen_late) = Latencies::late_recognition(config.model);
        System {
            seen_late: seen_late as u64,
            written_late: u64::from(seen_late != 0),
            exceptions: Exceptions::new(config),
            scb: Scb::new(config),
            mpu: Mpu::new(config),
            fp: Fp::new(config),
            dwt: Dwt::new(),
            systick: SysTick::new(config),
            itm: Itm::new(),
            tpiu: Tpiu::default(),
            debug: Debug::new(config.debugger == Debugger::Attached),
            irqs: config.irqs.min(architecture.most_irqs),
            registers: map::rows(architecture.registers),
            has_systick: config.options.systick,
            plain: true,
            watched: [AddressRange::NONE; 2],
            changed_at: None,
        }
    }

    /// Sets the level of an external interrupt line. A rising edge makes the interrupt pending; a line that is still
    /// high when its handler returns makes it pending again.
    /// Says whether it had another level before. A Cortex-M has no other lines.
    pub fn set_irq_line(&mut self, irq: Irq, level: bool) -> bool {
        let exception = number::of(irq);
        exception.is_some_and(|number| self.exceptions.set_line(number, level))
    }

    /// Makes an exception pending by its number (2 NMI, 14 PendSV, 15 SysTick, 16 the first interrupt): a pulse on
    /// its input. One that the core does not have is ignored.
    pub fn pend(&mut self, number: u16) {
        self.exceptions.pend(number);
    }

    /// Takes what the program wrote to stimulus ports of the ITM since the last call.
    pub fn take_trace(&mut self) -> Vec<Packet> {
        self.itm.take_output()
    }

    /// `CCR.DIV_0_TRP`: a division by zero faults.
    #[inline(always)]
    pub fn traps_divide_by_zero(&self) -> bool {
        self.scb.ccr & ccr::DIV_0_TRP != 0
    }

    /// `CCR.UNALIGN_TRP`: an unaligned access faults.
    #[inline(always)]
    pub fn traps_unaligned(&self) -> bool {
        self.scb.ccr & ccr::UNALIGN_TRP != 0
    }

    /// ACTLR.DISMCYCINT: instructions of several cycles are not interrupted in the middle.
    pub fn finishes_instructions(&self) -> bool {
        self.scb.actlr & actlr::DISMCYCINT != 0
    }

    /// ACTLR.DISDEFWBUF: writes of the default memory map are not buffered.
    pub fn writes_unbuffered(&self) -> bool {
        self.scb.actlr & actlr::DISDEFWBUF != 0
    }

    /// AIRCR.SYSRESETREQ was written.
    pub fn reset_requested(&self) -> bool {
        self.scb.reset_requested
    }

    /// SCR.SLEEPONEXIT.
    pub(crate) fn sleeps_on_exit(&self) -> bool {
        self.scb.scr & scr::SLEEPONEXIT != 0
    }

    /// Whether the DebugMonitor exception answers debug events.
    pub(crate) fn monitors_debug(&self) -> bool {
        self.exceptions.is_enabled(number::DEBUG_MONITOR)
    }

    /// The implemented bits of a priority, and of BASEPRI.
    pub fn priority_mask(&self) -> u8 {
        self.exceptions.priority_mask()
    }

    /// Address of the vector table.
    pub fn vector_table(&self) -> u32 {
        self.scb.vtor
    }

    /// Keeps the state that only a power-on resets: the trace units and DEMCR.TRCENA (ARMv7-M ARM C1.6.5, C1.8.7).
    pub(crate) fn keep_debug(&mut self, was: System) {
        (self.itm, self.tpiu) = (was.itm, was.tpiu);
        self.dwt = was.dwt.of_next_life();
        self.debug = was.debug.of_next_life();
        self.refresh_plain();
    }

    /// Works out [`System::plain`] anew.
    fn refresh_plain(&mut self) {
        self.plain = !self.mpu.enabled() && !self.dwt.watching();
    }

    /// Whether a handler blocks, or was interrupted, whose priority is below 0.
    #[inline]
    pub(crate) fn handles_below_zero(&self) -> bool {
        [number::NMI, number::HARD_FAULT]
            .into_iter()
            .any(|number| self.exceptions.is_active(number))
    }

    /// The MPU, if it is all that keeps accesses from being plain.
    pub(crate) fn mpu_alone(&mut self) -> Option<&mut Mpu> {
        (self.mpu.enabled() && !self.dwt.watching()).then_some(&mut self.mpu)
    }

    /// Whether [`crate::Core::may_fetch`] depends on more than the default memory map.
    pub(crate) fn checks_fetches(&self) -> bool {
        self.mpu.enabled()
    }

    /// The first cycle at which [`System::poll`] makes something pending; `u64::MAX` if never.
    pub fn next_event(&self) -> u64 {
        self.systick.next_event().saturating_add(self.seen_late)
    }

    /// Lets SysTick count up to and including a cycle; if its exception became pending, says from when on that is seen.
    pub fn poll(&mut self, cycle: u64) -> Option<u64> {
        let seen = self.next_event();
        let pended = self.systick.advance(cycle);
        if pended {
            self.exceptions.pend(number::SYS_TICK);
        }
        pended.then_some(seen)
    }

    /// A data access that [`System::plain`] did not exempt: comparators see it. Says whether DebugMonitor became
    /// pending.
    pub(crate) fn watch(&mut self, address: u32, size: u32, want: Want) -> bool {
        let hit = self.dwt.watching() && self.dwt.access(address, size, want) && self.monitors_debug();
        if hit {
            self.scb.dfsr |= scb::status::DWTTRAP;
            self.exceptions.pend(number::DEBUG_MONITOR);
        }
        hit
    }

    /// Reads 1, 2 or 4 bytes at an address of the private peripheral bus aligned to the size.
    pub(crate) fn read(
        &mut self,
        address: u32,
        size: u32,
        view: View,
    ) -> Result<(u32, RegisterEffect), Refusal> {
        let (row, index) = self.find(address, size, "read", view)?;
        let lanes = Lanes::of(address, size);
        let pended = matches!(row.register, PpbRegister::SysTick(_)) && self.poll(view.cycle).is_some();
        let value = match row.register {
            PpbRegister::Itm(register) => self.itm.read(register),
            PpbRegister::Tpiu(register) => self.tpiu.read(register),
            PpbRegister::Dwt(register) => self.dwt.read(register, index, view.cycle),
            PpbRegister::SysTick(register) => self.systick.read(register),
            PpbRegister::Nvic(register) => nvic::read(&self.exceptions, register, index, self.irqs),
            PpbRegister::Scb(register) => self.scb.read(&self.exceptions, register, index, view.regs),
            PpbRegister::Mpu(register) => self.mpu.read(register, index),
            PpbRegister::Fp(register) => self.fp.read(register, index),
            PpbRegister::Debug(register) => self
                .debug
                .read(register, self.exceptions.is_pending(number::DEBUG_MONITOR)),
            PpbRegister::Id(block) => id::word(self.scb.revision.parts[block as usize], index),
            PpbRegister::RomTable => id::rom_table(index),
            PpbRegister::DebuggerOnly | PpbRegister::Reserved => 0,
            PpbRegister::Unknown => {
                return Err(not_modelled(address, format!("{}, a read", row.name_at(index))));
            }
        };
        let outcome = if pended {
            RegisterEffect::Exceptions
        } else {
            RegisterEffect::Quiet
        };
        Ok(((value & lanes.mask) >> lanes.shift, outcome))
    }

    /// Writes 1, 2 or 4 bytes at an address of the private peripheral bus aligned to the size.
    pub(crate) fn write(
        &mut self,
        address: u32,
        size: u32,
        value: u32,
        view: View,
    ) -> Result<RegisterEffect, Refusal> {
        let (row, index) = self
            .find(address, size, "write", view)
            .or_else(|refusal| self.unprivileged_trigger(address, size, view).ok_or(refusal))?;
        let lanes = Lanes::of(address, size);
        let value = value << lanes.shift & lanes.mask;
        let outcome = self.write_register(row, index, value, lanes, view);
        let outcome = outcome.map_err(|what| {
            not_modelled(
                address,
                format!("{}, a write of {value:#x}: {what}", row.name_at(index)),
            )
        })?;
        self.refresh_plain();
        if outcome == RegisterEffect::Exceptions {
            self.changed_at = Some(view.cycle);
        }
        Ok(outcome)
    }

    /// The register that an access means, if it may be accessed so.
    fn find(&self, address: u32, size: u32, verb: &str, view: View) -> Result<(&'static Row, u32), Refusal> {
        let found = map::find_in(self.registers, address);
        let found = found.filter(|(row, _)| self.has(row.register));
        let stimulus = matches!(
            found,
            Some((
                Row {
                    register: PpbRegister::Itm(itm::ItmRegister::Stimulus),
                    ..
                },
                _
            ))
        );
        if !view.privileged && !stimulus {
            return Err(Refusal::Bus);
        }
        let Some((row, index)) = found else {
            return Err(not_modelled(
                address,
                format!("a {verb} where there is no known register"),
            ));
        };
        if row.sizes == Sizes::Word && size != 4 {
            let name = row.name_at(index);
            return Err(not_modelled(
                address,
                format!("{name}, a {verb} of {size} bytes of a word-only register"),
            ));
        }
        Ok((row, index))
    }

    /// Whether this core has a register. CPACR is always there, and zero without coprocessors.
    fn has(&self, register: PpbRegister) -> bool {
        match register {
            PpbRegister::Fp(register) => register == fp::FpRegister::Access || self.fp.is_present(),
            PpbRegister::SysTick(_) => self.has_systick,
            _ => true,
        }
    }

    /// STIR is the one register of the system control space that CCR can open to unprivileged code.
    fn unprivileged_trigger(&self, address: u32, size: u32, view: View) -> Option<(&'static Row, u32)> {
        let open = !view.privileged && size == 4 && self.scb.ccr & ccr::USERSETMPEND != 0;
        let stir = PpbRegister::Nvic(nvic::NvicRegister::SoftwareTrigger);
        map::find_in(self.registers, address).filter(|(row, _)| open && row.register == stir)
    }

    fn write_register(
        &mut self,
        row: &Row,
        index: u32,
        value: u32,
        lanes: Lanes,
        view: View,
    ) -> Result<RegisterEffect, String> {
        match row.register {
            PpbRegister::Itm(register) => self.itm.write(register, index, value, lanes, view),
            PpbRegister::Tpiu(register) => self.tpiu.write(register, value),
            PpbRegister::Dwt(register) => self.dwt.write(register, index, value, view.cycle)?,
            PpbRegister::SysTick(register) => {
                let from = view.cycle + self.written_late;
                let pended = self.poll(from);
                self.systick.write(register, value, from);
                return Ok(if pended.is_some() {
                    RegisterEffect::Exceptions
                } else {
                    RegisterEffect::Attention
                });
            }
            PpbRegister::Nvic(register) => {
                nvic::write(&mut self.exceptions, register, index, value, lanes);
                return Ok(RegisterEffect::Exceptions);
            }
            PpbRegister::Scb(register) => {
                return Ok(self.scb.write(&mut self.exceptions, register, value, lanes)?);
            }
            PpbRegister::Mpu(register) => {
                self.mpu.write(register, index, value)?;
                return Ok(RegisterEffect::Attention);
            }
            PpbRegister::Fp(register) => return Ok(self.fp.write(register, value)?),
            PpbRegister::Debug(register) => return self.write_debug(register, value, view.cycle),
            PpbRegister::Id(_)
            | PpbRegister::RomTable
            | PpbRegister::DebuggerOnly
            | PpbRegister::Reserved => {}
            PpbRegister::Unknown => return Err("not modelled".into()),
        }
        Ok(RegisterEffect::Quiet)
    }

    fn write_debug(
        &mut self,
        register: debug::DebugRegister,
        value: u32,
        cycle: u64,
    ) -> Result<RegisterEffect, String> {
        self.debug.write(register, value)?;
        if register == debug::DebugRegister::HaltingControl {
            return Ok(RegisterEffect::Quiet);
        }
        let on = value & demcr::TRCENA != 0;
        self.dwt.switch(on, cycle);
        self.itm.on = on;
        self.exceptions
            .set_enabled(number::DEBUG_MONITOR, value & demcr::MON_EN != 0);
        if value & demcr::MON_PEND != 0 {
            self.exceptions.pend(number::DEBUG_MONITOR);
        } else {
            self.exceptions.unpend(number::DEBUG_MONITOR);
        }
        Ok(RegisterEffect::Exceptions)
    }
}

#[cfg(test)]
mod tests;
