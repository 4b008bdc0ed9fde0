//! Peripherals of the RP2040 (its datasheet): its single-cycle I/O, clocks, timer, watchdog, pads and the interrupts of its pins, DMA, ADC,
//! PWM and RTC.

mod adc;
mod bank;
mod clocks;
mod divider;
mod dma;
mod interpolator;
mod pads;
mod pwm;
mod rtc;
mod sio;
mod timer;
mod watchdog;

pub(crate) use adc::AdcSettings;
pub(crate) use bank::Bank;
pub(crate) use clocks::{ClocksSettings, PllSettings};
pub(crate) use dma::Dma;
pub(crate) use pads::Pads;
pub(crate) use pwm::Pwm;
pub(crate) use rtc::RtcSettings;
pub(crate) use sio::Sio;
pub(crate) use timer::Timer;
pub(crate) use watchdog::Watchdog;

/// Pins of bank 0.
const PINS: u32 = 30;
