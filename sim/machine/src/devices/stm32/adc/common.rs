//! Shared by several converters: their clock, which CCR selects.

use std::collections::VecDeque;

use bus::{ClockId, Device, DeviceError, Effect};
use serde::Deserialize;

use crate::devices::block::{Peripheral, Regs, about, registers};
use crate::devices::{Around, Settings};

about! { Common by AdcCommonSettings, B,
    "RM0090 13; RM0394 16; RM0440 21",
    "the converters' clock, which CCR selects and divides",
    "two converters together"
}

registers! { Common;
    CSR = 0x00 .unread(": the flags of all converters; each has them in its own register");
    CCR = 0x04 .write(!TOGETHER).refuse(TOGETHER, ": two converters together").then(|common, _| common.tell());
}

/// CCR: two converters together.
const TOGETHER: u32 = 0x1f;
/// The clock divisors of PRESC.
const PRESCALER: [u32; 16] = [1, 2, 4, 6, 8, 10, 12, 16, 32, 64, 128, 256, 256, 256, 256, 256];

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdcCommonSettings {
    /// The clock of the bus.
    clock: Option<String>,
    /// The clock that the converters can have in place of it: of the later layout.
    kernel: Option<String>,
    /// The name of the converters' clock.
    makes: String,
}

impl Settings for AdcCommonSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let kernel = self
            .kernel
            .as_deref()
            .map(|name| around.clocks.wanted(Some(name)));
        let bus = around.clocks.wanted(self.clock.as_deref())?;
        let makes = around.clocks.wanted(Some(&self.makes))?;
        Ok(Box::new(Common::new(bus, kernel.transpose()?, makes)))
    }

    fn clocks(&self) -> Vec<&str> {
        vec![&self.makes]
    }
}

/// The block.
#[derive(Clone)]
pub(crate) struct Common {
    regs: Regs<Self>,
    bus: ClockId,
    kernel: Option<ClockId>,
    makes: ClockId,
    /// The frequencies of the bus clock and the other one.
    hz: [u32; 2],
    effects: VecDeque<Effect>,
}

impl Common {
    fn new(bus: ClockId, kernel: Option<ClockId>, makes: ClockId) -> Common {
        Common {
            regs: Regs::default(),
            bus,
            kernel,
            makes,
            hz: [0; 2],
            effects: VecDeque::new(),
        }
    }

    fn tell(&mut self) {
        let [bus, kernel] = self.hz;
        let control = self.regs[CCR];
        let field = control >> 16 & 3;
        let hz = match (self.kernel, field) {
            (None, _) => bus / (2 * (field + 1)),
            (Some(_), 0) => kernel / PRESCALER[(control >> 18 & 15) as usize],
            (Some(_), field) => bus >> (field - 1),
        };
        self.effects.push_back(Effect::Clock(self.makes, hz));
    }
}

impl Peripheral for Common {
    /// The later layout has CCR one register on.
    fn bank(&self, offset: u32) -> u32 {
        let control = CCR + if self.kernel.is_some() { 4 } else { 0 };
        match offset & !3 {
            CSR => CSR,
            register if register == control => CCR,
            _ => u32::MAX,
        }
    }

    fn effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn heard(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        if let Effect::Clock(id, hz) = effect {
            if id == self.bus {
                self.hz[0] = hz;
            }
            if Some(id) == self.kernel {
                self.hz[1] = hz;
            }
            if id == self.bus || Some(id) == self.kernel {
                self.tell();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(kernel: Option<ClockId>) -> Common {
        Common::new(ClockId(1), kernel, ClockId(3))
    }

    fn hz(common: &mut Common) -> u32 {
        let mut hz = 0;
        while let Some(Effect::Clock(ClockId(3), told)) = common.take_effect() {
            hz = told;
        }
        hz
    }

    #[test]
    fn the_converters_clock_is_divided() {
        let mut older = common(None);
        older.hear(Effect::Clock(ClockId(1), 84_000_000), 0).unwrap();
        assert_eq!(hz(&mut older), 42_000_000);
        older.write(4, 4, 1 << 16, 0).unwrap();
        assert_eq!(hz(&mut older), 21_000_000);
        let mut later = common(Some(ClockId(2)));
        later.hear(Effect::Clock(ClockId(1), 80_000_000), 0).unwrap();
        later.hear(Effect::Clock(ClockId(2), 64_000_000), 0).unwrap();
        assert_eq!(hz(&mut later), 64_000_000);
        later.write(8, 4, 2 << 16, 0).unwrap();
        assert_eq!(hz(&mut later), 40_000_000);
        assert!(later.write(8, 4, 6, 0).is_err(), "two converters together");
    }
}
