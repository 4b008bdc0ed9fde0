//! The pins of a port: what drives them, and who hears of their levels.

use std::collections::VecDeque;

use bus::{DeviceError, Effect, Incoming, Port};

use crate::devices::block::Half;
use crate::devices::not_modelled;

/// Up to 32 pins.
#[derive(Clone, Debug)]
pub(crate) struct Pins {
    /// 0 for port A.
    port: u8,
    count: u8,
    levels: u32,
    /// Which are driven from outside, and how.
    outside: u32,
    outside_levels: u32,
    effects: VecDeque<Effect>,
}

impl Default for Pins {
    fn default() -> Pins {
        Pins {
            port: 0,
            count: 16,
            levels: 0,
            outside: 0,
            outside_levels: 0,
            effects: VecDeque::new(),
        }
    }
}

impl Pins {
    /// The pins of the port with this name; `GPIOA` is port 0.
    pub(crate) fn of(name: &str) -> Pins {
        let letter = name.bytes().next_back().unwrap_or(b'A');
        Pins {
            port: letter.to_ascii_uppercase().wrapping_sub(b'A'),
            ..Pins::default()
        }
    }

    /// `count` pins of a port, by its number.
    pub(crate) fn new(port: u8, count: u8) -> Pins {
        Pins {
            port,
            count,
            ..Pins::default()
        }
    }

    /// Sets the number of pins.
    pub(crate) fn with(self, count: u8) -> Pins {
        Pins { count, ..self }
    }

    /// The levels that reads of the pins give.
    pub(crate) fn levels(&self) -> u32 {
        self.levels
    }

    /// The port drives these levels; those of `outputs` harder than who drives them from outside.
    pub(crate) fn settle(&mut self, driven: u32, outputs: u32) {
        let outside = self.outside & !outputs;
        let levels = driven & !outside | self.outside_levels & outside;
        let changed = levels ^ self.levels;
        self.levels = levels;
        let pins = (0..self.count).filter(|pin| changed >> pin & 1 != 0);
        let effect = |pin: u8| Effect::Pin {
            port: self.port,
            pin,
            level: levels >> pin & 1 != 0,
        };
        self.effects.extend(pins.map(effect));
    }
}

impl Half for Pins {
    fn take_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// The port as seen from outside.
    fn port(&self) -> Option<Port> {
        Some(Port {
            pins: self.count,
            levels: self.levels,
        })
    }

    /// Somebody outside drives a pin, or lets it go.
    fn stimulate(&mut self, input: &Incoming, _now: u64) -> Result<(), DeviceError> {
        let (&Incoming::Pin { pin, level }, last) = (input, self.count - 1) else {
            return not_modelled("a port takes levels for its pins");
        };
        if pin > last {
            return not_modelled(format!("it has pins 0 to {last}"));
        }
        let bit = 1 << pin;
        self.outside = self.outside & !bit | if level.is_some() { bit } else { 0 };
        self.outside_levels = self.outside_levels & !bit | if level == Some(true) { bit } else { 0 };
        Ok(())
    }
}
