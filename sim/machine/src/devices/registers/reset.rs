//! A block's state after a reset of the chip, and the reset cause that it records.

use bus::ResetCause;
use serde::Deserialize;

use super::Register;
use super::field::Field;

/// The keys of its board file entry.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResetEntry {
    /// Fields that it leaves as they are; `*` for all.
    #[serde(default)]
    keeps: Vec<String>,
    /// A field that each reset sets; then those of each cause.
    any: Option<String>,
    software: Option<String>,
    watchdog: Option<String>,
    window_watchdog: Option<String>,
    /// A field to which a one is written to clear another one, which holds the causes.
    clear: Option<[String; 2]>,
}

/// The entry, resolved to fields.
#[derive(Clone, Default)]
pub(super) struct Reset {
    keeps: Vec<Field>,
    /// Each with the cause that sets it, if it is not any.
    sets: Vec<(Option<ResetCause>, Field)>,
    clear: Option<[Field; 2]>,
}

impl Reset {
    pub(super) fn new(entry: &ResetEntry, list: &[Register]) -> Result<Reset, String> {
        let parse = |text: &String| Field::parse(text, list);
        let keeps = match &entry.keeps[..] {
            [all] if all == "*" => (0..list.len()).map(Field::whole).collect(),
            some => some.iter().map(parse).collect::<Result<_, _>>()?,
        };
        let sets = [
            (None, &entry.any),
            (Some(ResetCause::Software), &entry.software),
            (Some(ResetCause::Watchdog), &entry.watchdog),
            (Some(ResetCause::WindowWatchdog), &entry.window_watchdog),
        ];
        let named = sets
            .into_iter()
            .filter_map(|(cause, text)| Some((cause, text.as_ref()?)));
        let sets = named.map(|(cause, text)| Ok((cause, parse(text)?)));
        let clear = entry
            .clear
            .as_ref()
            .map(|[by, of]| Ok::<_, String>([parse(by)?, parse(of)?]));
        Ok(Reset {
            keeps,
            sets: sets.collect::<Result<_, String>>()?,
            clear: clear.transpose()?,
        })
    }

    /// The fields that show the cause, and the one that clears it.
    pub(super) fn shown(&self) -> impl Iterator<Item = Field> {
        let clears = self.clear.iter().map(|[by, _]| *by);
        self.sets.iter().map(|(_, field)| *field).chain(clears)
    }

    pub(super) fn keeps_any(&self) -> bool {
        !self.keeps.is_empty()
    }

    /// The chip is reset: sets the fields of this cause.
    pub(super) fn note(&self, cause: ResetCause, values: &mut [u32]) {
        for (_, field) in self.sets.iter().filter(|(by, _)| by.is_none_or(|by| by == cause)) {
            values[field.register] = field.put(values[field.register], field.ones());
        }
    }

    /// Takes over what was kept.
    pub(super) fn keep(&self, from: &[u32], values: &mut [u32]) {
        for field in &self.keeps {
            values[field.register] = field.put(values[field.register], field.get(from));
        }
    }

    /// Clears the causes, if a write to this register says so.
    pub(super) fn clear(&self, register: usize, written: u32, values: &mut [u32]) {
        if let Some([by, of]) = &self.clear
            && by.register == register
            && written & by.mask() != 0
        {
            values[of.register] &= !of.mask();
        }
    }
}
