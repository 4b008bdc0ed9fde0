//! Reads a spec's tables key by key and locates wrong keys and values.

use std::ops::Range;
use std::sync::Arc;

use report::Figure;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Located;
use crate::diagnostic::{Diagnostic, Result, Source};
use crate::nearest::did_you_mean;

/// A table and the keys that it may have.
pub(super) struct Reader<'a> {
    source: &'a Arc<Source>,
    /// The table's syntax in the spec: `[[span]]`.
    what: &'static str,
    table: &'a DeTable<'a>,
    range: Range<usize>,
}

/// Advice on the table in which an unknown key belongs.
fn elsewhere(key: &str) -> Option<String> {
    let tables = super::keys();
    let homes: Vec<&str> = tables
        .iter()
        .filter(|(_, keys)| keys.contains(&key))
        .map(|(table, _)| *table)
        .collect();
    (!homes.is_empty()).then(|| format!("`{key}` is a key of {}", homes.join(" and of ")))
}

impl<'a> Reader<'a> {
    /// # Errors
    ///
    /// If the table has a key that is not one of `keys`.
    pub(super) fn new(
        source: &'a Arc<Source>,
        what: &'static str,
        table: &'a DeTable<'a>,
        range: Range<usize>,
        keys: &[&str],
    ) -> Result<Reader<'a>> {
        let reader = Reader {
            source,
            what,
            table,
            range,
        };
        let unknown = table.keys().filter(|key| !keys.contains(&key.get_ref().as_ref()));
        match unknown.min_by_key(|key| key.span().start) {
            None => Ok(reader),
            Some(key) => {
                let name = key.get_ref();
                let title = format!("unknown key `{name}` in {what}");
                let hint = did_you_mean(name, keys.iter().copied());
                let known = || format!("the keys of {what} are {}", keys.join(", "));
                let help = elsewhere(name).or(hint).unwrap_or_else(known);
                Err(reader.mistake(title, key.span(), "").help(help))
            }
        }
    }

    /// An error at a range of the spec.
    pub(super) fn mistake(&self, title: impl Into<String>, range: Range<usize>, label: &str) -> Diagnostic {
        Diagnostic::mistake(title).at(self.source, range, label)
    }

    /// An error at the head of the table.
    pub(super) fn mistake_here(&self, title: impl Into<String>) -> Diagnostic {
        self.mistake(title, self.range.clone(), "")
    }

    pub(super) fn what(&self) -> &'static str {
        self.what
    }

    fn get(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.table.get(key)
    }

    /// The byte range of a key's value.
    pub(super) fn value_range(&self, key: &str) -> Option<Range<usize>> {
        self.get(key).map(Spanned::span)
    }

    fn wrong_type(&self, key: &str, value: &Spanned<DeValue<'_>>, wanted: &str) -> Diagnostic {
        let title = format!("`{key}` must be {wanted}, not {}", kind(value.get_ref()));
        self.mistake(title, value.span(), &format!("expected {wanted}"))
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<Located<String>>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match value.get_ref() {
            DeValue::String(text) => Ok(Some(Located {
                value: text.to_string(),
                range: value.span(),
            })),
            _ => Err(self.wrong_type(key, value, "a string")),
        }
    }

    /// A non-empty list of texts.
    pub(super) fn texts(&self, key: &str) -> Result<Option<Vec<Located<String>>>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let DeValue::Array(array) = value.get_ref() else {
            return Err(self.wrong_type(key, value, "a list of strings"));
        };
        let text = |element: &Spanned<DeValue<'_>>| match element.get_ref() {
            DeValue::String(text) => Ok(Located {
                value: text.to_string(),
                range: element.span(),
            }),
            _ => Err(self.wrong_type(key, element, "a list of strings")),
        };
        if array.is_empty() {
            return Err(self.mistake(format!("`{key}` is empty"), value.span(), ""));
        }
        array.iter().map(text).collect::<Result<_>>().map(Some)
    }

    pub(super) fn required_text(&self, key: &str) -> Result<Located<String>> {
        self.text(key)?
            .ok_or_else(|| self.mistake_here(format!("{} has no `{key}`", self.what)))
    }

    /// An integer of at least `least`.
    pub(super) fn whole(&self, key: &str, least: i64) -> Result<Option<Located<i64>>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let wanted = match least {
            i64::MIN => "a whole number".to_owned(),
            _ => format!("a whole number from {least}"),
        };
        match value.get_ref() {
            DeValue::Integer(number) => {
                let number = i64::from_str_radix(number.as_str(), number.radix()).ok();
                let number = number.filter(|number| *number >= least);
                let out = || self.mistake(format!("`{key}` must be {wanted}"), value.span(), "out of range");
                Ok(Some(Located {
                    value: number.ok_or_else(out)?,
                    range: value.span(),
                }))
            }
            _ => Err(self.wrong_type(key, value, &wanted)),
        }
    }

    /// A count of at least `least`.
    pub(super) fn count(&self, key: &str, least: u32) -> Result<Option<u64>> {
        Ok(self
            .whole(key, i64::from(least))?
            .map(|number| number.value as u64))
    }

    pub(super) fn figure(&self, key: &str) -> Result<Option<Figure>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match value.get_ref() {
            DeValue::Integer(_) => Ok(self
                .whole(key, i64::MIN)?
                .map(|number| Figure::Whole(number.value))),
            DeValue::Float(number) => match number.as_str().parse() {
                Ok(real) if f64::is_finite(real) => Ok(Some(Figure::Real(real))),
                _ => Err(self.mistake(format!("`{key}` must be finite"), value.span(), "")),
            },
            _ => Err(self.wrong_type(key, value, "a number")),
        }
    }

    /// An integer or a text.
    pub(super) fn number_or_text(&self, key: &str) -> Result<Option<Located<NumberOrText>>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let read = match value.get_ref() {
            DeValue::Integer(_) => self
                .whole(key, 0)?
                .map(|number| NumberOrText::Number(number.value)),
            DeValue::String(text) => Some(NumberOrText::Text(text.to_string())),
            _ => return Err(self.wrong_type(key, value, "a number or a name")),
        };
        Ok(read.map(|read| Located {
            value: read,
            range: value.span(),
        }))
    }

    /// The table under a key.
    pub(super) fn table(&self, key: &str, what: &'static str, keys: &[&str]) -> Result<Option<Reader<'a>>> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match value.get_ref() {
            DeValue::Table(table) => Reader::new(self.source, what, table, value.span(), keys).map(Some),
            _ => Err(self.wrong_type(key, value, "a table")),
        }
    }

    /// The tables of an array `[[key]]`, in file order.
    pub(super) fn tables(&self, key: &str, what: &'static str, keys: &[&str]) -> Result<Vec<Reader<'a>>> {
        let Some(value) = self.get(key) else {
            return Ok(Vec::new());
        };
        let DeValue::Array(array) = value.get_ref() else {
            return Err(self.wrong_type(key, value, &format!("an array of tables, {what}")));
        };
        let element = |element: &'a Spanned<DeValue<'a>>| match element.get_ref() {
            DeValue::Table(table) => Reader::new(self.source, what, table, element.span(), keys),
            _ => Err(self.wrong_type(key, element, "a table")),
        };
        array.iter().map(element).collect()
    }
}

/// The value of `irq`.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum NumberOrText {
    Number(i64),
    Text(String),
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with decimals",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}
