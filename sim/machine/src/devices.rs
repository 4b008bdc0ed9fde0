//! The few peripherals that a board file can name.
//!
//! They are here so that programs made for other simulators find the console that they print to. What such a device
//! does not model stops the run: no register answers with a silent zero.

mod cmsdk_uart;
mod open;
mod pl011;
mod registers;

pub(crate) use cmsdk_uart::CmsdkUart;
pub(crate) use open::Open;
pub(crate) use pl011::Pl011;
pub(crate) use registers::{Register, Registers};

use bus::DeviceError;

/// The refusal of an access that is not modelled.
fn not_modelled<T>(what: impl Into<String>) -> Result<T, DeviceError> {
    Err(DeviceError::NotModelled(what.into()))
}
