//! The defmt strings of a program: symbols in section `.defmt` with JSON names; the address is the string's index.

use std::collections::BTreeMap;

use object::{Object, ObjectSection, ObjectSymbol};

use super::value::{Reader, Value};
use crate::image::elf::Elf;

/// A line's log level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Level {
    Trace,
    Debug,
    Info,
    Warn,
    Error,
    Println,
    /// A string that is not a log line.
    None,
}

impl Level {
    fn of(tag: &str) -> Level {
        match tag {
            "defmt_trace" => Level::Trace,
            "defmt_debug" => Level::Debug,
            "defmt_info" => Level::Info,
            "defmt_warn" => Level::Warn,
            "defmt_error" => Level::Error,
            "defmt_println" => Level::Println,
            _ => Level::None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Level::Trace => "TRACE",
            Level::Debug => "DEBUG",
            Level::Info => "INFO",
            Level::Warn => "WARN",
            Level::Error => "ERROR",
            Level::Println | Level::None => "",
        }
    }
}

/// One string.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) level: Level,
    pub(crate) text: String,
    /// The symbol's full name, for debug information.
    pub(crate) symbol: String,
}

/// All strings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    entries: BTreeMap<u16, Entry>,
    timestamp: Option<String>,
    encoded: bool,
}

/// The contents of a symbol's name: a JSON object of strings.
struct Name {
    tag: String,
    data: String,
}

impl Name {
    fn parse(text: &str) -> Option<Name> {
        let mut rest = text.strip_prefix('{')?;
        let (mut tag, mut data) = (None, None);
        loop {
            let (key, behind) = string(rest)?;
            let (value, behind) = string(behind.strip_prefix(':')?)?;
            match key.as_str() {
                "tag" => tag = Some(value),
                "data" => data = Some(value),
                _ => {}
            }
            match behind.strip_prefix(',') {
                Some(next) => rest = next,
                None => break,
            }
        }
        Some(Name {
            tag: tag?,
            data: data?,
        })
    }
}

/// Parses a JSON string at the start of a text; returns it and the rest.
fn string(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix('"')?;
    let mut letters = text.char_indices();
    let mut string = String::new();
    while let Some((place, letter)) = letters.next() {
        match letter {
            '"' => return Some((string, &text[place + 1..])),
            '\\' => string.push(match letters.next()?.1 {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'u' => {
                    let digits = letters
                        .by_ref()
                        .take(4)
                        .map(|(_, digit)| digit)
                        .collect::<String>();
                    char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
                }
                other => other,
            }),
            _ => string.push(letter),
        }
    }
    None
}

/// The supported version of the wire format.
const VERSION: &str = "_defmt_version_ = 4";
const RAW: &str = "_defmt_encoding_ = raw";

impl Table {
    /// Reads the table of a program that uses a supported defmt version.
    pub(crate) fn read(elf: &Elf<'_>) -> Option<Table> {
        let section = elf.section_by_name(".defmt")?.index();
        let names = || elf.symbols().filter_map(|symbol| symbol.name().ok());
        if !names().any(|name| name.trim_matches('"') == VERSION) {
            return None;
        }
        let mut table = Table {
            encoded: !names().any(|name| name == RAW),
            ..Table::default()
        };
        for symbol in elf
            .symbols()
            .filter(|symbol| symbol.section_index() == Some(section))
        {
            let Some(name) = symbol.name().ok() else {
                continue;
            };
            let Some(parsed) = Name::parse(name) else {
                continue;
            };
            if parsed.tag == "defmt_timestamp" {
                table.timestamp = Some(parsed.data);
                continue;
            }
            let entry = Entry {
                level: Level::of(&parsed.tag),
                text: parsed.data,
                symbol: name.to_owned(),
            };
            table.entries.insert(symbol.address() as u16, entry);
        }
        Some(table)
    }

    /// Whether frames are encoded and end with a zero.
    pub(crate) fn is_encoded(&self) -> bool {
        self.encoded
    }

    /// The string with this index.
    pub(crate) fn text(&self, number: u16) -> Option<&str> {
        self.entries.get(&number).map(|entry| entry.text.as_str())
    }

    /// Decodes a frame: its string, its time stamp, its text, and its size in bytes.
    pub(crate) fn message(&self, frame: &[u8]) -> Option<(&Entry, Option<String>, String, usize)> {
        let mut reader = Reader::new(self, frame);
        let entry = self.entries.get(&reader.u16()?)?;
        if entry.level == Level::None {
            return None;
        }
        let mut shown = |format: &str| -> Option<String> {
            let values: Vec<Value> = reader.values(format)?;
            super::show::text(format, &values, None)
        };
        let time = match &self.timestamp {
            Some(format) => Some(shown(format)?),
            None => None,
        };
        let text = shown(&entry.text)?;
        Some((entry, time, text, reader.taken()))
    }

    #[cfg(test)]
    pub(super) fn of(timestamp: Option<&str>, encoded: bool, strings: &[(&str, &str)]) -> Table {
        let entry = |(number, &(tag, text)): (u16, &(&str, &str))| {
            let (level, symbol) = (Level::of(tag), String::new());
            let text = text.to_owned();
            (number, Entry { level, text, symbol })
        };
        Table {
            entries: (1..).zip(strings).map(entry).collect(),
            timestamp: timestamp.map(str::to_owned),
            encoded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_named_in_json() {
        let name = r#"{"package":"p","tag":"defmt_info","data":"say \"a\\b\u0041\n\"","crate_name":"c"}"#;
        let parsed = Name::parse(name).unwrap();
        assert_eq!((&*parsed.tag, &*parsed.data), ("defmt_info", "say \"a\\bA\n\""));
        for wrong in [
            "",
            "{",
            "x",
            r#"{"tag":"t"}"#,
            r#"{"tag":"t","data":"\u12"}"#,
            r#"{"tag":1,"data":"d"}"#,
        ] {
            assert!(Name::parse(wrong).is_none(), "{wrong}");
        }
    }
}
