//! DAC (RM0041 chapter 11, RM0090 14): two channels, each with a register that it holds and one that it puts out, by software, by a
//! trigger, and fed by DMA. What it puts out reaches no pin; waves, underrun and the trigger of an EXTI line are not modelled.

use std::collections::VecDeque;

use bus::{Device, DeviceError, Effect};
use serde::Deserialize;

use crate::devices::block::{Peripheral, Regs, Write, about, registers};
use crate::devices::{Around, Settings, not_modelled};

about! { Dac by DacSettings, B,
    "RM0041 11; RM0090 14",
    "holds and outputs values, at once, by software or by timers, fed by DMA",
    "its output reaches no pin; waves, underrun, the trigger of an EXTI line"
}

registers! { Dac;
    CR       = 0x00 .write(!0).refuse(WAVES, ": a wave").tries(Dac::control);
    SWTRIGR  = 0x04 .then(Dac::trigger_by_software);
    DHR12R1  = 0x08 .shows(|dac, _| dac.held[0]).then(|dac, write| dac.hold(0, write.value));
    DHR12L1  = 0x0c .shows(|dac, _| dac.held[0] << 4).then(|dac, write| dac.hold(0, write.value >> 4));
    DHR8R1   = 0x10 .shows(|dac, _| dac.held[0] >> 4).then(|dac, write| dac.hold(0, write.value << 4));
    DHR12R2  = 0x14 .shows(|dac, _| dac.held[1]).then(|dac, write| dac.hold(1, write.value));
    DHR12L2  = 0x18 .shows(|dac, _| dac.held[1] << 4).then(|dac, write| dac.hold(1, write.value >> 4));
    DHR8R2   = 0x1c .shows(|dac, _| dac.held[1] >> 4).then(|dac, write| dac.hold(1, write.value << 4));
    // Both channels in one word.
    DHR12RD  = 0x20 .shows(|dac, _| dac.held[1] << 16 | dac.held[0]).then(|dac, write| dac.hold_both(write.value, write.value >> 16));
    DHR12LD  = 0x24 .shows(|dac, _| dac.held[1] << 20 | dac.held[0] << 4).then(|dac, write| dac.hold_both(write.value >> 4, write.value >> 20));
    DHR8RD   = 0x28 .shows(|dac, _| dac.held[1] >> 4 << 8 | dac.held[0] >> 4)
        .then(|dac, write| dac.hold_both(write.value << 4 & 0xff0, write.value >> 4 & 0xff0));
    DOR      = 0x2c .times(2, 4).from(1).drops();
    SR       = 0x34 .drops();
}

/// Bits of each channel in CR: on, triggered, waves, DMA.
const EN: u32 = 1 << 0;
const TEN: u32 = 1 << 2;
const WAVES: u32 = 0x00c0_00c0;
const DMAEN: u32 = 1 << 12;
/// CR.TSEL: by software.
const SOFTWARE: u32 = 7;

/// The keys of its board file entry.
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
#[derive(Clone, Default)]
pub(crate) struct Dac {
    regs: Regs<Self>,
    triggers: Vec<u16>,
    requests: [u16; 2],
    held: [u32; 2],
    effects: VecDeque<Effect>,
}

impl Dac {
    fn new(triggers: Vec<u16>, requests: [u16; 2]) -> Dac {
        Dac {
            triggers,
            requests,
            ..Dac::default()
        }
    }

    /// CR of a channel.
    fn of(&self, channel: usize) -> u32 {
        self.regs[CR] >> (16 * channel) & 0xffff
    }

    fn hold(&mut self, channel: usize, value: u32) {
        self.held[channel] = value & 0xfff;
        if self.of(channel) & TEN == 0 {
            self.regs[DOR + 4 * channel as u32] = self.held[channel];
        }
    }

    fn trigger(&mut self, channel: usize) {
        if self.of(channel) & (EN | TEN) != EN | TEN {
            return;
        }
        self.regs[DOR + 4 * channel as u32] = self.held[channel];
        if self.of(channel) & DMAEN != 0 {
            self.effects
                .push_back(Effect::Pulse(self.requests[channel].into()));
        }
    }

    fn hold_both(&mut self, first: u32, second: u32) {
        self.hold(0, first);
        self.hold(1, second);
    }

    fn trigger_by_software(&mut self, write: Write) {
        for channel in (0..2).filter(|channel| write.value >> channel & 1 != 0) {
            if self.of(channel) >> 3 & 7 == SOFTWARE {
                self.trigger(channel);
            }
        }
    }

    fn control(&mut self, Write { value, .. }: Write) -> Result<(), DeviceError> {
        for channel in 0..2 {
            let own = value >> (16 * channel);
            let trigger = self.triggers.get((own >> 3 & 7) as usize);
            if own & TEN != 0 && own >> 3 & 7 != SOFTWARE && trigger.is_none_or(|&line| line == 0) {
                return not_modelled(format!("CR.TSEL{}, trigger {}", channel + 1, own >> 3 & 7));
            }
        }
        Ok(())
    }
}

impl Peripheral for Dac {
    fn effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    fn heard(&mut self, effect: Effect, _now: u64) -> Result<(), DeviceError> {
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
        dac.write(DHR12R1, 4, 0x77, 0).unwrap();
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
        dac.write(DHR12R1, 4, 5, 1).unwrap();
        dac.write(SWTRIGR, 4, 1, 1).unwrap();
        assert_eq!(dac.read(DOR, 4, 1), Ok(5));
    }
}
