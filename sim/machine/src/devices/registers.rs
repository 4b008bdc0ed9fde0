//! Registers that a board file lists: each holds what is written to its writable bits, and does nothing.

use std::sync::Arc;

use bus::{Device, DeviceError};
use serde::Deserialize;

use super::not_modelled;

/// One register of the list.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Register {
    pub(crate) name: String,
    /// Bytes from the base, a multiple of four.
    pub(crate) offset: u32,
    /// Value after reset.
    pub(crate) reset: u32,
    /// Bits that a write changes.
    pub(crate) write: u32,
}

/// All registers of one block.
#[derive(Clone)]
pub(crate) struct Registers {
    list: Arc<[Register]>,
    values: Vec<u32>,
}

impl Registers {
    pub(crate) fn new(list: Vec<Register>) -> Self {
        let values = list.iter().map(|register| register.reset).collect();
        Registers {
            list: list.into(),
            values,
        }
    }

    fn find(&self, offset: u32, size: u32) -> Result<usize, DeviceError> {
        let found = self
            .list
            .iter()
            .position(|register| register.offset == offset & !3);
        match found {
            Some(index) if size == 4 => Ok(index),
            Some(index) => not_modelled(format!("{}, an access of {size} bytes", self.list[index].name)),
            None => not_modelled(format!(
                "offset {offset:#x}, a register that the board file does not list"
            )),
        }
    }
}

impl Device for Registers {
    fn read(&mut self, offset: u32, size: u32, _now: u64) -> Result<u32, DeviceError> {
        self.find(offset, size).map(|index| self.values[index])
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        let index = self.find(offset, size)?;
        let writable = self.list[index].write;
        self.values[index] = self.values[index] & !writable | value & writable;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> Registers {
        let rcc = Register {
            name: "RCC".into(),
            offset: 0x60,
            reset: 0xf0,
            write: 0x0f,
        };
        Registers::new(vec![rcc])
    }

    #[test]
    fn holds_writable_bits_only() {
        let mut block = block();
        block.write(0x60, 4, 0xffff_ffff, 0).unwrap();
        assert_eq!(block.read(0x60, 4, 0), Ok(0xff));
    }

    #[test]
    fn refuses_registers_that_are_not_listed_and_narrow_accesses() {
        let mut block = block();
        assert!(
            matches!(block.read(0x64, 4, 0), Err(DeviceError::NotModelled(what)) if what.contains("0x64"))
        );
        assert!(
            matches!(block.read(0x60, 1, 0), Err(DeviceError::NotModelled(what)) if what.contains("RCC"))
        );
    }
}
