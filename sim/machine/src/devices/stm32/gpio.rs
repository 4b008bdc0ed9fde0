//! A GPIO port of STM32F4, L4 and G4 (RM0090 chapter 8, RM0394 8, RM0440 9).
//!
//! What is not driven from outside reads its pull resistor, a floating input 0; an output, or a pin that a peripheral drives,
//! reads what the port drives.

use bus::{Device, DeviceError, Effect, Incoming, Port};
use serde::Deserialize;

use crate::devices::pins::Pins;
use crate::devices::{Around, Settings, not_modelled};

const MODER: u32 = 0x00;
const PUPDR: u32 = 0x0c;
const IDR: u32 = 0x10;
const ODR: u32 = 0x14;
const BSRR: u32 = 0x18;
const LCKR: u32 = 0x1c;
const AFRH: u32 = 0x24;
const BRR: u32 = 0x28;

const INPUT: u32 = 0;
const OUTPUT: u32 = 1;
const PULL_UP: u32 = 1;

/// What a board file says of it.
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
#[derive(Clone)]
pub(crate) struct Gpio {
    /// MODER, OTYPER, OSPEEDR, PUPDR, and from 0x20 on AFRL and AFRH: at their offsets.
    held: [u32; 10],
    output: u32,
    /// BRR exists from the L4 on.
    has_brr: bool,
    pins: Pins,
}

impl Gpio {
    /// `reset` is what MODER, OSPEEDR and PUPDR hold after reset: the debug port's pins differ from the others.
    pub(crate) fn new(reset: [u32; 3], has_brr: bool, pins: Pins) -> Self {
        let [mode, speed, pull] = reset;
        let mut port = Gpio {
            held: [mode, 0, speed, pull, 0, 0, 0, 0, 0, 0],
            output: 0,
            has_brr,
            pins,
        };
        // Nobody hears what the pins are at reset.
        port.settle();
        while port.pins.take_effect().is_some() {}
        port
    }

    fn settle(&mut self) {
        let outputs = (0..16).filter(|pin| self.held[0] >> (2 * pin) & 3 == OUTPUT);
        let outputs = outputs.fold(0, |all, pin| all | 1 << pin);
        self.pins.settle(self.driven(), outputs);
    }

    /// What the pins read that nobody drives from outside.
    fn driven(&self) -> u32 {
        let two_bits = |register: u32, pin: u32| self.held[register as usize / 4] >> (2 * pin) & 3;
        let level = |pin: u32| match two_bits(MODER, pin) {
            OUTPUT => self.output >> pin & 1,
            INPUT => u32::from(two_bits(PUPDR, pin) == PULL_UP),
            _ => 0,
        };
        (0..16).fold(0, |levels, pin| levels | level(pin) << pin)
    }

    fn read_word(&self, register: u32) -> Result<u32, DeviceError> {
        match register {
            IDR => Ok(self.pins.levels()),
            ODR => Ok(self.output),
            BSRR | LCKR => Ok(0),
            BRR if self.has_brr => Ok(0),
            _ if register <= AFRH => Ok(self.held[register as usize / 4]),
            _ => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write_word(&mut self, register: u32, value: u32) -> Result<(), DeviceError> {
        match register {
            IDR => {}
            ODR => self.output = value & 0xffff,
            // Setting wins over clearing.
            BSRR => self.output = self.output & !(value >> 16) | value & 0xffff,
            LCKR if value == 0 => {}
            LCKR => return not_modelled("LCKR, the lock of a port's configuration"),
            BRR if self.has_brr => self.output &= !value,
            _ if register <= AFRH => self.held[register as usize / 4] = value,
            _ => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }
}

impl Device for Gpio {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, _now: u64) -> Result<u32, DeviceError> {
        let word = self.read_word(offset & !3)?;
        Ok(word >> (8 * (offset & 3)) & u32::MAX >> (32 - 8 * size))
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        let shift = 8 * (offset & 3);
        let part = (u32::MAX >> (32 - 8 * size)) << shift;
        let rest = self.read_word(offset & !3)? & !part;
        self.write_word(offset & !3, rest | value << shift & part)?;
        self.settle();
        Ok(())
    }

    fn port(&self) -> Option<Port> {
        Some(self.pins.port())
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.pins.take_effect()
    }

    fn stimulate(&mut self, input: &Incoming, _now: u64) -> Result<(), DeviceError> {
        self.pins.stimulate(input)?;
        self.settle();
        Ok(())
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
