//! A line for each event: as text, JSON, or a table with commas.

use std::borrow::Cow;

use events::{Costs, Event, RuleBook};
use machine::{Image, Listing};
use rustc_hash::FxHashMap;

use super::fields::{Line, Name, RuleNames, Value, causes, exception, fields, head};
use super::{Format, Writer};

/// Letters that an instruction takes in a text at the least.
const INSN: usize = 32;

/// An instruction, as the format shows it.
pub(super) struct Known {
    raw: u32,
    pub(super) insn: String,
    pub(super) place: String,
    /// What its cycles went to when it was executed last, and how that is shown.
    costs: Costs,
    pub(super) causes: String,
}

/// Lines.
pub(super) struct Lines<'a> {
    format: Format,
    image: &'a Image,
    rules: RuleNames,
    listing: Listing,
    /// The IT instruction that was executed last, which the listing has not seen, for it was known.
    it: Option<(u32, u32)>,
    /// The instructions that were met: they are decoded and written once.
    known: FxHashMap<u32, Known>,
    causes: String,
    last: Decimal,
}

impl<'a> Lines<'a> {
    pub(super) fn begin(format: Format, image: &'a Image, rules: &RuleBook, out: &mut Vec<u8>) -> Lines<'a> {
        if format == Format::Csv {
            let all = ["cycle", "event"].into_iter().chain(Name::ALL);
            out.extend(all.collect::<Vec<_>>().join(",").bytes());
            out.push(b'\n');
        }
        Lines {
            format,
            image,
            rules: RuleNames::of(rules),
            listing: Listing::new(image.architecture()),
            it: None,
            known: FxHashMap::default(),
            causes: String::new(),
            last: Decimal::default(),
        }
    }

    /// Looks at what an event executes, if it is not known.
    fn meet(&mut self, event: &Event) -> Option<u32> {
        let (pc, raw) = match event {
            Event::Retire(retire) => (retire.pc, Some(retire.raw)),
            Event::Fetch { pc, .. } => (*pc, None),
            // An exception leaves the IT block of what it interrupts; its return brings it back, which is not followed.
            Event::Enter(_) | Event::Exit(_) => {
                self.it = None;
                self.listing.jump();
                return None;
            }
            _ => return None,
        };
        let is_known = |known: &Known| raw.is_none_or(|raw| raw == known.raw);
        if !self.known.get(&pc).is_some_and(is_known) {
            self.learn(pc, raw);
        } else if let Some(raw) = raw {
            self.pass(pc, raw);
        }
        Some(pc)
    }

    #[cold]
    fn learn(&mut self, pc: u32, raw: Option<u32>) {
        if let Some((pc, raw)) = self.it.take() {
            let _ = self.listing.line(pc, raw);
        }
        let insn = raw.map(|raw| self.listing.line(pc, raw).unwrap_or_else(|error| error));
        let (insn, place) = (
            insn.unwrap_or_default(),
            self.image.describe(pc).unwrap_or_default(),
        );
        let [insn, place] = match self.format {
            Format::JsonLines | Format::Csv => [insn, place].map(|text| shown(self.format, text)),
            _ if place.is_empty() => [format!("  {insn:<INSN$}"), place],
            _ => [format!("  {insn:<INSN$}"), format!("  <{place}>")],
        };
        let known = Known {
            raw: raw.unwrap_or(0),
            insn,
            place,
            costs: Costs::NONE,
            causes: String::new(),
        };
        self.known.insert(pc, known);
    }

    /// What the cycles of an event went to; of an instruction that is known with these costs, it is known how that is shown.
    fn account(&mut self, event: &Event, pc: Option<u32>) {
        self.causes.clear();
        let Some((_, costs)) = event.window() else { return };
        let known = pc.and_then(|pc| self.known.get_mut(&pc));
        if known
            .as_ref()
            .is_some_and(|known| known.costs.as_slice() == costs.as_slice())
        {
            return;
        }
        causes(costs, &self.rules, &mut self.causes);
        if let Some(known) = known {
            known.costs = *costs;
            known.causes = match self.format {
                _ if self.causes.is_empty() => String::new(),
                Format::Text => format!(" causes={}", self.causes),
                format => shown(format, self.causes.clone()),
            };
        }
    }

    /// A known instruction may begin an IT block; behind any other one there is none that is not known.
    fn pass(&mut self, pc: u32, raw: u32) {
        let begins_it = raw <= 0xffff && raw & 0xff00 == 0xbf00 && raw & 0xf != 0;
        self.it = begins_it.then_some((pc, raw));
        self.listing.jump();
    }
}

impl Writer for Lines<'_> {
    fn event(&mut self, event: &Event, out: &mut Vec<u8>) {
        let pc = self.meet(event);
        let name = exception(event, self.image);
        self.account(event, pc);
        let known = pc.and_then(|pc| self.known.get(&pc));
        let (cycle, kind) = head(event);
        match self.format {
            Format::JsonLines => {
                let mut line = Json::begin(out, &mut self.last, cycle, kind);
                fields(event, known, &name, &self.causes, &mut line);
                line.end();
            }
            Format::Csv => {
                let mut row = Row([None; Name::ALL.len()]);
                fields(event, known, &name, &self.causes, &mut row);
                row.write(out, &mut self.last, cycle, kind);
            }
            _ => {
                let mut line = Text::begin(out, &mut self.last, cycle, kind);
                fields(event, known, &name, &self.causes, &mut line);
                line.end();
            }
        }
    }

