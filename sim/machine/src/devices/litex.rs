//! The peripherals of every `LiteX` system (`litex/soc` of the project of that name, 2024 and later), with 32-bit registers.
//!
//! What their bus bridge adds to an access is the board's to say (`wait`).

mod controller;
mod timer;
mod uart;

pub(crate) use controller::Controller;
pub(crate) use timer::Countdown;
pub(crate) use uart::UartSettings;

use bus::DeviceError;

use super::not_modelled;

/// The number of the register at an offset.
fn register(offset: u32, size: u32) -> Result<u32, DeviceError> {
    if size == 4 {
        Ok(offset / 4)
    } else {
        not_modelled(format!("an access of {size} bytes at offset {offset:#x}"))
    }
}
