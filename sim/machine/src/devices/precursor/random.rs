//! The kernel's port of the generator of random numbers (`gateware/trng/trng_managed.py`): it always has a number, another one
//! each time. The numbers are those of xorshift32, the same in every run.

use bus::{Device, DeviceError};

use super::register;
use crate::devices::not_modelled;
use crate::devices::words::Xorshift;

const STATUS: u32 = 0;
const DATA: u32 = 1;
const URANDOM: u32 = 2;
const URANDOM_VALID: u32 = 3;
const EV_STATUS: u32 = 4;
const EV_PENDING: u32 = 5;
const EV_ENABLE: u32 = 6;

/// STATUS: there is a number.
const AVAILABLE: u32 = 1 << 0;

/// The port.
#[derive(Clone, Default)]
pub(crate) struct Random {
    numbers: Xorshift,
    enabled: u32,
}

impl Device for Random {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, _now: u64) -> Result<u32, DeviceError> {
        match register(offset, size)? {
            STATUS => Ok(AVAILABLE),
            DATA | URANDOM => Ok(self.numbers.next()),
            URANDOM_VALID => Ok(1),
            EV_STATUS | EV_PENDING => Ok(0),
            EV_ENABLE => Ok(self.enabled),
            _ => not_modelled(format!("a read of offset {offset:#x}")),
        }
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        match register(offset, size)? {
            STATUS..=EV_PENDING => Ok(()),
            // Its events are errors, which do not happen.
            EV_ENABLE => {
                self.enabled = value & 3;
                Ok(())
            }
            _ => not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_number_is_another_one_and_every_run_has_the_same() {
        let numbers = || {
            let mut port = Random::default();
            (0..1000)
                .map(|now| port.read(4 * URANDOM, 4, now).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(numbers().into_iter().collect::<BTreeSet<_>>().len(), 1000);
        assert_eq!(numbers(), numbers());
    }

    #[test]
    fn there_is_always_one() {
        let mut port = Random::default();
        assert_eq!(port.read(4 * URANDOM_VALID, 4, 0), Ok(1));
        assert_eq!(port.read(4 * STATUS, 4, 0), Ok(AVAILABLE));
        assert!(port.read(4 * 7, 4, 0).is_err());
    }
}
