//! Peripherals of the RP2040 (its datasheet): its single-cycle I/O, clocks, timer, watchdog, pads and the interrupts of its pins.

mod bank;
mod clocks;
mod divider;
mod interpolator;
mod pads;
mod sio;
mod timer;
mod watchdog;

pub(crate) use bank::Bank;
pub(crate) use clocks::{Clocks, PllSettings};
pub(crate) use pads::Pads;
pub(crate) use sio::Sio;
pub(crate) use timer::Timer;
pub(crate) use watchdog::Watchdog;

/// Pins of bank 0.
const PINS: u32 = 30;
