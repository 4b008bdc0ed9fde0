//! ST's DMA controllers: channels (F1, L4 and G4: RM0041 chapter 9, RM0394 11, RM0440 12) and streams (F4: RM0090 chapter 10).
//!
//! An item is transferred in the cycle in which it is requested, and takes none of the core's cycles ([`bus::Request`]): arbitration,
//! priorities and bursts change nothing (mark D).

mod channel;
mod channels;
mod mux;
mod streams;

pub(crate) use channels::DmaSettings;
pub(crate) use mux::MuxSettings;
pub(crate) use streams::StreamsSettings;

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
    fn hear(&mut self, effect: Effect) -> bool {
        match effect {
            Effect::Wire { number, level: true } => self.high.insert(number),
            Effect::Wire { number, level: false } => self.high.remove(&number),
            Effect::Pulse(number) => u16::try_from(number).is_ok_and(|number| self.pulsed.insert(number)),
            _ => false,
        }
    }

    fn wants(&self, line: u16) -> bool {
        line != 0 && (self.high.contains(&line) || self.pulsed.contains(&line))
    }

    /// An item was transferred for this line.
    fn served(&mut self, line: u16) {
        self.pulsed.remove(&line);
    }

    /// What was pulsed before a channel listens is not for it.
    fn forget(&mut self, line: u16) {
        self.pulsed.remove(&line);
    }
}
