//! The peripherals of every `LiteX` system (`litex/soc` of the project of that name, 2024 and later), with 32-bit registers.
//!
//! The board gives the wait states of their bus bridge (`wait`).

mod controller;
mod timer;
mod uart;

pub(crate) use controller::Controller;
pub(crate) use timer::Countdown;
pub(crate) use uart::UartSettings;
