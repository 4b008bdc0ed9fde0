//! The lines on which peripherals request transfers, as a controller of DMA hears of them.

use std::collections::BTreeSet;

use bus::Effect;

/// What peripherals request.
#[derive(Clone, Default, Debug)]
pub(crate) struct Requests {
    high: BTreeSet<u16>,
    /// Pulses that nobody served yet.
    pulsed: BTreeSet<u16>,
}

impl Requests {
    /// Hears of a line; says whether it may matter.
    pub(crate) fn hear(&mut self, effect: Effect) -> bool {
        match effect {
            Effect::Wire { number, level: true } => self.high.insert(number),
            Effect::Wire { number, level: false } => self.high.remove(&number),
            Effect::Pulse(number) => u16::try_from(number).is_ok_and(|number| self.pulsed.insert(number)),
            _ => false,
        }
    }

    pub(crate) fn wants(&self, line: u16) -> bool {
        line != 0 && (self.high.contains(&line) || self.pulsed.contains(&line))
    }

    /// An item was transferred for this line.
    pub(crate) fn served(&mut self, line: u16) {
        self.pulsed.remove(&line);
    }

    /// What was pulsed before a channel listens is not for it.
    pub(crate) fn forget(&mut self, line: u16) {
        self.pulsed.remove(&line);
    }
}
