//! What is `SiFive`'s own on the FE310-G002 ("`SiFive` FE310-G002 Manual" v1p5): UART, GPIO, real-time clock. Its clock controller is
//! data of the board.

mod gpio;
mod rtc;
mod uart;

pub(crate) use gpio::Fe310Gpio;
pub(crate) use rtc::RtcSettings;
pub(crate) use uart::Fe310Uart;

use bus::DeviceError;

use super::not_modelled;

/// Refuses what is not a word: these registers are accessed as such.
fn word(offset: u32, size: u32) -> Result<(), DeviceError> {
    if size == 4 && offset.is_multiple_of(4) {
        Ok(())
    } else {
        not_modelled(format!("an access of {size} bytes at offset {offset:#x}"))
    }
}
