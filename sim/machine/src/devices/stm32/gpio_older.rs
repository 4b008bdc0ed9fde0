//! A GPIO port of STM32F1 (RM0041 chapter 7).
//!
//! A pin that nothing drives from outside reads its pull resistor, or 0 if it floats. An output reads the level that the port drives; a pin that a
//! peripheral drives reads 0.

use bus::Device;
use serde::Deserialize;

use crate::devices::block::{Access, Peripheral, Regs, about, registers};
use crate::devices::pins::Pins;
use crate::devices::{Around, Settings};

about! { OlderGpio by OlderGpioSettings, B,
    "RM0041 7",
    "outputs, pull resistors, inputs by stimuli",
    "the lock; pins of other peripherals"
}

registers! { OlderGpio pins;
    CRL  = 0x00 .reset(FLOATING).write(!0);
    CRH  = 0x04 .reset(FLOATING).write(!0);
    IDR  = 0x08 .shows(|port, _| port.pins.levels()).drops();
    ODR  = 0x0c .write(0xffff);
    // Setting wins over clearing.
    BSRR = 0x10 .then(|port, write| port.regs[ODR] = port.regs[ODR] & !(write.value >> 16) | write.value & 0xffff);
    BRR  = 0x14 .then(|port, write| port.regs[ODR] &= !write.value);
    LCKR = 0x18 .refuse(!0, ": the lock of a port's configuration").drops();
}

/// CRL and CRH after reset: floating inputs.
const FLOATING: u32 = 0x4444_4444;
/// CNF of an input with a pull resistor; of an output, that a peripheral drives it.
const PULLED: u32 = 2;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OlderGpioSettings {}

impl Settings for OlderGpioSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        Ok(Box::new(OlderGpio::new(Pins::of(around.name))))
    }
}

/// One port of sixteen pins.
#[derive(Clone, Default)]
pub(crate) struct OlderGpio {
    regs: Regs<Self>,
    pins: Pins,
}

impl OlderGpio {
    pub(crate) fn new(pins: Pins) -> Self {
        OlderGpio {
            pins,
            ..OlderGpio::default()
        }
    }

    /// The levels of pins not driven from outside.
    fn driven(&self) -> (u32, u32) {
        let (mut levels, mut outputs) = (0, 0);
        for pin in 0..16 {
            let mode = self.regs[if pin < 8 { CRL } else { CRH }] >> (4 * (pin % 8)) & 15;
            let (configuration, output) = (mode >> 2, mode & 3 != 0);
            let shown = output && configuration < PULLED || !output && configuration == PULLED;
            levels |= if shown { self.regs[ODR] & 1 << pin } else { 0 };
            outputs |= u32::from(output) << pin;
        }
        (levels, outputs)
    }
}

impl Peripheral for OlderGpio {
    const ACCESS: Access = Access::Words;

    fn settle(&mut self, _now: u64) {
        let (levels, outputs) = self.driven();
        self.pins.settle(levels, outputs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bus::{Effect, Incoming};

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
