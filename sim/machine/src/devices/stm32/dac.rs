//! DAC (RM0041 chapter 11, RM0090 14): two channels, each with a register that it holds and one that it puts out, by software, by a
//! trigger, and fed by DMA. What it puts out reaches no pin; waves, underrun and the trigger of an EXTI line are not modelled.

use std::collections::VecDeque;

use bus::{Device, DeviceError, Effect};
use serde::Deserialize;

use crate::devices::{Around, Settings, not_modelled};

const CR: u32 = 0x00;
const SWTRIGR: u32 = 0x04;
const DHR: u32 = 0x08;
/// Both channels in one word: right, left, eight bits.
const DHR12RD: u32 = 0x20;
const DHR8RD: u32 = 0x28;
const DOR: u32 = 0x2c;
const SR: u32 = 0x34;
/// Of each channel in CR: on, triggered, waves, DMA.
const EN: u32 = 1 << 0;
const TEN: u32 = 1 << 2;
const WAVES: u32 = 0x00c0_00c0;
const DMAEN: u32 = 1 << 12;
/// CR.TSEL: by software.
const SOFTWARE: u32 = 7;

/// What a board file says of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DacSettings {
    /// The lines that can trigger it, by the value of CR.TSEL.
    triggers: Vec<String>,
}

impl Settings for DacSettings {
    fn device(&self, around: &Around<'_>) -> Result<Box<dyn Device>, String> {
        let requests = [around.wire("CH1"), around.wire("CH2")];
        Ok(Box::new(Dac::new(around.wires.numbers(&self.triggers), requests)))
    }
}

/// The converter.
#[derive(Clone)]
pub(crate) struct Dac {
    triggers: Vec<u16>,
    requests: [u16; 2],
    control: u32,
    held: [u32; 2],
    out: [u32; 2],
    effects: VecDeque<Effect>,
}

impl Dac {
    fn new(triggers: Vec<u16>, requests: [u16; 2]) -> Dac {
        Dac {
            triggers,
            requests,
            control: 0,
            held: [0; 2],
            out: [0; 2],
            effects: VecDeque::new(),
        }
    }

    /// CR of a channel.
    fn of(&self, channel: usize) -> u32 {
        self.control >> (16 * channel) & 0xffff
    }

    fn hold(&mut self, channel: usize, value: u32) {
        self.held[channel] = value & 0xfff;
        if self.of(channel) & TEN == 0 {
            self.out[channel] = self.held[channel];
        }
    }

    fn trigger(&mut self, channel: usize) {
        if self.of(channel) & (EN | TEN) != EN | TEN {
            return;
        }
        self.out[channel] = self.held[channel];
        if self.of(channel) & DMAEN != 0 {
            self.effects
                .push_back(Effect::Pulse(self.requests[channel].into()));
        }
    }

    fn write_control(&mut self, value: u32) -> Result<(), DeviceError> {
        if value & WAVES != 0 {
            return not_modelled(format!("CR, a write of {value:#x}: a wave"));
        }
        for channel in 0..2 {
            let own = value >> (16 * channel);
            let trigger = self.triggers.get((own >> 3 & 7) as usize);
            if own & TEN != 0 && own >> 3 & 7 != SOFTWARE && trigger.is_none_or(|&line| line == 0) {
                return not_modelled(format!("CR.TSEL{}, trigger {}", channel + 1, own >> 3 & 7));
            }
        }
        self.control = value;
        Ok(())
    }
}

impl Device for Dac {
    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        let channel = usize::from(offset >= 0x14);
        let [first, second] = self.held;
        match offset & !3 {
            CR => Ok(self.control),
            SWTRIGR | SR => Ok(0),
            register @ DHR..DHR12RD => Ok(match (register - DHR) % 12 {
                0 => self.held[channel],
                4 => self.held[channel] << 4,
                _ => self.held[channel] >> 4,
            }),
            DHR12RD => Ok(second << 16 | first),
            0x24 => Ok(second << 20 | first << 4),
            DHR8RD => Ok(second >> 4 << 8 | first >> 4),
            register @ DOR..SR => Ok(self.out[((register - DOR) / 4) as usize]),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        match offset & !3 {
            CR => return self.write_control(value),
            SWTRIGR => {
                for channel in (0..2).filter(|channel| value >> channel & 1 != 0) {
                    if self.of(channel) >> 3 & 7 == SOFTWARE {
                        self.trigger(channel);
                    }
                }
            }
            register @ DHR..DHR12RD => {
                let channel = ((register - DHR) / 12) as usize;
                self.hold(
                    channel,
                    [value, value >> 4, value << 4][((register - DHR) / 4 % 3) as usize],
                );
            }
            register @ DHR12RD..DOR => {
                let (first, second) = [
                    (value, value >> 16),
                    (value >> 4, value >> 20),
                    (value << 4 & 0xff0, value >> 4 & 0xff0),
                ][((register - DHR12RD) / 4) as usize];
                self.hold(0, first);
                self.hold(1, second);
            }
            DOR..=SR => {}
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }

    fn take_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn hear(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
        if let Effect::Pulse(line) = effect {
            for channel in 0..2 {
                let chosen = self.triggers.get((self.of(channel) >> 3 & 7) as usize);
                if chosen.is_some_and(|&chosen| chosen != 0 && u32::from(chosen) == line) {
                    self.trigger(channel);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_put_out_at_once_or_by_its_trigger_which_asks_for_the_next() {
        let mut dac = Dac::new(vec![5, 0], [8, 9]);
        dac.write(CR, 4, EN | EN << 16, 0).unwrap();
        for (offset, value, out) in [(0x08, 0x123, 0x123), (0x0c, 0x1230, 0x123), (0x10, 0x12, 0x120)] {
            dac.write(offset, 4, value, 0).unwrap();
            assert_eq!(dac.read(DOR, 4, 0), Ok(out));
        }
        dac.write(DHR8RD, 4, 0x3412, 0).unwrap();
        assert_eq!(
            (dac.read(0x14, 4, 0), dac.read(DHR12RD, 4, 0)),
            (Ok(0x340), Ok(0x0340_0120))
        );
        dac.write(CR, 4, EN | TEN | DMAEN, 0).unwrap();
        dac.write(DHR, 4, 0x77, 0).unwrap();
        assert_eq!((dac.read(DOR, 4, 0), dac.take_effect()), (Ok(0x120), None));
        dac.hear(Effect::Pulse(5), 1).unwrap();
        assert_eq!(
            (dac.read(DOR, 4, 1), dac.take_effect()),
            (Ok(0x77), Some(Effect::Pulse(8)))
        );
        assert!(
            dac.write(CR, 4, EN | TEN | 1 << 3, 1).is_err(),
            "a trigger that is not there"
        );
        assert!(dac.write(CR, 4, EN | 1 << 6, 1).is_err(), "a wave");
        dac.write(CR, 4, EN | TEN | SOFTWARE << 3, 1).unwrap();
        dac.write(DHR, 4, 5, 1).unwrap();
        dac.write(SWTRIGR, 4, 1, 1).unwrap();
        assert_eq!(dac.read(DOR, 4, 1), Ok(5));
    }
}
