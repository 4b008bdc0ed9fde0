//! Peripherals of Precursor that a program cannot do without (betrusted-io/gateware).

mod random;
mod ticktimer;

pub(crate) use random::Random;
pub(crate) use ticktimer::TicksSettings;

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
