//! The properties that an architecture fixes for all its cores: ARMv6-M and ARMv7-M.

use std::ops::RangeInclusive;

use super::number;

/// An architecture of Arm's profile M.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // each says one thing of its own
pub struct Architecture {
    /// Arm's name of it.
    pub name: &'static str,
    /// Bits 19 to 16 of CPUID (ARMv7-M ARM B3.2.3, ARMv6-M ARM B3.2.3).
    pub cpuid: u32,
    /// How many bits of a priority a core may implement.
    pub priority_bits: RangeInclusive<u8>,
    /// The most external interrupts that a core may have.
    pub most_irqs: u16,
    /// Whether a chip may leave out VTOR, SysTick and unprivileged thread mode.
    pub has_options: bool,
    /// Whether faults other than HardFault have exceptions and status registers of their own: CFSR, HFSR, DFSR, MMFAR, BFAR.
    pub has_fault_status: bool,
    /// Whether a priority has a subpriority (AIRCR.PRIGROUP), and ICSR says whether only one exception is active (RETTOBASE).
    pub(crate) groups_priorities: bool,
    /// Whether an interrupted LDM or STM may go on where it was left (ICI bits, ARMv7-M ARM B1.5.10).
    pub(crate) continues_multiples: bool,
    /// The numbers of its own exceptions; a chip may lack SysTick.
    pub(crate) exceptions: &'static [u16],
    /// The registers of the private peripheral bus.
    pub(crate) registers: RegisterMap,
    /// The value of CCR after reset, except STKALIGN, and its writable bits.
    pub(crate) ccr: Configuration,
    /// The layout of a region of its MPU.
    pub(crate) mpu: MpuLayout,
    /// The layout of LR in a handler.
    pub(crate) exc_return: ExcReturn,
}

/// Which registers the private peripheral bus has: a table of `sys/map.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RegisterMap {
    /// The registers of ARMv6-M.
    V6M,
    /// The registers of ARMv7-M.
    V7M,
}

/// CCR as an architecture has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Configuration {
    /// Bits that are always set.
    pub(crate) fixed: u32,
    /// Bits that a program writes.
    pub(crate) written: u32,
}

/// An architecture's encoding of an MPU region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MpuLayout {
    /// Bytes of the smallest region.
    pub(crate) smallest: u32,
    /// Bits of RASR that exist: TEX is of ARMv7-M alone.
    pub(crate) attributes: u32,
}

/// The values of EXC_RETURN with a basic frame (ARMv7-M ARM B1.5.8).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExcReturn {
    /// Back to a handler.
    pub(crate) handler: u32,
    /// To thread mode on the main stack.
    pub(crate) thread_main: u32,
    /// To thread mode on the process stack.
    pub(crate) thread_process: u32,
}

/// The bit of EXC_RETURN that is zero if the frame is an extended one.
pub(crate) const BASIC_FRAME: u32 = 1 << 4;

impl ExcReturn {
    /// Whether this value leads back to a handler.
    pub(crate) fn is_to_handler(&self, value: u32) -> bool {
        value | BASIC_FRAME == self.handler
    }

    /// Whether this value leads to thread mode on the process stack.
    pub(crate) fn is_to_process_stack(&self, value: u32) -> bool {
        value | BASIC_FRAME == self.thread_process
    }

    /// Whether this value leads to thread mode.
    pub(crate) fn is_to_thread(&self, value: u32) -> bool {
        value | BASIC_FRAME == self.thread_main || self.is_to_process_stack(value)
    }
}

/// ARMv6-M and ARMv7-M.
const WITHOUT_SECURITY: ExcReturn = ExcReturn {
    handler: 0xffff_fff1,
    thread_main: 0xffff_fff9,
    thread_process: 0xffff_fffd,
};

/// CCR (ARMv7-M ARM B3.2.8, ARMv6-M ARM B3.2.8): two of its bits, and all bits that ARMv7-M has.
const UNALIGN_TRP: u32 = 1 << 3;
const STKALIGN: u32 = 1 << 9;
const CCR: u32 = 0x31b;

/// ARMv6-M.
pub(crate) static V6M: Architecture = Architecture {
    name: "ARMv6-M",
    cpuid: 0xc,
    priority_bits: 2..=2,
    most_irqs: 32,
    has_options: true,
    has_fault_status: false,
    groups_priorities: false,
    continues_multiples: false,
    exceptions: &[
        number::NMI,
        number::HARD_FAULT,
        number::SV_CALL,
        number::PEND_SV,
        number::SYS_TICK,
    ],
    registers: RegisterMap::V6M,
    ccr: Configuration {
        fixed: UNALIGN_TRP | STKALIGN,
        written: 0,
    },
    mpu: MpuLayout {
        smallest: 256,
        attributes: 0x1707_ff3f,
    },
    exc_return: WITHOUT_SECURITY,
};

/// ARMv7-M.
pub(crate) static V7M: Architecture = Architecture {
    name: "ARMv7-M",
    cpuid: 0xf,
    priority_bits: 3..=8,
    most_irqs: 240,
    has_options: false,
    has_fault_status: true,
    groups_priorities: true,
    continues_multiples: true,
    exceptions: &[
        number::NMI,
        number::HARD_FAULT,
        number::MEM_MANAGE,
        number::BUS_FAULT,
        number::USAGE_FAULT,
        number::SV_CALL,
        number::DEBUG_MONITOR,
        number::PEND_SV,
        number::SYS_TICK,
    ],
    registers: RegisterMap::V7M,
    ccr: Configuration {
        fixed: 0,
        written: CCR,
    },
    mpu: MpuLayout {
        smallest: 32,
        attributes: 0x173f_ff3f,
    },
    exc_return: WITHOUT_SECURITY,
};
