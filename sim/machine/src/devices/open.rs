//! An allowed range: see [`crate::board::Allow`].

use bus::{Device, DeviceError};

use crate::board::Policy;

/// Answers by its policy alone.
#[derive(Clone)]
pub(crate) struct Open(pub(crate) Policy);

impl Open {
    fn answer(&self) -> Result<u32, DeviceError> {
        match self.0 {
            Policy::Zero => Ok(0),
            Policy::Fault => Err(DeviceError::Bus),
        }
    }
}

impl Device for Open {
    fn read(&mut self, _: u32, _: u32, _: u64) -> Result<u32, DeviceError> {
        self.answer()
    }

    fn write(&mut self, _: u32, _: u32, _: u32, _: u64) -> Result<(), DeviceError> {
        self.answer().map(|_| ())
    }
}
