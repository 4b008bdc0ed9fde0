//! The chip, as far as the scenarios use it.

#![no_std]

/// Interrupts that the programs have a task for; the vectors are those of the crate `rt`.
pub enum Interrupt {
    /// The first.
    IRQ0 = 0,
    /// The second.
    IRQ1 = 1,
    /// The third.
    IRQ2 = 2,
}

/// Any of the chips: ARMv6-M has two priority bits, and that many levels are enough here.
pub struct Chip;

// SAFETY: `rt` has these vectors at these numbers; every core has two priority bits; nothing else writes BASEPRI.
unsafe impl mainspring::Device for Chip {
    const PRIORITY_BITS: u8 = if cfg!(target_has_atomic = "32") { 3 } else { 2 };
    type Interrupt = Interrupt;
    const OWNS_BASEPRI: bool = true;
}
