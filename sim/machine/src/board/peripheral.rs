//! The peripherals of a board file. The keys common to all are here; [`crate::devices::Settings`] reads those of each kind.

use bus::Irq;
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error, ValueDeserializer};

use super::BoardError;
use super::file::{Wait, optional_size};
use crate::devices::{Kind, Settings};

/// A peripheral of the file.
pub(super) struct PeripheralEntry {
    pub(super) name: String,
    pub(super) base: u32,
    pub(super) size: Option<u32>,
    pub(super) irq: Option<u16>,
    pub(super) wait: Wait,
    pub(super) slave: u8,
    /// Whether it is on a Cortex-M0+'s single-cycle I/O port instead of the bus.
    pub(super) io_port: bool,
    /// Whether its registers have three aliases for atomic bit changes: see [`crate::devices::Atomic`].
    pub(super) atomic: bool,
    /// Its kind, with the keys specific to it.
    pub(super) settings: Box<dyn Settings>,
}

/// The keys common to all peripherals.
#[derive(Deserialize)]
struct Common {
    name: String,
    kind: Spanned<String>,
    base: u32,
    #[serde(default, deserialize_with = "optional_size")]
    size: Option<u32>,
    irq: Option<u16>,
    #[serde(default)]
    wait: Wait,
    #[serde(default)]
    slave: u8,
    #[serde(default)]
    io_port: bool,
    #[serde(default)]
    atomic: bool,
}

/// The names of the common keys.
const COMMON: [&str; 9] = [
    "name", "kind", "base", "size", "irq", "wait", "slave", "io_port", "atomic",
];

/// Parses all `[[peripheral]]` entries of a file.
pub(super) fn entries(
    file: &str,
    text: &str,
    listed: Spanned<DeValue<'_>>,
) -> Result<Vec<Spanned<PeripheralEntry>>, BoardError> {
    let reader = Reader { file, text };
    let at = listed.span().start;
    let DeValue::Array(list) = listed.into_inner() else {
        return Err(reader.wrong(at, "peripherals are tables, each under `[[peripheral]]`"));
    };
    list.into_iter().map(|entry| reader.entry(entry)).collect()
}

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn entry(&self, entry: Spanned<DeValue<'_>>) -> Result<Spanned<PeripheralEntry>, BoardError> {
        let span = entry.span();
        let DeValue::Table(table) = entry.into_inner() else {
            return Err(self.wrong(span.start, "a peripheral is a table"));
        };
        let (common, own): (DeTable<'_>, DeTable<'_>) = table
            .into_iter()
            .partition(|(key, _)| COMMON.contains(&key.get_ref().as_ref()));
        let common = Spanned::new(span.clone(), DeValue::Table(common));
        let common =
            Common::deserialize(ValueDeserializer::from(common)).map_err(|error| self.toml(&error))?;
        let kind = self.kind(&common.kind)?;
        let keys: Vec<_> = own.keys().map(Spanned::span).collect();
        let settings = kind.read(Spanned::new(span.clone(), DeValue::Table(own)));
        let settings = settings.map_err(|error| {
            // A key nested deeper is not one of the kind's.
            if error.span().is_some_and(|span| keys.contains(&span)) {
                self.foreign(kind, &error)
            } else {
                self.toml(&error)
            }
        })?;
        let entry = PeripheralEntry {
            name: common.name,
            base: common.base,
            size: common.size,
            irq: common.irq,
            wait: common.wait,
            slave: common.slave,
            io_port: common.io_port,
            atomic: common.atomic,
            settings,
        };
        Ok(Spanned::new(span, entry))
    }

    fn kind(&self, name: &Spanned<String>) -> Result<&'static Kind, BoardError> {
        Kind::named(name.get_ref()).ok_or_else(|| {
            let known = quoted(Kind::ALL.iter().map(|kind| kind.name));
            let message = format!("unknown variant `{}`, expected one of {known}", name.get_ref());
            self.wrong(name.span().start, &message)
        })
    }

    /// The error for a key that this kind does not have, or does not allow in this form.
    fn foreign(&self, kind: &Kind, error: &Error) -> BoardError {
        let message = error.message();
        let mut words = message.split('`').skip(1).step_by(2);
        let (true, Some(key)) = (message.starts_with("unknown field"), words.next()) else {
            return self.toml(error);
        };
        let known = quoted(words.chain(COMMON));
        let message = format!(
            "unknown field `{key}` of a `{}`, expected one of {known}",
            kind.name
        );
        self.wrong(error.span().map_or(0, |span| span.start), &message)
    }

    fn toml(&self, error: &Error) -> BoardError {
        BoardError::from_toml(self.file, self.text, error)
    }

    fn wrong(&self, at: usize, message: &str) -> BoardError {
        BoardError::unreadable_at(self.file, self.text, at, message)
    }
}

fn quoted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<_> = words.map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

/// The destination of a board's interrupt lines, and their number.
#[derive(Clone, Copy)]
pub(super) enum Lines {
    /// The core's lines, from 0.
    Core(u16),
    /// A PLIC's sources, from 1.
    Plic(u16),
}

impl Lines {
    pub(super) fn of<'a>(core: u16, mut entries: impl Iterator<Item = &'a PeripheralEntry>) -> Lines {
        let plic = entries.find_map(|entry| entry.settings.sources());
        plic.map_or(Lines::Core(core), Lines::Plic)
    }

    /// Sources of the PLIC; 0 without a PLIC.
    pub(super) fn sources(self) -> u16 {
        match self {
            Lines::Core(_) => 0,
            Lines::Plic(sources) => sources,
        }
    }

    pub(super) fn irq(self, number: u16) -> Result<Irq, String> {
        match self {
            Lines::Core(count) if number < count => Ok(Irq::External(number)),
            Lines::Core(count) => Err(format!("the board has interrupts 0 to {}", count - 1)),
            Lines::Plic(last) if (1..=last).contains(&number) => Ok(Irq::Source(number)),
            Lines::Plic(last) => Err(format!("the board's PLIC has sources 1 to {last}")),
        }
    }
}
