//! Decodes the arguments of a frame, ordered by index, by the types in the format string.

use std::ops::Range;

use defmt_parser::{Fragment, Parameter, ParserMode, Type};

use super::Table;

/// One argument.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    Bool(bool),
    Signed(i128, u32),
    Unsigned(u128),
    F32(f32),
    F64(f64),
    Char(char),
    Text(String),
    Bytes(Vec<u8>),
    /// A nested format string with its arguments.
    Formatted(String, Vec<Value>),
    List(Vec<Value>),
    Sequence(Vec<Value>),
}

/// The deepest nesting of values, beyond any real one.
const DEEPEST: u32 = 64;

/// Reads values from a frame.
pub(super) struct Reader<'a> {
    table: &'a Table,
    bytes: &'a [u8],
    place: usize,
    depth: u32,
}

impl<'a> Reader<'a> {
    pub(super) fn new(table: &'a Table, bytes: &'a [u8]) -> Reader<'a> {
        Reader {
            table,
            bytes,
            place: 0,
            depth: 0,
        }
    }

    /// Bytes read so far.
    pub(super) fn taken(&self) -> usize {
        self.place
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.place..self.place.checked_add(count)?)?;
        self.place += count;
        Some(taken)
    }

    fn unsigned(&mut self, count: usize) -> Option<u128> {
        let bytes = self.take(count)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |value, &byte| value << 8 | u128::from(byte)),
        )
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.unsigned(2).map(|value| value as u16)
    }

    fn signed(&mut self, count: usize) -> Option<Value> {
        let unused = 128 - 8 * count as u32;
        let value = self.unsigned(count)?.cast_signed() << unused >> unused;
        Some(Value::Signed(value, 8 * count as u32))
    }

    fn length(&mut self) -> Option<usize> {
        self.unsigned(4).and_then(|length| usize::try_from(length).ok())
    }

    /// Reads the arguments of a format string.
    pub(super) fn values(&mut self, format: &str) -> Option<Vec<Value>> {
        let fragments = defmt_parser::parse(format, ParserMode::ForwardsCompatible).ok()?;
        let parameters = fragments.into_iter().filter_map(|fragment| match fragment {
            Fragment::Parameter(parameter) => Some(parameter),
            Fragment::Literal(_) => None,
        });
        let types = by_index(parameters);
        types.into_values().map(|kind| self.value(&kind)).collect()
    }

    fn value(&mut self, kind: &Type) -> Option<Value> {
        let unsigned = |reader: &mut Self, count| reader.unsigned(count).map(Value::Unsigned);
        match kind {
            Type::Bool => match self.unsigned(1)? {
                bit @ (0 | 1) => Some(Value::Bool(bit == 1)),
                _ => None,
            },
            Type::U8 => unsigned(self, 1),
            Type::U16 => unsigned(self, 2),
            Type::U32 | Type::Usize => unsigned(self, 4),
            Type::U64 => unsigned(self, 8),
            Type::U128 => unsigned(self, 16),
            Type::I8 => self.signed(1),
            Type::I16 => self.signed(2),
            Type::I32 | Type::Isize => self.signed(4),
            Type::I64 => self.signed(8),
            Type::I128 => self.signed(16),
            Type::F32 => self
                .unsigned(4)
                .map(|bits| Value::F32(f32::from_bits(bits as u32))),
            Type::F64 => self
                .unsigned(8)
                .map(|bits| Value::F64(f64::from_bits(bits as u64))),
            Type::Char => char::from_u32(self.unsigned(4)? as u32).map(Value::Char),
            Type::BitField(range) => self.bits(range),
            Type::Str => {
                let length = self.length()?;
                String::from_utf8(self.take(length)?.to_vec())
                    .ok()
                    .map(Value::Text)
            }
            Type::IStr => {
                let number = self.u16()?;
                self.table.text(number).map(|text| Value::Text(text.to_owned()))
            }
            Type::Debug | Type::Display => {
                let end = self.bytes[self.place..].iter().position(|&byte| byte == 0xff)?;
                let text = String::from_utf8(self.take(end)?.to_vec()).ok()?;
                self.place += 1;
                Some(Value::Text(text))
            }
            Type::U8Slice => {
                let length = self.length()?;
                self.take(length).map(|bytes| Value::Bytes(bytes.to_vec()))
            }
            Type::U8Array(length) => self.take(*length).map(|bytes| Value::Bytes(bytes.to_vec())),
            Type::Format => {
                let number = self.u16()?;
                self.formatted(number)
            }
            Type::FormatSlice => {
                let length = self.length()?;
                self.list(length)
            }
            Type::FormatArray(length) => self.list(*length),
            Type::FormatSequence => {
                let mut all = Vec::new();
                loop {
                    match self.u16()? {
                        0 => return Some(Value::Sequence(all)),
                        number => all.push(self.formatted(number)?),
                    }
                }
            }
        }
    }

    /// Reads the bytes of a bit field, at their position.
    fn bits(&mut self, range: &Range<u8>) -> Option<Value> {
        let (first, last) = (range.start / 8, (range.end - 1) / 8);
        let bytes = usize::from(last - first + 1).next_power_of_two();
        self.unsigned(bytes)
            .map(|value| Value::Unsigned(value << (8 * first)))
    }

    fn formatted(&mut self, number: u16) -> Option<Value> {
        let format = self.table.text(number)?;
        self.with(format)
    }

    /// Reads the value of a format string; with variants, the discriminant comes first.
    fn with(&mut self, format: &str) -> Option<Value> {
        let variants = format.matches('|').count();
        let format = match variants {
            0 => format,
            1..=0xff => format.split('|').nth(self.unsigned(1)? as usize)?,
            _ => format.split('|').nth(self.unsigned(2)? as usize)?,
        };
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let values = self.values(format)?;
        self.depth -= 1;
        Some(Value::Formatted(format.to_owned(), values))
    }

    /// Reads elements that share a format string.
    fn list(&mut self, length: usize) -> Option<Value> {
        let number = self.u16()?;
        let format = self.table.text(number)?;
        // Elements may have no bytes; this bounds their number.
        let length = length.min(self.bytes.len().max(LIST));
        (0..length)
            .map(|_| self.with(format))
            .collect::<Option<_>>()
            .map(Value::List)
    }
}

/// The most list elements beyond the bytes of the frame.
const LIST: usize = 1024;

/// One type for each index; bit fields of one index share a number.
fn by_index(parameters: impl Iterator<Item = Parameter>) -> std::collections::BTreeMap<usize, Type> {
    let mut types = std::collections::BTreeMap::new();
    for Parameter { index, ty, .. } in parameters {
        let merged = match (types.remove(&index), ty) {
            (Some(Type::BitField(a)), Type::BitField(b)) => {
                Type::BitField(a.start.min(b.start)..a.end.max(b.end))
            }
            (Some(first), _) => first,
            (None, kind) => kind,
        };
        types.insert(index, merged);
    }
    types
}
