//! What an architecture fixes for all cores that implement it: ARMv6-M and ARMv7-M.

use std::ops::RangeInclusive;

use crate::sys::{exceptions::number, map, mpu, scb};

/// An architecture of Arm's profile M.
#[derive(Debug)]
pub struct Architecture {
    /// As Arm writes it.
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
    pub(crate) registers: &'static [map::Row],
    /// CCR after reset but for STKALIGN, and the bits of it that a program writes.
    pub(crate) ccr: scb::Configuration,
    /// What its MPU makes of a region.
    pub(crate) mpu: mpu::Layout,
}

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
    registers: map::ROWS_V6M,
    ccr: scb::Configuration::V6M,
    mpu: mpu::Layout::V6M,
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
    registers: map::ROWS,
    ccr: scb::Configuration::V7M,
    mpu: mpu::Layout::V7M,
};
