//! `PADS_BANK0` (2.19.6.3): electrical settings, of which a pull-up is seen by whoever reads the pin.

use std::collections::VecDeque;

use bus::{Device, Effect};

use super::PINS;
use crate::devices::Around;
use crate::devices::block::{Peripheral, Regs, Write, about, registers};

about! { Pads, B,
    "RP2040 datasheet 2.19.6.3",
    "electrical settings, of which a pull-up is seen by whoever reads the pin",
    "what the others do"
}

// After reset: input on, Schmitt trigger, 4 mA, pulled down.
registers! { Pads;
    VOLTAGE_SELECT = 0x00 .write(0xff);
    GPIO  = 0x04 .times(30, 4).reset(0x56).write(0xff).then(Pads::pull);
    SWCLK = 0x7c .reset(0x56).write(0xff);
    SWD   = 0x80 .reset(0x56).write(0xff);
}

const PUE: u32 = 1 << 3;

/// The pads.
#[derive(Clone, Default)]
pub(crate) struct Pads {
    regs: Regs<Self>,
    pulls: Vec<u16>,
    effects: VecDeque<Effect>,
}

impl Pads {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        let pull = |pin: u32| around.wires.number(&format!("PULL_{pin}"));
        Box::new(Pads {
            pulls: (0..PINS).map(pull).collect(),
            ..Pads::default()
        })
    }

    fn pull(&mut self, write: Write) {
        let (number, level) = (self.pulls[write.n], write.value & PUE != 0);
        self.effects.push_back(Effect::Wire { number, level });
    }
}

impl Peripheral for Pads {
    fn effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }
}
