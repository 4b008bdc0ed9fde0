//! What a host may do to a core between two calls of [`Core::run`]: look at it, write memory, save it and put it back.

use crate::core::Core;
use crate::run::Runs;
use crate::sys::exceptions::number;
use crate::sys::fp::fpccr;
use crate::timing::Cycle;
use bus::Bus;

/// The priority of NMI, which nothing but reset can interrupt (ARMv7-M ARM B1.5.4).
const NMI_PRIORITY: i16 = -2;

/// The state of a core and its bus at one moment. What was decoded is not part of it.
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

    /// Where floating-point registers are still to be saved (FPCAR while FPCCR.LSPACT is set); until then they are what
    /// the code that was left there has in them.
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

    /// Writes RAM as a debugger does: no cycle passes. False if any byte falls outside, or into read-only memory; the
    /// bytes before it are written.
    pub fn write_memory(&mut self, address: u32, bytes: &[u8]) -> bool {
        bytes.iter().zip(0u32..).all(|(&byte, offset)| {
            let address = address.wrapping_add(offset);
            if self.bus.holds_code(address) {
                self.runs.invalidate();
            }
            let in_memory = self.bus.peek(address, &mut [0]);
            in_memory && self.bus.write(address, 1, u32::from(byte), self.cycle).is_ok()
        })
    }

    /// Saves everything that a run can change. Costs what was written to memory, not what there is.
    pub fn snapshot(&mut self) -> Snapshot {
        let bus = self.bus.snapshot();
        let (whole_bus, runs) = (std::mem::take(&mut self.bus), std::mem::take(&mut self.runs));
        let core = self.clone();
        (self.bus, self.runs) = (whole_bus, runs);
        Snapshot { core, bus }
    }

    /// Goes back to what [`Core::snapshot`] of this core, or of a clone of it, saved. What was decoded is kept, as far
    /// as the code is the same.
    pub fn rewind(&mut self, snapshot: &Snapshot) {
        let mut bus: Bus = std::mem::take(&mut self.bus);
        let mut runs: Runs = std::mem::take(&mut self.runs);
        if bus.restore(&snapshot.bus) {
            runs.invalidate();
        }
        self.clone_from(&snapshot.core);
        (self.bus, self.runs) = (bus, runs);
    }
}
