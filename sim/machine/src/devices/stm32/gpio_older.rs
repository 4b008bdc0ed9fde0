//! A GPIO port of STM32F1 (RM0041 chapter 7).
//!
//! What is not driven from outside reads its pull resistor, a floating input 0; an output reads what the port drives, and so
//! does a pin that a peripheral drives: 0.

use bus::{Device, DeviceError, Effect, Incoming, Port};
use serde::Deserialize;

use crate::devices::pins::Pins;
use crate::devices::{Around, Settings, not_modelled};

const CRL: u32 = 0x00;
const CRH: u32 = 0x04;
const IDR: u32 = 0x08;
const ODR: u32 = 0x0c;
const BSRR: u32 = 0x10;
const BRR: u32 = 0x14;
const LCKR: u32 = 0x18;
/// CRL and CRH after reset: floating inputs.
const FLOATING: u32 = 0x4444_4444;
/// CNF of an input with a pull resistor; of an output, that a peripheral drives it.
const PULLED: u32 = 2;

/// What a board file says of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OlderGpioSettings {}

impl Settings for OlderGpioSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        Ok(Box::new(OlderGpio::new(Pins::of(around.name))))
    }
}

/// One port of sixteen pins.
#[derive(Clone)]
pub(crate) struct OlderGpio {
    modes: [u32; 2],
    output: u32,
    pins: Pins,
}

impl OlderGpio {
    pub(crate) fn new(pins: Pins) -> Self {
        OlderGpio {
            modes: [FLOATING; 2],
            output: 0,
            pins,
        }
    }

    /// What the pins read that nobody drives from outside.
    fn driven(&self) -> (u32, u32) {
        let (mut levels, mut outputs) = (0, 0);
        for pin in 0..16 {
            let mode = self.modes[pin / 8] >> (4 * (pin % 8)) & 15;
            let (configuration, output) = (mode >> 2, mode & 3 != 0);
            let shown = output && configuration < PULLED || !output && configuration == PULLED;
            levels |= if shown { self.output & 1 << pin } else { 0 };
            outputs |= u32::from(output) << pin;
        }
        (levels, outputs)
    }

    fn settle(&mut self) {
        let (levels, outputs) = self.driven();
        self.pins.settle(levels, outputs);
    }
}

impl Device for OlderGpio {
    fn takes_parts(&self) -> bool {
        true
    }

    fn read(&mut self, offset: u32, size: u32, _now: u64) -> Result<u32, DeviceError> {
        if size != 4 || !offset.is_multiple_of(4) {
            return not_modelled(format!("offset {offset:#x}, an access of {size} bytes"));
        }
        match offset {
            CRL | CRH => Ok(self.modes[offset as usize / 4]),
            IDR => Ok(self.pins.levels()),
            ODR => Ok(self.output),
            BSRR | BRR | LCKR => Ok(0),
            _ => not_modelled(format!("a read of offset {offset:#x}")),
        }
    }

    fn write(&mut self, offset: u32, size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        if size != 4 || !offset.is_multiple_of(4) {
            return not_modelled(format!("offset {offset:#x}, an access of {size} bytes"));
        }
        match offset {
            CRL | CRH => self.modes[offset as usize / 4] = value,
            IDR => {}
            ODR => self.output = value & 0xffff,
            // Setting wins over clearing.
            BSRR => self.output = self.output & !(value >> 16) | value & 0xffff,
            BRR => self.output &= !value,
            LCKR if value == 0 => {}
            LCKR => return not_modelled("LCKR, the lock of a port's configuration"),
            _ => return not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
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

    #[test]
    fn outputs_pull_resistors_and_what_comes_from_outside() {
        let mut port = OlderGpio::new(Pins::of("GPIOC"));
        // Pin 8 an output, pin 9 pulled up, pin 0 floating.
        port.write(CRH, 4, 0x4444_4481, 0).unwrap();
        port.write(BSRR, 4, 1 << 8 | 1 << 9, 0).unwrap();
        assert_eq!(port.read(IDR, 4, 0), Ok(0x300));
        let level = |pin, level| Incoming::Pin { pin, level };
        port.stimulate(&level(9, Some(false)), 5).unwrap();
        port.stimulate(&level(0, Some(true)), 5).unwrap();
        port.stimulate(&level(8, Some(false)), 5).unwrap();
        assert_eq!(port.read(IDR, 4, 9), Ok(0x101), "an output drives harder");
        port.stimulate(&level(9, None), 5).unwrap();
        port.write(BRR, 4, 1 << 8, 0).unwrap();
        assert_eq!(port.read(IDR, 4, 9), Ok(0x201));
        assert!(port.stimulate(&level(16, None), 5).is_err());
        let told: Vec<Effect> = std::iter::from_fn(|| port.take_effect()).collect();
        let pin = |pin, level| Effect::Pin { port: 2, pin, level };
        assert_eq!(told[..3], [pin(8, true), pin(9, true), pin(9, false)]);
    }
}
