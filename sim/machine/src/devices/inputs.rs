//! The values on a converter's channels: those of stimuli, otherwise those of the board file, otherwise 0.

use std::collections::BTreeMap;

use bus::{DeviceError, Incoming};

use super::not_modelled;

/// The last channel that a register can select.
const LAST: u8 = 31;

/// The value on each channel.
#[derive(Clone, Default, Debug)]
pub(crate) struct Inputs(BTreeMap<u8, u32>);

impl Inputs {
    /// With what its own channels measure: each with its value.
    pub(crate) fn new(values: &[[u32; 2]]) -> Result<Inputs, String> {
        let of = |&[channel, value]: &[u32; 2]| match (u8::try_from(channel), value) {
            (Ok(channel), 0..=0xfff) => Ok((channel, value)),
            _ => Err("`values` are pairs of a channel and a number from 0 to 4095".to_owned()),
        };
        values.iter().map(of).collect::<Result<_, _>>().map(Inputs)
    }

    pub(crate) fn stimulate(&mut self, input: &Incoming) -> Result<(), DeviceError> {
        let &Incoming::Value { channel, value } = input else {
            return not_modelled("a converter takes values for its channels");
        };
        if channel > LAST {
            return not_modelled(format!(
                "a value for channel {channel}: it has channels 0 to {LAST} at the most"
            ));
        }
        if value > 0xfff {
            return not_modelled(format!("the value {value}: it converts to 0 to 4095"));
        }
        self.0.insert(channel, value);
        Ok(())
    }

    /// The value in `bits` bits, left-aligned in sixteen if `left`.
    pub(crate) fn value(&self, channel: u32, bits: u32, left: bool) -> u32 {
        let value = self.0.get(&(channel as u8)).copied().unwrap_or(0) >> (12 - bits);
        match (left, bits) {
            (false, _) => value,
            (true, 6) => value << 2,
            (true, _) => value << (16 - bits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_that_no_register_can_name_takes_no_value() {
        let mut inputs = Inputs::default();
        let value = |channel| Incoming::Value { channel, value: 7 };
        assert_eq!(inputs.stimulate(&value(LAST)), Ok(()));
        assert!(
            inputs
                .stimulate(&value(99))
                .unwrap_err()
                .to_string()
                .contains("channel 99")
        );
    }
}
