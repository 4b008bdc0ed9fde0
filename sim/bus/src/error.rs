//! Refusals of devices.

use std::fmt;

/// Why a device refused an access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeviceError {
    /// A bus error, as the hardware would answer.
    Bus,
    /// The request is not modelled; the text names it ("CR2, a write of 0x40").
    NotModelled(String),
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceError::Bus => f.write_str("it answers with a bus error"),
            DeviceError::NotModelled(what) => f.write_str(what),
        }
    }
}
