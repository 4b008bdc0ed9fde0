//! The scenarios as a user of Mainspring writes them; what they share with the other kernels' is in `../common.rs`.

#![no_std]

#[path = "../../common.rs"]
mod common;
pub use common::*;

pub mod pool;
pub mod sweep;

/// The chip of all scenarios.
pub struct Chip;

/// The highest level: there are two priority bits on ARMv6-M, three on the device crate's chip.
#[cfg(armv6m)]
pub const TOP: u8 = 4;
/// The highest level.
#[cfg(not(armv6m))]
pub const TOP: u8 = 8;

// SAFETY: the device crate's own numbers and names; one core; nothing else in these programs writes BASEPRI.
unsafe impl mainspring::Device for Chip {
    #[cfg(not(armv6m))]
    const PRIORITY_BITS: u8 = lm3s6965::NVIC_PRIO_BITS;
    #[cfg(armv6m)]
    const PRIORITY_BITS: u8 = 2;
    type Interrupt = lm3s6965::Interrupt;
    const OWNS_BASEPRI: bool = true;
}
