//! `PADS_BANK0` (2.19.6.3): electrical settings, of which a pull-up is seen by whoever reads the pin.

use std::collections::VecDeque;

use bus::{Device, DeviceError, Effect};

use super::PINS;
use crate::devices::{Around, not_modelled};

const PUE: u32 = 1 << 3;
/// After reset: input on, Schmitt trigger, 4 mA, pulled down.
const RESET: u32 = 0x56;

/// `VOLTAGE_SELECT`, the pins, SWCLK and SWD.
#[derive(Clone)]
pub(crate) struct Pads {
    held: [u32; PINS as usize + 3],
    pulls: Vec<u16>,
    effects: VecDeque<Effect>,
}

impl Pads {
    pub(crate) fn of(around: &Around<'_>) -> Box<dyn Device> {
        let pull = |pin: u32| around.wires.number(&format!("PULL_{pin}"));
        let mut held = [RESET; PINS as usize + 3];
        held[0] = 0;
        Box::new(Pads {
            held,
            pulls: (0..PINS).map(pull).collect(),
            effects: VecDeque::new(),
        })
    }
}

impl Device for Pads {
    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        let held = self.held.get(offset as usize / 4).copied();
        held.map_or_else(|| not_modelled(format!("a read of offset {offset:#x}")), Ok)
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        let index = offset as usize / 4;
        let Some(held) = self.held.get_mut(index) else {
            return not_modelled(format!("a write of {value:#x} to offset {offset:#x}"));
        };
        *held = value & 0xff;
        if let Some(&number) = index.checked_sub(1).and_then(|pin| self.pulls.get(pin)) {
            let level = value & PUE != 0;
            self.effects.push_back(Effect::Wire { number, level });
        }
        Ok(())
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }
}
