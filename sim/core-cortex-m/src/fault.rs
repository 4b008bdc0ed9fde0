//! The faults of instructions, with the names and bits of the fault status registers.

use events::Exception;
use std::sync::Arc;

/// A synchronous fault (ARMv7-M ARM B1.5.14). An address is that of the access that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// UsageFault: an undefined instruction.
    UndefInstr,
    /// UsageFault: EPSR.T is 0.
    InvState,
    /// UsageFault: a bad exception return.
    InvPc,
    /// UsageFault: a coprocessor that is not there.
    NoCp,
    /// UsageFault: an access to this address, which is not aligned as it must be.
    Unaligned(u32),
    /// UsageFault: a division by zero, with `CCR.DIV_0_TRP` set.
    DivByZero,
    /// BusFault: instruction fetch.
    InstructionBus,
    /// BusFault: a data access at this address.
    DataBus(u32),
    /// BusFault: a buffered store failed after the core had gone on.
    ImpreciseBus,
    /// BusFault: stacking on exception entry.
    StackingBus,
    /// BusFault: unstacking on exception return.
    UnstackingBus,
    /// MemManage: instruction fetch, by the MPU or from an execute-never region.
    InstructionAccess,
    /// MemManage: a data access at this address.
    DataAccess(u32),
    /// MemManage: stacking on exception entry.
    StackingAccess,
    /// MemManage: unstacking on exception return.
    UnstackingAccess,
    /// BusFault: saving the floating-point registers lazily.
    PreservingBus,
    /// MemManage: saving the floating-point registers lazily.
    PreservingAccess,
    /// HardFault: the vector of an exception could not be read.
    VectorRead,
    /// BKPT with neither debugger nor debug monitor.
    DebugEvent,
    /// SVC where SVCall's priority does not let it in.
    SupervisorCall,
}

/// A fault and where it happened: kept for the crash report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FaultRecord {
    /// The fault.
    pub fault: Fault,
    /// Address of the instruction.
    pub pc: u32,
    /// Core cycle in which it is raised: for an instruction, the cycle after its first.
    pub cycle: u64,
    /// Exception number that the fault was taken as; 3 if it escalated to HardFault.
    pub taken_as: Exception,
}

/// An unmodelled feature, and the place where the program used it: it stops the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotModelled {
    /// An access to an address that the board does not describe.
    Unmapped {
        /// The address.
        address: u32,
        /// 1, 2 or 4 bytes.
        size: u8,
        /// Whether it was a write.
        write: bool,
    },
    /// A fetch from an address that the board does not describe.
    UnmappedFetch {
        /// The address.
        address: u32,
    },
    /// A device or system register behaves in a way that is not modelled.
    Device {
        /// Name of the device or of the core's own block.
        region: Arc<str>,
        /// The request, in words.
        what: Arc<str>,
        /// The address, if it was an access that asked.
        address: Option<u32>,
        /// The address at which something else could answer, if that would help.
        instead: Option<u32>,
    },
    /// An encoding or operation that the architecture calls unpredictable.
    Unpredictable {
        /// The encoding.
        raw: u32,
        /// The reason, in words.
        why: &'static str,
    },
}
