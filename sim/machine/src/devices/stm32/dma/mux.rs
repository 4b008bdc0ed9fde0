//! The DMAMUX of the G4 (RM0440 chapter 13): which request goes to which channel. Synchronisation and request generators are not modelled.

use std::collections::VecDeque;

use bus::{Device, DeviceError, Effect};
use serde::Deserialize;

use crate::devices::block::{Peripheral, Regs, about, registers};
use crate::devices::{Around, Settings};

about! { Mux by MuxSettings, D,
    "RM0440 13",
    "which request goes to which channel",
    "synchronisation, request generators"
}

registers! { Mux;
    CCR   = 0x000 .times(32, 4).write(!OTHER).refuse(OTHER, ": synchronisation").then(|mux, write| mux.tell(write.n));
    // The flags of synchronisation and of generators, and what clears them.
    CSR   = 0x080;
    CFR   = 0x084 .drops();
    RGSR  = 0x140;
    RGCFR = 0x144 .drops();
}

/// CCR: the request; the overrun interrupt, event generation and synchronisation.
const REQUEST: u32 = 0xff;
const OTHER: u32 = 0x0001_0300;

/// The keys of its board file entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MuxSettings {
    /// The lines that go out, by channel: `DMA1_CH1`.
    channels: Vec<String>,
    /// The lines that come in, by their number.
    requests: Vec<String>,
}

impl Settings for MuxSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let outputs = around.wires.numbers(&self.channels);
        Ok(Box::new(Mux::new(outputs, around.wires.numbers(&self.requests))))
    }
}

/// The multiplexer.
#[derive(Clone)]
pub(crate) struct Mux {
    regs: Regs<Self>,
    outputs: Vec<u16>,
    inputs: Vec<u16>,
    high: Vec<bool>,
    effects: VecDeque<Effect>,
}

impl Mux {
    fn new(outputs: Vec<u16>, inputs: Vec<u16>) -> Mux {
        Mux {
            regs: Regs::default(),
            outputs,
            high: vec![false; inputs.len()],
            inputs,
            effects: VecDeque::new(),
        }
    }

    fn chosen(&self, channel: usize) -> usize {
        (self.regs[CCR + 4 * channel as u32] & REQUEST) as usize
    }

    fn is_high(&self, channel: usize) -> bool {
        self.high.get(self.chosen(channel)).copied().unwrap_or(false)
    }

    fn tell(&mut self, channel: usize) {
        self.effects.push_back(Effect::Wire {
            number: self.outputs[channel],
            level: self.is_high(channel),
        });
    }
}

impl Peripheral for Mux {
    fn bank(&self, offset: u32) -> u32 {
        let exists = offset >= CSR || offset < 4 * self.outputs.len() as u32;
        if exists { offset } else { u32::MAX }
    }

    fn effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn heard(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        let (number, pulse) = match effect {
            Effect::Wire { number, .. } => (number, false),
            Effect::Pulse(number) => (u16::try_from(number).unwrap_or(0), true),
            _ => return Ok(()),
        };
        let input = self
            .inputs
            .iter()
            .position(|&input| number != 0 && input == number);
        let Some(input) = input else {
            return Ok(());
        };
        if let Effect::Wire { level, .. } = effect {
            self.high[input] = level;
        }
        for channel in 0..self.outputs.len() {
            if self.chosen(channel) != input {
                continue;
            }
            if pulse {
                self.effects
                    .push_back(Effect::Pulse(self.outputs[channel].into()));
            } else {
                self.tell(channel);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_reaches_the_channel_that_chose_it() {
        let mut mux = Mux::new(vec![10, 11], vec![0, 1, 2]);
        mux.write(4, 4, 2, 0).unwrap();
        mux.take_effect();
        mux.hear(
            Effect::Wire {
                number: 1,
                level: true,
            },
            0,
        )
        .unwrap();
        assert_eq!(mux.take_effect(), None);
        mux.hear(
            Effect::Wire {
                number: 2,
                level: true,
            },
            0,
        )
        .unwrap();
        assert_eq!(
            mux.take_effect(),
            Some(Effect::Wire {
                number: 11,
                level: true
            })
        );
        mux.hear(Effect::Pulse(2), 0).unwrap();
        assert_eq!(mux.take_effect(), Some(Effect::Pulse(11)));
        assert!(mux.write(0, 4, 1 << 16, 0).is_err());
    }
}
