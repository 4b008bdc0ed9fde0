//! The DMAMUX of the G4 (RM0440 chapter 13): which request goes to which channel. Synchronisation and request generators are not modelled.

use std::collections::VecDeque;

use bus::{Device, DeviceError, Effect};
use serde::Deserialize;

use crate::devices::{Around, Settings, not_modelled};

/// `CxCR`: the request; the overrun interrupt, event generation and synchronisation.
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
        Ok(Box::new(Mux {
            outputs: around.wires.numbers(&self.channels),
            inputs: around.wires.numbers(&self.requests),
            control: vec![0; self.channels.len()],
            high: vec![false; self.requests.len()],
            effects: VecDeque::new(),
        }))
    }
}

/// The multiplexer.
#[derive(Clone)]
pub(crate) struct Mux {
    outputs: Vec<u16>,
    inputs: Vec<u16>,
    control: Vec<u32>,
    high: Vec<bool>,
    effects: VecDeque<Effect>,
}

impl Mux {
    fn is_high(&self, channel: usize) -> bool {
        let request = (self.control[channel] & REQUEST) as usize;
        self.high.get(request).copied().unwrap_or(false)
    }

    fn tell(&mut self, channel: usize) {
        self.effects.push_back(Effect::Wire {
            number: self.outputs[channel],
            level: self.is_high(channel),
        });
    }
}

impl Device for Mux {
    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        match self.control.get(offset as usize / 4) {
            Some(&control) => Ok(control),
            // The flags of synchronisation and of generators.
            None if matches!(offset & !3, 0x80 | 0x140) => Ok(0),
            None => not_modelled(format!("a read of offset {offset:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        let channel = offset as usize / 4;
        match self.control.get_mut(channel) {
            Some(_) if value & OTHER != 0 => not_modelled(format!("C{channel}CR, a write of {value:#x}")),
            Some(control) => {
                *control = value;
                self.tell(channel);
                Ok(())
            }
            None if matches!(offset & !3, 0x84 | 0x144) => Ok(()),
            None => not_modelled(format!("a write of {value:#x} to offset {offset:#x}")),
        }
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn hear(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
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
        for channel in 0..self.control.len() {
            if (self.control[channel] & REQUEST) as usize != input {
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
        let mut mux = Mux {
            outputs: vec![10, 11],
            inputs: vec![0, 1, 2],
            control: vec![0; 2],
            high: vec![false; 3],
            effects: VecDeque::new(),
        };
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
