//! Fields that control flash accesses, and the vendor's required wait states.

use bus::{DeviceError, FlashSettings};
use serde::Deserialize;

use super::{Field, Register};
use crate::devices::not_modelled;

/// The board file's entry.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FlashEntry {
    /// A field, or a number that no program changes.
    latency: Latency<String>,
    prefetch: Option<String>,
    instruction_cache: Option<String>,
    data_cache: Option<String>,
    reset_instruction_cache: Option<String>,
    reset_data_cache: Option<String>,
    buffer_off: Option<String>,
    cache_on: Option<String>,
    /// The manual's table of wait states.
    source: String,
    /// For each voltage range the highest frequency in Hz with 0, 1, 2 … wait states.
    #[serde(default)]
    highest_hz: Vec<Vec<u32>>,
}

/// Wait states.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum Latency<F> {
    /// The value of a field.
    Field(F),
    /// Always so many.
    Fixed(u8),
}

impl Latency<Field> {
    fn get(self, values: &[u32]) -> u8 {
        match self {
            Latency::Field(field) => field.get(values) as u8,
            Latency::Fixed(latency) => latency,
        }
    }
}

/// The entry, resolved to fields.
#[derive(Clone, Debug)]
pub(super) struct Flash {
    latency: Latency<Field>,
    prefetch: Option<Field>,
    instruction_cache: Option<Field>,
    data_cache: Option<Field>,
    reset_instruction_cache: Option<Field>,
    reset_data_cache: Option<Field>,
    buffer_off: Option<Field>,
    /// With the value by which it is on.
    cache_on: Option<(Field, u32)>,
    source: String,
    highest_hz: Vec<Vec<u32>>,
    clock_hz: u32,
    voltage: u8,
}

impl Flash {
    pub(super) fn new(entry: &FlashEntry, registers: &[Register]) -> Result<Flash, String> {
        let optional = |text: &Option<String>| {
            text.as_ref()
                .map(|text| Field::parse(text, registers))
                .transpose()
        };
        let latency = match &entry.latency {
            Latency::Field(_) if entry.highest_hz.is_empty() => {
                return Err("`highest_hz` has a list for each voltage range".into());
            }
            Latency::Field(field) => Latency::Field(Field::parse(field, registers)?),
            Latency::Fixed(latency) => Latency::Fixed(*latency),
        };
        Ok(Flash {
            latency,
            prefetch: optional(&entry.prefetch)?,
            instruction_cache: optional(&entry.instruction_cache)?,
            data_cache: optional(&entry.data_cache)?,
            reset_instruction_cache: optional(&entry.reset_instruction_cache)?,
            reset_data_cache: optional(&entry.reset_data_cache)?,
            buffer_off: optional(&entry.buffer_off)?,
            cache_on: valued(entry.cache_on.as_deref(), registers)?,
            source: entry.source.clone(),
            highest_hz: entry.highest_hz.clone(),
            clock_hz: 0,
            voltage: 0,
        })
    }

    pub(super) fn settings(&self, values: &[u32]) -> FlashSettings {
        FlashSettings {
            latency: self.latency.get(values),
            prefetch: is_set(self.prefetch, values),
            instruction_cache: is_set(self.instruction_cache, values),
            data_cache: is_set(self.data_cache, values),
            unbuffered: is_set(self.buffer_off, values),
            shared_cache: self.cache_on.is_some_and(|(field, on)| field.get(values) == on),
        }
    }

    /// Whether the program holds the instruction cache, and the data cache, in reset.
    pub(super) fn resets(&self, values: &[u32]) -> (bool, bool) {
        let (instructions, data) = (self.reset_instruction_cache, self.reset_data_cache);
        (is_set(instructions, values), is_set(data, values))
    }

    pub(super) fn hear_clock(&mut self, hz: u32, values: &[u32]) -> Result<(), DeviceError> {
        self.clock_hz = hz;
        self.check(values)
    }

    pub(super) fn hear_voltage(&mut self, range: u8, values: &[u32]) -> Result<(), DeviceError> {
        self.voltage = range;
        self.check(values)
    }

    /// Too few wait states for the clock: real flash answers with wrong bits, sometimes.
    pub(super) fn check(&self, values: &[u32]) -> Result<(), DeviceError> {
        if let Latency::Fixed(_) = self.latency {
            return Ok(());
        }
        let Some(highest) = self.highest_hz.get(usize::from(self.voltage)) else {
            return not_modelled(format!(
                "voltage range {}, which {} does not have",
                self.voltage, self.source
            ));
        };
        let latency = usize::from(self.latency.get(values));
        let clock = self.clock_hz;
        let mhz = f64::from(clock) / 1e6;
        // Above the highest frequency of the table there is no vendor's word; programs do go there, with its most wait states.
        let needed = highest
            .iter()
            .position(|&most| clock <= most)
            .unwrap_or(highest.len().saturating_sub(1));
        if latency >= needed {
            return Ok(());
        }
        not_modelled(format!(
            "flash latency {latency} at {mhz} MHz: {} asks for {needed}",
            self.source
        ))
    }
}

fn is_set(field: Option<Field>, values: &[u32]) -> bool {
    field.is_some_and(|field| field.get(values) != 0)
}

/// A field and the value that is meant: `CTL[1:0]=1`.
fn valued(text: Option<&str>, registers: &[Register]) -> Result<Option<(Field, u32)>, String> {
    let Some(text) = text else { return Ok(None) };
    let parts = text
        .split_once('=')
        .and_then(|(field, value)| Some((field, value.parse().ok()?)));
    let Some((field, value)) = parts else {
        return Err(format!(
            "`{text}`: a field and its value are written `CTL[1:0]=1`"
        ));
    };
    Ok(Some((Field::parse(field, registers)?, value)))
}
