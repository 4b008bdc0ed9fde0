//! Which interrupts are sources of a PLIC, if there is one.

use mainspring_core::Vector;

use crate::device::{Device, Lines, Plic};
use crate::model::App;

/// Numbers of interrupts from here on are sources.
pub(super) const FIRST: u16 = 32;
/// The controller, if there is one.
pub(super) const fn of<A: App>() -> Option<Plic> {
    match <A::Device as Device>::LINES {
        Lines::Plic(plic) => Some(plic),
        _ => None,
    }
}

/// The number of the source; 0 for what is none.
pub(super) const fn source(vector: Vector) -> u16 {
    match vector {
        Vector::Interrupt(number) if number >= FIRST => number - FIRST,
        _ => 0,
    }
}

/// The mistake in the number of an interrupt.
pub(super) const fn problem(number: u16) -> Option<&'static str> {
    match number {
        11 => Some(", which is the controller's: name the source, 32 and its number"),
        FIRST => Some(", but source 0 of a PLIC is none: they begin with 1, so with 33"),
        _ => None,
    }
}
