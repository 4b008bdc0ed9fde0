//! The peripherals of every `LiteX` system (`litex/soc` of the project of that name, 2024 and later), with 32-bit registers.
//!
//! What their bus bridge adds to an access is the board's to say (`wait`).

mod controller;
mod timer;
mod uart;

pub(crate) use controller::Controller;
pub(crate) use timer::Countdown;
pub(crate) use uart::UartSettings;