    fn end(&mut self, _: u64, _: &mut Vec<u8>) {}
}

/// `        12 retire   end=13 issued=12 pc=0x08000130 sp=0x20002000  adds r0, #1   causes=alu:1  <main+0x4>`: what has a width
/// of its own comes last, the instruction and its place plain.
struct Text<'o>(&'o mut Vec<u8>, &'o mut Decimal);

impl<'o> Text<'o> {
    fn begin(out: &'o mut Vec<u8>, last: &'o mut Decimal, cycle: u64, kind: &str) -> Self {
        let digits = last.of(cycle);
        out.extend_from_slice(&b"          "[digits.len().min(10)..]);
        out.extend_from_slice(digits);
        out.push(b' ');
        out.extend_from_slice(kind.as_bytes());
        out.extend_from_slice(&b"        "[kind.len().min(8)..]);
        Text(out, last)
    }

    fn end(self) {
        while self.0.last() == Some(&b' ') {
            self.0.pop();
        }
        self.0.push(b'\n');
    }
}

impl<'a> Line<'a> for Text<'_> {
    #[inline(always)]
    fn value(&mut self, name: Name, value: Value<'a>) {
        let out = &mut *self.0;
        if let Value::Shown(text) = value {
            return out.extend_from_slice(text.as_bytes());
        }
        out.push(b' ');
        out.extend_from_slice(name.text().as_bytes());
        out.push(b'=');
        match value {
            Value::Number(value) => out.extend_from_slice(self.1.of(value)),
            Value::Address(value) => address(out, value),
            Value::Text(text) | Value::Shown(text) => out.extend_from_slice(text.as_bytes()),
        }
    }
}

/// A JSON object in a line.
struct Json<'o>(&'o mut Vec<u8>, &'o mut Decimal);

impl<'o> Json<'o> {
    fn begin(out: &'o mut Vec<u8>, last: &'o mut Decimal, cycle: u64, kind: &str) -> Self {
        out.extend_from_slice(br#"{"cycle":"#);
        out.extend_from_slice(last.of(cycle));
        out.extend_from_slice(br#","event":""#);
        out.extend_from_slice(kind.as_bytes());
        out.push(b'"');
        Json(out, last)
    }

    fn end(self) {
        self.0.extend_from_slice(b"}\n");
    }
}

impl<'a> Line<'a> for Json<'_> {
    #[inline(always)]
    fn value(&mut self, name: Name, value: Value<'a>) {
        let out = &mut *self.0;
        out.extend_from_slice(b",\"");
        out.extend_from_slice(name.text().as_bytes());
        out.extend_from_slice(b"\":");
        match value {
            Value::Number(value) => out.extend_from_slice(self.1.of(value)),
            Value::Address(value) => {
                out.push(b'"');
                address(out, value);
                out.push(b'"');
            }
            // Writing to memory cannot fail.
            Value::Text(text) => {
                let _ = serde_json::to_writer(out, text);
            },
            Value::Shown(text) => out.extend_from_slice(text.as_bytes()),
        }
    }
}

/// A row of a table: its values by column.
struct Row<'a>([Option<Value<'a>>; Name::ALL.len()]);

impl Row<'_> {
    fn write(&self, out: &mut Vec<u8>, last: &mut Decimal, cycle: u64, kind: &str) {
        out.extend_from_slice(last.of(cycle));
        out.push(b',');
        out.extend_from_slice(kind.as_bytes());
        for value in &self.0 {
            out.push(b',');
            match *value {
                Some(Value::Number(value)) => out.extend_from_slice(last.of(value)),
                Some(Value::Address(value)) => address(out, value),
                Some(Value::Text(text)) => out.extend_from_slice(quoted(text).as_bytes()),
                Some(Value::Shown(text)) => out.extend_from_slice(text.as_bytes()),
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

/// The digits of a number: most numbers of a trace are the one before, since a window begins where the last one ended.
#[derive(Default)]
struct Decimal {
    number: Option<u64>,
    digits: [u8; 20],
    length: usize,
}

impl Decimal {
    #[inline]
    fn of(&mut self, number: u64) -> &[u8] {
        if self.number != Some(number) {
            self.find(number);
        }
        &self.digits[..self.length]
    }

    fn find(&mut self, number: u64) {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(number).as_bytes();
        (self.number, self.length) = (Some(number), digits.len());
        self.digits[..digits.len()].copy_from_slice(digits);
    }
}

/// `0x` and eight digits.
fn address(out: &mut Vec<u8>, address: u32) {
    let mut text = *b"0x00000000";
    for (place, digit) in text[2..].iter_mut().enumerate() {
        *digit = b"0123456789abcdef"[(address >> (28 - 4 * place) & 15) as usize];
    }
    out.extend_from_slice(&text);
}

/// A text as a format without widths of its own shows it.
fn shown(format: Format, text: String) -> String {
    match format {
        Format::JsonLines => serde_json::Value::from(text).to_string(),
        _ => quoted(&text).into_owned(),
    }
}

/// A text as RFC 4180 has it.
fn quoted(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}
