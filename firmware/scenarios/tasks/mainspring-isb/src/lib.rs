//! Mainspring with an ISB after each section; `../common.rs` is shared by the scenarios.

#![no_std]

#[path = "../../common.rs"]
mod common;
pub use common::*;

/// The chip of all scenarios.
pub struct Chip;

// SAFETY: the device crate's own numbers and names; one core; nothing else in these programs writes BASEPRI.
unsafe impl mainspring::Device for Chip {
    const PRIORITY_BITS: u8 = lm3s6965::NVIC_PRIO_BITS;
    type Interrupt = lm3s6965::Interrupt;
    const OWNS_BASEPRI: bool = true;
}
