//! A line for each event: as text, JSON, or a table with commas.

use std::collections::HashMap;
use std::io::Write as _;

use events::{Event, RuleBook};
use machine::{Image, Listing};

use super::fields::{Fields, Value, causes, exception, fields};
use super::{Format, Writer};

/// The columns of a table; the first two are the cycle and what happened.
const COLUMNS: [&str; 25] = [
    "end",
    "issued",
    "pc",
    "insn",
    "at",
    "causes",
    "sp",
    "name",
    "level",
    "recognised",
    "by",
    "return",
    "handler",
    "to",
    "address",
    "size",
    "value",
    "mask",
    "old",
    "new",
    "operation",
    "parameter",
    "imm",
    "left",
    "error",
];

/// The last column.
const LAST: &str = "byte";

/// An instruction, as it is shown.
pub(super) struct Known {
    raw: u32,
    pub(super) insn: String,
    pub(super) place: String,
}

/// Lines.
pub(super) struct Lines<'a> {
    format: Format,
    image: &'a Image,
    rules: RuleBook,
    listing: Listing,
    /// The instructions that were met: they are decoded once.
    known: HashMap<u32, Known>,
    causes: String,
}

impl<'a> Lines<'a> {
    pub(super) fn begin(format: Format, image: &'a Image, rules: RuleBook, out: &mut Vec<u8>) -> Lines<'a> {
        if format == Format::Csv {
            let all = ["cycle", "event"].into_iter().chain(COLUMNS).chain([LAST]);
            out.extend(all.collect::<Vec<_>>().join(",").bytes());
            out.push(b'\n');
        }
        Lines {
            format,
            image,
            rules,
            listing: Listing::new(image.architecture()),
            known: HashMap::new(),
            causes: String::new(),
        }
    }

    /// Looks at what an event executes, if it is not known.
    fn meet(&mut self, event: &Event) -> Option<u32> {
        let (pc, raw) = match event {
            Event::Retire(retire) => (retire.pc, Some(retire.raw)),
            Event::Fetch { pc, .. } => (*pc, None),
            // An exception leaves the IT block of what it interrupts; its return brings it back, which is not followed.
            Event::Enter(_) | Event::Exit(_) => {
                self.listing.jump();
                return None;
            }
            _ => return None,
        };
        let is_known = |known: &Known| raw.is_none_or(|raw| raw == known.raw);
        if !self.known.get(&pc).is_some_and(is_known) {
            let insn = raw.map(|raw| self.listing.line(pc, raw).unwrap_or_else(|error| error));
            let known = Known {
                raw: raw.unwrap_or(0),
                insn: insn.unwrap_or_default(),
                place: self.image.describe(pc).unwrap_or_default(),
            };
            self.known.insert(pc, known);
        } else if let Some(raw) = raw {
            self.pass(pc, raw);
        }
        Some(pc)
    }

    /// A known instruction may begin an IT block; behind any other one there is none that is not known.
    fn pass(&mut self, pc: u32, raw: u32) {
        let begins_it = raw <= 0xffff && raw & 0xff00 == 0xbf00 && raw & 0xf != 0;
        if begins_it {
            let _ = self.listing.line(pc, raw);
        } else {
            self.listing.jump();
        }
    }
}

impl Writer for Lines<'_> {
    fn event(&mut self, event: &Event, out: &mut Vec<u8>) {
        let pc = self.meet(event);
        let name = exception(event, self.image);
        self.causes.clear();
        if let Some((_, costs)) = event.window() {
            causes(costs, &self.rules, &mut self.causes);
        }
        let mut values: Fields<'_> = Vec::with_capacity(8);
        let known = pc.and_then(|pc| self.known.get(&pc));
        let (cycle, kind) = fields(event, known, &name, &self.causes, &mut values);
        // Writing to memory cannot fail.
        let _ = match self.format {
            Format::JsonLines => json(out, cycle, kind, &values),
            Format::Csv => csv(out, cycle, kind, &values),
            _ => text(out, cycle, kind, &values),
        };
    }

    fn end(&mut self, _: u64, _: &mut Vec<u8>) {}
}

/// `        12 retire   end=13 issued=12 pc=0x08000130 sp=0x20002000  adds r0, #1   causes=alu:1  <main+0x4>`: what has a width
/// of its own comes last, the instruction and its place plain.
fn text(out: &mut Vec<u8>, cycle: u64, kind: &str, fields: &Fields<'_>) -> std::io::Result<()> {
    write!(out, "{cycle:>10} {kind:<8}")?;
    for (name, value) in fields {
        match value {
            Value::Number(number) => write!(out, " {name}={number}")?,
            Value::Address(address) => write!(out, " {name}={address:#010x}")?,
            Value::Text(text) if *name == "insn" => write!(out, "  {text:<32}")?,
            Value::Text(text) if *name == "at" && !text.is_empty() => write!(out, "  <{text}>")?,
            Value::Text(_) if *name == "at" => {}
            Value::Text(text) => write!(out, " {name}={text}")?,
        }
    }
    while out.last() == Some(&b' ') {
        out.pop();
    }
    out.push(b'\n');
    Ok(())
}

fn json(out: &mut Vec<u8>, cycle: u64, kind: &str, fields: &Fields<'_>) -> std::io::Result<()> {
    write!(out, r#"{{"cycle":{cycle},"event":"{kind}""#)?;
    for (name, value) in fields {
        match value {
            Value::Number(number) => write!(out, r#","{name}":{number}"#)?,
            Value::Address(address) => write!(out, r#","{name}":"{address:#010x}""#)?,
            Value::Text(text) => {
                write!(out, r#","{name}":"#)?;
                serde_json::to_writer(&mut *out, text)?;
            }
        }
    }
    out.extend(b"}\n");
    Ok(())
}

fn csv(out: &mut Vec<u8>, cycle: u64, kind: &str, fields: &Fields<'_>) -> std::io::Result<()> {
    write!(out, "{cycle},{kind}")?;
    for column in COLUMNS.iter().chain([&LAST]) {
        out.push(b',');
        match fields.iter().find(|(name, _)| name == column) {
            Some((_, Value::Number(number))) => write!(out, "{number}")?,
            Some((_, Value::Address(address))) => write!(out, "{address:#010x}")?,
            Some((_, Value::Text(text))) => quoted(out, text),
            None => {}
        }
    }
    out.push(b'\n');
    Ok(())
}

/// A text as RFC 4180 has it.
fn quoted(out: &mut Vec<u8>, text: &str) {
    if !text.contains([',', '"', '\n', '\r']) {
        out.extend(text.bytes());
        return;
    }
    out.push(b'"');
    out.extend(text.replace('"', "\"\"").bytes());
    out.push(b'"');
}
