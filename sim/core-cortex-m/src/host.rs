//! Operations of a host between two calls of [`Core::run`]: inspect the core, write memory, save and restore.

use crate::block::Code;
use crate::core::Core;
use crate::fault::NotModelled;
use crate::state::Flow;
use crate::sys::exceptions::number;
use crate::sys::fp::fpccr;
use crate::sys::{Refusal, RegisterEffect, View, map};
use crate::timing::Cycle;
use bus::Bus;
use events::Exception;

/// The priority of NMI, which nothing but reset can interrupt (ARMv7-M ARM B1.5.4).
const NMI_PRIORITY: i16 = -2;

/// A saved state of a core and its bus. It excludes decoded code.
#[derive(Clone)]
pub struct Snapshot {
    /// Without its memory.
    core: Core,
    bus: bus::Snapshot,
}

/// The fault status registers (ARMv7-M ARM B3.2.15 to B3.2.18).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FaultStatus {
    /// Configurable faults: MemManage, BusFault and UsageFault in one word.
    pub cfsr: u32,
    /// HardFault.
    pub hfsr: u32,
    /// Debug events.
    pub dfsr: u32,
    /// Address of a MemManage fault, if CFSR.MMARVALID is set.
    pub mmfar: u32,
    /// Address of a BusFault, if CFSR.BFARVALID is set.
    pub bfar: u32,
}

impl Core {
    /// The fault status registers.
    pub fn fault_status(&self) -> FaultStatus {
        let scb = &self.sys.scb;
        FaultStatus {
            cfsr: scb.cfsr,
            hfsr: scb.hfsr,
            dfsr: scb.dfsr,
            mmfar: scb.mmfar,
            bfar: scb.bfar,
        }
    }

    /// The address at which floating-point registers still have to be saved (FPCAR while FPCCR.LSPACT is set); until then they hold the
    /// values of the interrupted code.
    pub fn unsaved_fp(&self) -> Option<u32> {
        let fp = &self.sys.fp;
        fp.has(fpccr::LSPACT).then_some(fp.reserved())
    }

    /// Whether anything that is scheduled (an interrupt input, SysTick, a device) can ever interrupt what executes now.
    /// Code that masks it, or handles something as urgent, is interrupted by NMI alone.
    pub fn can_be_interrupted(&self) -> bool {
        let priority = self.execution_priority();
        if priority > 0 {
            return self.next_due() != Cycle::MAX;
        }
        priority > NMI_PRIORITY && self.schedule.holds(number::NMI)
    }

    /// The first interrupt input that is to be raised, with its core cycle.
    pub fn next_input(&self) -> Option<(u64, Exception)> {
        let (cycle, number) = self.schedule.first()?;
        Some((cycle, Exception::of_number(number)))
    }

    /// Writes RAM as a debugger does: no cycle passes. False if any byte falls outside, or into read-only memory; the
    /// bytes before it are written.
    pub fn write_memory(&mut self, address: u32, bytes: &[u8]) -> bool {
        bytes.iter().zip(0u32..).all(|(&byte, offset)| {
            let address = address.wrapping_add(offset);
            if self.bus.holds_code(address) {
                self.code.write(address, 1);
            }
            let in_memory = self.bus.peek(address, &mut [0]);
            in_memory && self.bus.write(address, 1, u32::from(byte), self.cycle).is_ok()
        })
    }

    /// Halts the core between two instructions, as a debugger does: activity under way ends, and the pipeline is full when the core
    /// continues (rule `halt`).
    pub fn halt(&mut self) {
        let Flow::Through(_) = self.flow else {
            return;
        };
        let mut decoded = self.code.take();
        self.halt_here(&mut decoded);
        self.code.put_back(decoded);
    }

    /// The name of a register of the core's own, such as `SYST_CSR`.
    pub fn system_register(address: u32) -> Option<String> {
        map::name_at(address)
    }

    /// A debugger's read of the private peripheral bus or of a device: 1, 2 or 4 bytes, without side effects. `None` if there is nothing to
    /// read.
    pub fn look(&self, address: u32, size: u32) -> Option<u32> {
        if !map::contains(address) || self.bus.profile_at(address).is_some() {
            return self.bus.look(address, size, self.cycle)?.ok();
        }
        let read = self.sys.clone().read(address, size, self.debugger_view());
        read.ok().map(|(value, _)| value)
    }

    /// Writes 1, 2 or 4 bytes of the private peripheral bus or of a device as a debugger does: no cycle passes.
    ///
    /// # Errors
    /// If nothing is there, or it is not modelled.
    pub fn poke(&mut self, address: u32, size: u32, value: u32) -> Result<(), NotModelled> {
        let unmapped = || NotModelled::Unmapped {
            address,
            size: size as u8,
            write: true,
        };
        if !map::contains(address) || self.bus.profile_at(address).is_some() {
            let written = self.bus.write(address, size, value, self.cycle);
            written.map_err(|_| unmapped())?;
        } else {
            let view = View {
                regs: &self.regs,
                privileged: true,
                cycle: self.cycle,
            };
            match self.sys.write(address, size, value, view) {
                Ok(RegisterEffect::Quiet) => return Ok(()),
                Ok(_) => {}
                Err(Refusal::NotModelled(what)) => return Err(*what),
                Err(Refusal::Bus) => return Err(unmapped()),
            }
        }
        self.recognise_from = self.recognise_from.min(self.cycle);
        Ok(())
    }

    fn debugger_view(&self) -> View<'_> {
        View {
            regs: &self.regs,
            privileged: true,
            cycle: self.cycle,
        }
    }

    /// Programs flash as a debugger does: as [`Core::write_memory`], of memory that the program cannot write to.
    pub fn program_memory(&mut self, address: u32, bytes: &[u8]) -> bool {
        self.code.invalidate();
        self.bus.load(address, bytes)
    }

    /// Saves everything that a run can change. Costs what was written to memory, not what there is.
    pub fn snapshot(&mut self) -> Snapshot {
        let bus = self.bus.snapshot();
        let (whole_bus, runs) = (std::mem::take(&mut self.bus), std::mem::take(&mut self.code));
        let core = self.clone();
        (self.bus, self.code) = (whole_bus, runs);
        Snapshot { core, bus }
    }

    /// Restores a [`Core::snapshot`] of this core or a clone. Decoded code is kept as far as it is unchanged.
    pub fn rewind(&mut self, snapshot: &Snapshot) {
        let mut bus: Bus = std::mem::take(&mut self.bus);
        let mut runs: Code = std::mem::take(&mut self.code);
        if bus.restore(&snapshot.bus) {
            runs.check(&bus);
        }
        let round = self.emitter.round();
        self.clone_from(&snapshot.core);
        self.emitter.begin_behind(round);
        (self.bus, self.code) = (bus, runs);
    }
}
