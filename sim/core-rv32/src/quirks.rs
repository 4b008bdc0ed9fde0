//! Choices that the ISA leaves open, and deviations from it, in a file for each family of cores.
//!
//! By default a core follows the privileged ISA manual, and QEMU's generic cores where that leaves a choice.

mod ibex;
pub(crate) mod undecoded;
mod vexriscv;

use crate::config::{Config, Family};
use crate::core::Core;
use crate::csr::Csrs;
use crate::trap::Interrupt;

/// The choices of a family of cores.
pub(crate) trait Quirks: Sync {
    /// Changes registers from their reset values; the first instruction is at `pc`.
    fn reset(&self, _csrs: &mut Csrs, _pc: u32) {}

    /// Whether registers are kept from lower privileges: counters (manual 3.1.11), `satp` (3.1.6.5).
    fn hides_registers(&self) -> bool {
        true
    }

    /// The interrupts that `sie` and `sip` show.
    fn supervisor_view(&self, delegated: u32) -> u32 {
        delegated
    }

    /// The interrupts that supervisor mode can raise itself: by the manual only its software interrupt.
    fn raised_by_supervisor(&self, view: u32) -> u32 {
        view & Interrupt::SupervisorSoftware.bit()
    }

    /// The value that a write of `mip` puts in place of the inputs until the next sample.
    fn overwrites_inputs(&self, _value: u32) -> Option<u32> {
        None
    }

    /// `mtvec` and `stvec`: modes 2 and 3 are reserved.
    fn vector(&self, old: u32, value: u32) -> u32 {
        if value & 2 == 0 { value } else { old }
    }

    /// `mcause` and `scause`.
    fn cause(&self, value: u32) -> u32 {
        value
    }

    /// `mepc` and `sepc`: the address of an instruction.
    fn return_address(&self, value: u32, compressed: bool) -> u32 {
        if compressed { value & !1 } else { value & !3 }
    }

    /// The value of `satp` after a write.
    fn translation(&self, value: u32) -> u32 {
        value
    }

    /// Whether `mstatus.MPP` takes a mode that the core has, or has not.
    fn takes_mode(&self, exists: bool) -> bool {
        exists
    }

    /// Writes a register in core cycle `now`, if they are written in another way than by the manual.
    fn write(&self, _core: &mut Core, _csr: u16, _value: u32, _now: u64) -> bool {
        false
    }

    /// Whether an instruction that reads and writes this register reads what it wrote.
    fn shows_written(&self, _csr: u16) -> bool {
        false
    }

    /// `mtval` after an illegal instruction of this size.
    fn illegal_value(&self, raw: u32, _size: u8) -> u32 {
        raw
    }

    /// `mtval` after a fetch of this address that was refused.
    fn fetch_fault_value(&self, address: u32) -> u32 {
        address
    }

    /// Whether an illegal instruction counts as one that retired, on a core without a write-back stage.
    fn counts_illegal(&self, _raw: u32) -> bool {
        false
    }

    /// `mtval` after EBREAK.
    fn breakpoint_value(&self, _raw: u32, pc: u32) -> u32 {
        pc
    }

    /// The value that an interrupt writes to `mtval`, if any.
    fn interrupt_value(&self) -> Option<u32> {
        None
    }

    /// Whether `mstatus.MPRV` puts another privilege in place of the present one (manual 3.1.6.3).
    fn modifies_privilege(&self) -> bool {
        true
    }

    /// Whether a return to a lower privilege clears `mstatus.MPRV`.
    fn clears_modified_privilege(&self) -> bool {
        true
    }

    /// Whether SFENCE.VMA is legal for everybody.
    fn lets_all_fence(&self) -> bool {
        false
    }

    /// Whether an AMO goes by what the data cache has at hand, even where it leaves memory alone.
    fn modifies_in_cache(&self) -> bool {
        false
    }
}

/// The manual's word.
struct ManualQuirks;

impl Quirks for ManualQuirks {
    /// An instruction that writes half of `minstret` is not counted: the next one reads what it wrote (unprivileged ISA manual, Zicntr).
    fn write(&self, core: &mut Core, csr: u16, value: u32, _now: u64) -> bool {
        let instret = &mut core.csrs.instret;
        let written = match csr {
            MINSTRET => *instret & !0xffff_ffff | u64::from(value),
            MINSTRETH => *instret & 0xffff_ffff | u64::from(value) << 32,
            _ => return false,
        };
        *instret = written.wrapping_sub(1);
        true
    }

    /// Every trap writes it; an interrupt has no address (privileged ISA manual 3.1.16).
    fn interrupt_value(&self) -> Option<u32> {
        Some(0)
    }
}

const MINSTRET: u16 = 0xb02;
const MINSTRETH: u16 = 0xb82;

impl Config {
    /// The choices of this core's family.
    pub(crate) fn quirks(&self) -> &'static dyn Quirks {
        match self.family {
            Family::VexRiscv => &vexriscv::VexRiscvQuirks,
            Family::Ibex => &ibex::IbexQuirks,
            Family::Manual => &ManualQuirks,
        }
    }
}
