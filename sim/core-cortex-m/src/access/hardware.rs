//! Accesses that the core makes on its own: vectors and stack frames.

use super::Refused;
use super::slow::on_bus;
use crate::core::Core;
use crate::fault::Fault;
use crate::sys::map;
use crate::sys::mpu::Want;

impl Core {
    /// Reads a word of a vector table, past the MPU, or of a frame with these rights.
    pub(crate) fn hardware_read(&mut self, address: u32, privileged: Option<bool>) -> Result<u32, Refused> {
        if let Some(privileged) = privileged {
            let below_zero = self.execution_priority() < 0;
            self.hardware_check(address, Want::Read, privileged, below_zero)?;
        }
        self.bus
            .read(address, 4, self.cycle)
            .map_err(|error| on_bus(error, address, 4, false))
    }

    /// Writes a word of a frame.
    pub(crate) fn hardware_write(
        &mut self,
        address: u32,
        value: u32,
        privileged: bool,
    ) -> Result<(), Refused> {
        let below_zero = self.execution_priority() < 0;
        self.hardware_write_as(address, value, privileged, below_zero)
    }

    /// Writes with an explicit choice whether the execution priority is below 0.
    pub(crate) fn hardware_write_as(
        &mut self,
        address: u32,
        value: u32,
        privileged: bool,
        below_zero: bool,
    ) -> Result<(), Refused> {
        self.hardware_check(address, Want::Write, privileged, below_zero)?;
        self.bus
            .write(address, 4, value, self.cycle)
            .map_err(|error| on_bus(error, address, 4, true))?;
        self.note_own_store(address, value);
        if self.bus.holds_code(address) {
            self.code.write(address, 4);
        }
        Ok(())
    }

    fn hardware_check(
        &self,
        address: u32,
        want: Want,
        privileged: bool,
        below_zero: bool,
    ) -> Result<(), Refused> {
        if map::contains(address) {
            return Err(Fault::DataBus(address).into());
        }
        if !self.sys.mpu.enabled() {
            return Ok(());
        }
        let allowed = self.sys.mpu.allows(address, want, privileged, below_zero);
        if allowed {
            Ok(())
        } else {
            Err(Fault::DataAccess(address).into())
        }
    }

    /// Whether the code at `address` may be fetched: not from the device, peripheral and system parts of the memory map
    /// (ARMv7-M ARM B3.1), and not where the MPU forbids it.
    ///
    /// # Errors
    /// [`Fault::InstructionAccess`].
    pub(crate) fn may_fetch(&self, address: u32) -> Result<(), Fault> {
        let system = address >= 0xe000_0000;
        let device = !system && !executable_by_default(address);
        let mpu = &self.sys.mpu;
        let below_zero = mpu.enabled() && self.execution_priority() < 0;
        let executable = !device || mpu.covers(address, below_zero);
        let allowed = executable && mpu.allows(address, Want::Execute, self.regs.privileged(), below_zero);
        if allowed && !system {
            Ok(())
        } else {
            Err(Fault::InstructionAccess)
        }
    }
}

/// Whether the default memory map lets code be fetched from `address` (ARMv7-M ARM B3.1, table B3-1).
pub(crate) const fn executable_by_default(address: u32) -> bool {
    !matches!(address >> 29, 2 | 5 | 6 | 7)
}

/// Whether the default memory map surely allows to execute an instruction at `pc`.
pub(crate) fn may_run_blocks_at(pc: u32) -> bool {
    executable_by_default(pc) && executable_by_default(pc.wrapping_add(2))
}
