//! A channel of the SAADC: its inputs, its gain, and its conversion.

use std::collections::BTreeMap;

use bus::{DeviceError, Incoming};

use crate::devices::not_modelled;

/// Inputs, as stimuli and board files number them: AIN0 to AIN7, then the supply, and a fifth of VDDH.
const SUPPLY: u8 = 8;
const SUPPLY_FIFTH: u8 = 12;
/// The supply of a board, in microvolts, where nothing says otherwise.
const SUPPLIED: i64 = 3_000_000;
/// The internal reference.
const REFERENCE: i64 = 600_000;

/// The voltages at the inputs, in microvolts.
#[derive(Clone, Default)]
pub(super) struct Voltages(BTreeMap<u8, u32>);

impl Voltages {
    /// With what a board file says: each input with its microvolts.
    pub(super) fn new(values: &[[u32; 2]]) -> Result<Voltages, String> {
        let mut voltages = Voltages::default();
        for &[input, microvolts] in values {
            let input = u8::try_from(input).unwrap_or(u8::MAX);
            voltages.set(input, microvolts)?;
        }
        Ok(voltages)
    }

    fn set(&mut self, input: u8, microvolts: u32) -> Result<(), String> {
        match (input, microvolts) {
            (0..=SUPPLY | SUPPLY_FIFTH, 0..=5_500_000) => {
                self.0.insert(input, microvolts);
                Ok(())
            }
            (0..=SUPPLY | SUPPLY_FIFTH, _) => {
                Err(format!("{microvolts} microvolts: an input has at most 5.5 V"))
            }
            _ => Err("its inputs are 0 to 7 (AIN0 to AIN7), 8 (VDD) and 12 (a fifth of VDDH)".into()),
        }
    }

    pub(super) fn stimulate(&mut self, input: &Incoming) -> Result<(), DeviceError> {
        let &Incoming::Value { channel, value } = input else {
            return not_modelled("it takes microvolts for its inputs");
        };
        self.set(channel, value).or_else(not_modelled)
    }

    fn supply(&self) -> i64 {
        self.0
            .get(&SUPPLY)
            .map_or(SUPPLIED, |&microvolts| microvolts.into())
    }

    /// At what a PSEL register selects; with these resistors, where nobody drives it.
    fn at(&self, select: u32, resistors: u32) -> i64 {
        let Some(input) = select.checked_sub(1) else {
            return 0;
        };
        let driven = self.0.get(&(input as u8)).map(|&microvolts| microvolts.into());
        driven.unwrap_or(match (input as u8, resistors) {
            (SUPPLY, _) => SUPPLIED,
            (SUPPLY_FIFTH, _) => self.supply() / 5,
            (_, 2) => self.supply(),
            (_, 3) => self.supply() / 2,
            _ => 0,
        })
    }
}

/// One channel, by its PSELP, PSELN, CONFIG and LIMIT.
#[derive(Clone, Copy)]
pub(super) struct Channel(pub(super) [u32; 4]);

impl Channel {
    /// Whether SAMPLE converts it.
    pub(super) fn is_on(&self) -> bool {
        self.0[0] != 0
    }

    pub(super) fn bursts(&self) -> bool {
        self.0[2] >> 24 & 1 != 0
    }

    /// TACQ, in microseconds.
    pub(super) fn acquisition(&self) -> u64 {
        [3, 5, 10, 15, 20, 40, 40, 40][(self.0[2] >> 16 & 7) as usize]
    }

    /// The converted value in 8, 10, 12 or 14 bits, including a sign if differential (PS 6.23.2).
    pub(super) fn value(&self, voltages: &Voltages, resolution: u32) -> i16 {
        let [positive, negative, configuration, _] = self.0;
        let differs = configuration >> 20 & 1 != 0;
        let mut voltage = voltages.at(positive, configuration & 3);
        if differs {
            voltage -= voltages.at(negative, configuration >> 4 & 3);
        }
        let (times, by) = [(1, 6), (1, 5), (1, 4), (1, 3), (1, 2), (1, 1), (2, 1), (4, 1)]
            [(configuration >> 8 & 7) as usize];
        let reference = if configuration >> 12 & 1 != 0 {
            voltages.supply() / 4
        } else {
            REFERENCE
        };
        let bits = 8 + 2 * resolution - u32::from(differs);
        let steps = 1_i64 << bits;
        let value = (voltage * times * steps).div_euclid((by * reference).max(1));
        let least = if differs { -steps } else { 0 };
        value.clamp(least, steps - 1) as i16
    }

    /// Whether a result is at its upper limit or above, and at its lower one or below.
    pub(super) fn limits(&self, value: i16) -> [bool; 2] {
        let limit = self.0[3];
        [value >= (limit >> 16) as i16, value <= limit as i16]
    }
}
