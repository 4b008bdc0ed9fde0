//! The kernel's port of the generator of random numbers (`gateware/trng/trng_managed.py`): it always has a number, another one
//! each time. The numbers are those of xorshift32, the same in every run.

use crate::devices::block::{Access, Peripheral, Regs, about, registers};
use crate::devices::words::Xorshift;

about! { Random, D,
    "Precursor `gateware/trng/trng_managed.py`",
    "the kernel's port: a random number whenever it is read, the same in every run",
    "its other ports, errors"
}

registers! { Random;
    // There is a number.
    STATUS  = 0x00 .reset(1).drops();
    DATA    = 0x04 .shows(|port, _| port.numbers.peek()).taken(|port, _| port.numbers.step()).drops();
    URANDOM = 0x08 .shows(|port, _| port.numbers.peek()).taken(|port, _| port.numbers.step()).drops();
    URANDOM_VALID = 0x0c .reset(1).drops();
    // Its events are errors, which do not happen.
    EV_STATUS  = 0x10 .drops();
    EV_PENDING = 0x14 .drops();
    EV_ENABLE  = 0x18 .write(3);
}

/// The port.
#[derive(Clone, Default)]
pub(crate) struct Random {
    regs: Regs<Self>,
    numbers: Xorshift,
}

impl Peripheral for Random {
    const ACCESS: Access = Access::Words;
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::Device;
    use std::collections::BTreeSet;

    #[test]
    fn each_number_is_another_one_and_every_run_has_the_same() {
        let numbers = || {
            let mut port = Random::default();
            (0..1000)
                .map(|now| port.read(URANDOM, 4, now).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(numbers().into_iter().collect::<BTreeSet<_>>().len(), 1000);
        assert_eq!(numbers(), numbers());
    }

    #[test]
    fn there_is_always_one() {
        let mut port = Random::default();
        assert_eq!(port.read(URANDOM_VALID, 4, 0), Ok(1));
        assert_eq!(port.read(STATUS, 4, 0), Ok(1));
        assert!(port.read(0x1c, 4, 0).is_err());
    }
}
