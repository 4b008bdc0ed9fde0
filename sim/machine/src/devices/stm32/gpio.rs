//! A GPIO port of STM32F4, L4 and G4 (RM0090 chapter 8, RM0394 8, RM0440 9).
//!
//! A pin that nothing drives from outside reads its pull resistor, or 0 if it floats. An output, or a pin that a peripheral drives, reads the level
//! that the port drives.

use bus::Device;
use serde::Deserialize;

use crate::devices::block::{Access, Half, Peripheral, Regs, about, registers};
use crate::devices::pins::Pins;
use crate::devices::{Around, Settings};

about! { Gpio by GpioSettings, B,
    "RM0090 8; RM0394 8; RM0440 9",
    "ports: BSRR, BRR, ODR, IDR; inputs read the stimuli that drive them, else their pull resistors",
    "the pins of other peripherals, lock"
}

registers! { Gpio pins;
    MODER   = 0x00 .write(!0);
    OTYPER  = 0x04 .write(!0);
    OSPEEDR = 0x08 .write(!0);
    PUPDR   = 0x0c .write(!0);
    IDR     = 0x10 .shows(|port, _| port.pins.levels()).drops();
    ODR     = 0x14 .write(0xffff);
    // Setting wins over clearing.
    BSRR    = 0x18 .then(|port, write| port.regs[ODR] = port.regs[ODR] & !(write.value >> 16) | write.value & 0xffff);
    LCKR    = 0x1c .refuse(!0, ": the lock of a port's configuration").drops();
    AFRL    = 0x20 .write(!0);
    AFRH    = 0x24 .write(!0);
    // From the L4 on.
    BRR     = 0x28 .then(|port, write| port.regs[ODR] &= !write.value);
}

const INPUT: u32 = 0;
const OUTPUT: u32 = 1;
const PULL_UP: u32 = 1;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GpioSettings {
    /// MODER, OSPEEDR and PUPDR after reset.
    #[serde(default)]
    reset: [u32; 3],
    /// The kind of peripheral says it.
    #[serde(skip)]
    has_brr: bool,
}

impl GpioSettings {
    pub(crate) fn with_brr(self) -> GpioSettings {
        GpioSettings {
            has_brr: true,
            ..self
        }
    }
}

impl Settings for GpioSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        Ok(Box::new(Gpio::new(
            self.reset,
            self.has_brr,
            Pins::of(around.name),
        )))
    }
}

/// One port of sixteen pins.
#[derive(Clone, Default)]
pub(crate) struct Gpio {
    regs: Regs<Self>,
    has_brr: bool,
    pins: Pins,
}

impl Gpio {
    /// `reset` is what MODER, OSPEEDR and PUPDR hold after reset: the debug port's pins differ from the others.
    pub(crate) fn new(reset: [u32; 3], has_brr: bool, pins: Pins) -> Self {
        let mut port = Gpio {
            has_brr,
            pins,
            ..Gpio::default()
        };
        for (register, value) in [MODER, OSPEEDR, PUPDR].into_iter().zip(reset) {
            port.regs[register] = value;
        }
        // Pin levels at reset have no listener yet.
        port.settle(0);
        while port.pins.take_effect().is_some() {}
        port
    }

    /// The levels of pins not driven from outside.
    fn driven(&self) -> u32 {
        let two_bits = |register: u32, pin: u32| self.regs[register] >> (2 * pin) & 3;
        let level = |pin: u32| match two_bits(MODER, pin) {
            OUTPUT => self.regs[ODR] >> pin & 1,
            INPUT => u32::from(two_bits(PUPDR, pin) == PULL_UP),
            _ => 0,
        };
        (0..16).fold(0, |levels, pin| levels | level(pin) << pin)
    }
}

impl Peripheral for Gpio {
    const ACCESS: Access = Access::Merged;

    fn bank(&self, offset: u32) -> u32 {
        if offset >= BRR && !self.has_brr {
            u32::MAX
        } else {
            offset
        }
    }

    fn settle(&mut self, _now: u64) {
        let outputs = (0..16).filter(|pin| self.regs[MODER] >> (2 * pin) & 3 == OUTPUT);
        let outputs = outputs.fold(0, |all, pin| all | 1 << pin);
        self.pins.settle(self.driven(), outputs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port() -> Gpio {
        Gpio::new([0xa800_0000, 0, 0x6400_0000], false, Pins::default())
    }

    #[test]
    fn bsrr_sets_and_clears_and_setting_wins() {
        let mut port = port();
        port.write(PUPDR, 4, 0, 0).unwrap();
        port.write(MODER, 4, 0b01 << 10 | 0b01, 0).unwrap();
        port.write(BSRR, 4, 1 << 5, 0).unwrap();
        assert_eq!(port.read(IDR, 4, 0), Ok(1 << 5));
        port.write(BSRR, 4, 1 << 21 | 1 << 16 | 1, 0).unwrap();
        assert_eq!(port.read(ODR, 4, 0), Ok(1));
    }

    #[test]
    fn an_input_reads_its_pull_resistor() {
        let mut port = port();
        port.write(PUPDR, 4, 0b01 << 8 | 0b10 << 2, 0).unwrap();
        assert_eq!(port.read(IDR, 4, 0), Ok(1 << 4));
    }

    #[test]
    fn half_of_bsrr_is_written_alone() {
        let mut port = port();
        port.write(ODR, 4, 0xff, 0).unwrap();
        port.write(BSRR + 2, 2, 0x0f, 0).unwrap();
        assert_eq!(port.read(ODR, 1, 0), Ok(0xf0));
    }

    #[test]
    fn only_later_families_have_brr() {
        assert!(port().write(BRR, 4, 1, 0).is_err());
        let mut later = Gpio::new([u32::MAX, 0, 0], true, Pins::default());
        later.write(ODR, 4, 3, 0).unwrap();
        later.write(BRR, 4, 1, 0).unwrap();
        assert_eq!(later.read(ODR, 4, 0), Ok(2));
    }
}
