//! ST's converters: the older layout (RM0041 chapter 10, RM0090 13) and the later one (RM0394 16, RM0440 21).
//!
//! A channel measures what a stimulus gave (`ADC1.3@1000=2048`), as the number of twelve bits that it converts to; else 0. A conversion
//! takes its sampling time and twelve and a half cycles of the converter's clock. Watchdogs, injected channels by a trigger, two converters
//! together, and calibration that finds something are not modelled.

mod common;
mod later;
mod older;

pub(crate) use common::AdcCommonSettings;
pub(crate) use later::LaterAdcSettings;
pub(crate) use older::OlderAdcSettings;

use std::collections::BTreeMap;

use bus::{DeviceError, Incoming};

use crate::devices::not_modelled;

/// What its channels measure.
#[derive(Clone, Default, Debug)]
struct Inputs(BTreeMap<u8, u32>);

impl Inputs {
    /// With what its own channels measure: each with its value.
    fn new(values: &[[u32; 2]]) -> Result<Inputs, String> {
        let of = |&[channel, value]: &[u32; 2]| match (u8::try_from(channel), value) {
            (Ok(channel), 0..=0xfff) => Ok((channel, value)),
            _ => Err("`values` are pairs of a channel and a number from 0 to 4095".to_owned()),
        };
        values.iter().map(of).collect::<Result<_, _>>().map(Inputs)
    }

    fn stimulate(&mut self, input: &Incoming) -> Result<(), DeviceError> {
        let &Incoming::Value { channel, value } = input else {
            return not_modelled("a converter takes values for its channels");
        };
        if value > 0xfff {
            return not_modelled(format!("the value {value}: it converts to 0 to 4095"));
        }
        self.0.insert(channel, value);
        Ok(())
    }

    /// In so many bits, at the left of sixteen if it is aligned there.
    fn value(&self, channel: u32, bits: u32, left: bool) -> u32 {
        let value = self.0.get(&(channel as u8)).copied().unwrap_or(0) >> (12 - bits);
        match (left, bits) {
            (false, _) => value,
            (true, 6) => value << 2,
            (true, _) => value << (16 - bits),
        }
    }
}
