//! Formats any event as a line.

use std::borrow::Cow;
use std::io::Write as _;

use events::Event;

use crate::trace::Format;
use crate::trace::fields::{About, Line, Name, Value, fields, head};

/// Minimum width of an instruction's text.
const INSN: usize = 32;

/// Minimum width of a cycle.
pub(super) const CYCLE: usize = 10;

/// Writes an event's line.
pub(super) fn write(format: Format, event: &Event, about: About<'_>, out: &mut Vec<u8>) {
    let (cycle, kind) = head(event);
    match format {
        Format::JsonLines => {
            let mut line = Json::begin(out, cycle, kind);
            fields(event, about, &mut line);
            line.end();
        }
        Format::Csv => {
            let mut row = Row([None; Name::ALL.len()]);
            fields(event, about, &mut row);
            row.write(out, cycle, kind);
        }
        _ => {
            let mut line = Text::begin(out, cycle, kind);
            fields(event, about, &mut line);
            line.end();
        }
    }
}

/// Writes to memory, which cannot fail.
macro_rules! put {
    ($out:expr, $($format:tt)*) => {{ let _ = write!($out, $($format)*); }};
}

/// Text such as `    12 retire   end=13 issued=12 pc=0x08000130 sp=0x20002000  adds r0, #1   causes=alu:1  <main+0x4>`. Values of
/// variable width come last; the instruction and its place have no name.
struct Text<'o>(&'o mut Vec<u8>);

impl<'o> Text<'o> {
    fn begin(out: &'o mut Vec<u8>, cycle: u64, kind: &str) -> Self {
        put!(out, "{cycle:>CYCLE$} {kind:<8}");
        Text(out)
    }

    fn end(self) {
        while self.0.last() == Some(&b' ') {
            self.0.pop();
        }
        self.0.push(b'\n');
    }
}

impl<'a> Line<'a> for Text<'_> {
    fn value(&mut self, name: Name, value: Value<'a>) {
        let (out, text) = (&mut *self.0, name.text());
        match (name, value) {
            (Name::Insn, Value::Text(insn)) => put!(out, "  {insn:<INSN$}"),
            (Name::At, Value::Text("")) => {}
            (Name::At, Value::Text(place)) => put!(out, "  <{place}>"),
            (_, Value::Number(value)) => put!(out, " {text}={value}"),
            (_, Value::Signed(value)) => put!(out, " {text}={value}"),
            (_, Value::Address(value)) => put!(out, " {text}={value:#010x}"),
            (_, Value::Text(value)) => put!(out, " {text}={value}"),
        }
    }
}

/// A JSON object on one line.
struct Json<'o>(&'o mut Vec<u8>);

impl<'o> Json<'o> {
    fn begin(out: &'o mut Vec<u8>, cycle: u64, kind: &str) -> Self {
        put!(out, r#"{{"cycle":{cycle},"event":"{kind}""#);
        Json(out)
    }

    fn end(self) {
        self.0.extend_from_slice(b"}\n");
    }
}

impl<'a> Line<'a> for Json<'_> {
    fn value(&mut self, name: Name, value: Value<'a>) {
        let out = &mut *self.0;
        put!(out, r#","{}":"#, name.text());
        match value {
            Value::Number(value) => put!(out, "{value}"),
            Value::Signed(value) => put!(out, "{value}"),
            Value::Address(value) => put!(out, r#""{value:#010x}""#),
            Value::Text(text) => {
                let _ = serde_json::to_writer(out, text);
            }
        }
    }
}

/// A row of a table, with its values by column.
struct Row<'a>([Option<Value<'a>>; Name::ALL.len()]);

impl Row<'_> {
    fn write(&self, out: &mut Vec<u8>, cycle: u64, kind: &str) {
        put!(out, "{cycle},{kind}");
        for value in &self.0 {
            out.push(b',');
            match *value {
                Some(Value::Number(value)) => put!(out, "{value}"),
                Some(Value::Signed(value)) => put!(out, "{value}"),
                Some(Value::Address(value)) => put!(out, "{value:#010x}"),
                Some(Value::Text(text)) => out.extend_from_slice(quoted(text).as_bytes()),
                None => {}
            }
        }
        out.push(b'\n');
    }
}

impl<'a> Line<'a> for Row<'a> {
    fn value(&mut self, name: Name, value: Value<'a>) {
        self.0[name as usize] = Some(value);
    }
}

/// Quotes a text by RFC 4180.
fn quoted(text: &str) -> Cow<'_, str> {
    // A spreadsheet would interpret such a name as a formula.
    if text.starts_with(['=', '+', '-', '@']) {
        return Cow::Owned(format!("\"'{}\"", text.replace('"', "\"\"")));
    }
    if text.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}
