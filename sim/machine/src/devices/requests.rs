//! The lines by which peripherals request DMA transfers.

use std::collections::BTreeSet;

use bus::Effect;

/// The current requests.
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

    /// Drops pulses from before a channel listened.
    pub(crate) fn forget(&mut self, line: u16) {
        self.pulsed.remove(&line);
    }
}
