//! The device behind an allowed range: see [`crate::board::Allow`].

use std::collections::BTreeMap;

use bus::{Device, DeviceError};

use crate::policy::Policy;

/// Answers by its policy alone.
#[derive(Clone)]
pub(crate) struct Open {
    policy: Policy,
    /// Words written, by offset.
    written: BTreeMap<u32, u32>,
    /// Whether the next read of a toggling range gives all ones.
    high: bool,
}

impl Open {
    pub(crate) fn new(policy: Policy) -> Open {
        Open {
            policy,
            written: BTreeMap::new(),
            high: true,
        }
    }

    fn word(&mut self, offset: u32) -> Result<u32, DeviceError> {
        match self.policy {
            Policy::Zero => Ok(0),
            Policy::Fault => Err(DeviceError::Bus),
            Policy::Held => Ok(self.written.get(&offset).copied().unwrap_or(0)),
            Policy::Value(value) => Ok(value),
            Policy::Toggles => {
                let word = if self.high { u32::MAX } else { 0 };
                self.high = !self.high;
                Ok(word)
            }
        }
    }
}

impl Device for Open {
    fn takes_parts(&self) -> bool {
        true
    }

    fn is_stand_in(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, _: u64) -> Result<u32, DeviceError> {
        let word = self.word(offset & !3)?;
        Ok(word >> (8 * (offset & 3)) & u32::MAX >> (32 - 8 * size))
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, _: u64) -> Result<(), DeviceError> {
        match self.policy {
            Policy::Fault => return Err(DeviceError::Bus),
            Policy::Held => {
                let shift = 8 * (offset & 3);
                let part = (u32::MAX >> (32 - 8 * size)) << shift;
                let word = self.written.entry(offset & !3).or_default();
                *word = *word & !part | value << shift & part;
            }
            Policy::Zero | Policy::Toggles | Policy::Value(_) => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_answers_in_its_way() {
        let mut held = Open::new(Policy::Held);
        held.write(4, 4, 0x1122_3344, 0).unwrap();
        held.write(6, 1, 0x99, 0).unwrap();
        assert_eq!(
            (held.read(4, 4, 0), held.read(5, 1, 0)),
            (Ok(0x1199_3344), Ok(0x33))
        );
        assert_eq!(held.read(0, 4, 0), Ok(0));
        let mut toggles = Open::new(Policy::Toggles);
        assert_eq!(
            (toggles.read(0, 4, 0), toggles.read(0, 4, 0)),
            (Ok(u32::MAX), Ok(0))
        );
        assert_eq!((toggles.read(1, 1, 0), toggles.read(1, 1, 0)), (Ok(0xff), Ok(0)));
        let mut value = Open::new(Policy::Value(0x1234));
        value.write(0, 4, 7, 0).unwrap();
        assert_eq!((value.read(0, 4, 0), value.read(1, 1, 0)), (Ok(0x1234), Ok(0x12)));
        assert_eq!(Open::new(Policy::Fault).write(0, 4, 0, 0), Err(DeviceError::Bus));
    }
}
