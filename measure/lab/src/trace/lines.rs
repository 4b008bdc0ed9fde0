//! A line for each event: as text, JSON, or a table with commas.

use std::borrow::Cow;

use events::{Costs, Event, Retire, RuleBook};
use machine::{Image, Listing};
use rustc_hash::FxHashMap;

use super::fields::{Line, Name, RuleNames, Value, causes, exception, fields, head};
use super::{Format, Writer};

/// Letters that an instruction takes in a text at the least.
const INSN: usize = 32;

/// An instruction, as the format shows it.
pub(super) struct Known {
    raw: u32,
    insn: String,
    pub(super) place: String,
    /// Its address, and what stands around it in a text.
    pc: [u8; 18],
    /// What its cycles went to, and what is then shown of it: in a table that, else all that is the same each time, in a text to
    /// the end of its line.
    shown: Vec<(Costs, String)>,
}

/// So many of them are kept of an instruction.
const SHOWN: usize = 8;

/// Lines.
pub(super) struct Lines<'a> {
    format: Format,
    image: &'a Image,
    rules: RuleNames,
    listing: Listing,
    /// The IT instruction that was executed last, which the listing has not seen, for it was known.
    it: Option<(u32, u32)>,
    /// The instructions that were met: they are decoded and written once.
    known: Vec<Known>,
    /// Where they stand, by address.
    places: FxHashMap<u32, u32>,
    causes: String,
    last: Decimals,
    /// The stack pointer before, as it is written: few instructions change it.
    sp: (u32, [u8; 10]),
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
            known: Vec::new(),
            places: FxHashMap::default(),
            causes: String::new(),
            last: Decimals::default(),
            sp: (0, digits(0)),
        }
    }

    /// Looks at what an event executes; where in what is known it stands.
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
        let place = self.places.get(&pc).copied();
        let known = place.and_then(|place| self.known.get(place as usize));
        if known.is_none_or(|known| raw.is_some_and(|raw| raw != known.raw)) {
            return Some(self.learn(pc, raw));
        }
        if let Some(raw) = raw {
            self.pass(pc, raw);
        }
        place
    }

    #[cold]
    fn learn(&mut self, pc: u32, raw: Option<u32>) -> u32 {
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
            pc: around(digits(pc)),
            shown: Vec::new(),
        };
        // What stood there before, where code changes, is not looked for any more.
        let place = *self.places.entry(pc).or_insert(self.known.len() as u32);
        match self.known.get_mut(place as usize) {
            Some(old) => *old = known,
            None => self.known.push(known),
        }
        place
    }

    /// What is shown of an instruction that cost this: which of what is known of it.
    fn account(&mut self, place: u32, costs: &Costs) -> usize {
        let known = &mut self.known[place as usize];
        let same = |(of, _): &(Costs, String)| of.as_slice() == costs.as_slice();
        if let Some(index) = known.shown.iter().position(same) {
            return index;
        }
        self.causes.clear();
        causes(costs, &self.rules, &mut self.causes);
        if known.shown.len() == SHOWN {
            known.shown.clear();
        }
        let (insn, place, causes) = (&known.insn, &known.place, &self.causes);
        let shown = match self.format {
            Format::JsonLines if causes.is_empty() => format!(",\"insn\":{insn},\"at\":{place}"),
            Format::JsonLines => {
                let causes = shown(self.format, causes.clone());
                format!(",\"insn\":{insn},\"causes\":{causes},\"at\":{place}")
            }
            Format::Csv => quoted(causes).into_owned(),
            _ if causes.is_empty() => line(format!("{insn}{place}")),
            _ => line(format!("{insn} causes={causes}{place}")),
        };
        known.shown.push((*costs, shown));
        known.shown.len() - 1
    }

    /// A known instruction may begin an IT block; behind any other one there is none that is not known.
    fn pass(&mut self, pc: u32, raw: u32) {
        let begins_it = raw <= 0xffff && raw & 0xff00 == 0xbf00 && raw & 0xf != 0;
        self.it = begins_it.then_some((pc, raw));
        self.listing.jump();
    }
}

impl Lines<'_> {
    /// The line of a text about an instruction: most lines are, so its parts are put together where no room is asked for.
    fn instruction(&mut self, retire: &Retire, place: u32, out: &mut Vec<u8>) {
        let same = self.account(place, &retire.costs);
        if self.sp.0 != retire.sp {
            self.sp = (retire.sp, digits(retire.sp));
        }
        let known = &self.known[place as usize];
        let mut head = Head::default();
        let from = self.last.find(retire.at.from);
        head.put(&from.padded, from.padded_len());
        head.all(b"retire   end=");
        let to = self.last.find(retire.at.to);
        head.put(&to.digits, to.len);
        head.all(b" issued=");
        let issued = self.last.find(retire.issued);
        head.put(&issued.digits, issued.len);
        head.all(&known.pc);
        head.all(&self.sp.1);
        out.extend_from_slice(head.text());
        out.extend_from_slice(known.shown[same].1.as_bytes());
    }
}

impl Writer for Lines<'_> {
    fn event(&mut self, event: &Event, out: &mut Vec<u8>) {
        let place = self.meet(event);
        if let (Format::Text, Event::Retire(retire), Some(place)) = (self.format, event, place) {
            return self.instruction(retire, place, out);
        }
        let name = exception(event, self.image);
        let mut same = 0;
        let mut costs = "";
        match (event, place, event.window()) {
            (Event::Retire(retire), Some(place), _) => same = self.account(place, &retire.costs),
            (_, _, Some((_, all))) => {
                self.causes.clear();
                causes(all, &self.rules, &mut self.causes);
                costs = &self.causes;
            }
            _ => {}
        }
        let known = place.and_then(|place| self.known.get(place as usize));
        let known = known.map(|known| (known, known.shown.get(same).map_or("", |(_, shown)| shown)));
        let (cycle, kind) = head(event);
        match self.format {
            Format::JsonLines => {
                let mut line = Json::begin(out, &mut self.last, cycle, kind);
                fields(event, known, &name, costs, &mut line);
                line.end();
            }
            Format::Csv => {
                let mut row = Row([None; Name::ALL.len()]);
                fields(event, known, &name, costs, &mut row);
                row.write(out, &mut self.last, cycle, kind);
            }
            _ => {
                let mut line = Text::begin(out, &mut self.last, cycle, kind);
                fields(event, known, &name, costs, &mut line);
                line.end();
            }
        }
    }

    fn end(&mut self, _: u64, _: &mut Vec<u8>) {}
}

/// `        12 retire   end=13 issued=12 pc=0x08000130 sp=0x20002000  adds r0, #1   causes=alu:1  <main+0x4>`: what has a width
/// of its own comes last, the instruction and its place plain.
struct Text<'o> {
    out: &'o mut Vec<u8>,
    last: &'o mut Decimals,
    head: Head,
}

impl<'o> Text<'o> {
    fn begin(out: &'o mut Vec<u8>, last: &'o mut Decimals, cycle: u64, kind: &str) -> Self {
        let mut head = Head::default();
        let from = last.find(cycle);
        head.put(&from.padded, from.padded_len());
        let mut text = Text { out, last, head };
        text.flush();
        text.out.extend_from_slice(kind.as_bytes());
        text.out.extend_from_slice(&b"        "[kind.len().min(8)..]);
        text
    }

    fn flush(&mut self) {
        self.out.extend_from_slice(self.head.text());
        self.head.len = 0;
    }

    fn end(mut self) {
        self.flush();
        while self.out.last() == Some(&b' ') {
            self.out.pop();
        }
        self.out.push(b'\n');
    }
}

impl<'a> Line<'a> for Text<'_> {
    #[inline(always)]
    fn value(&mut self, name: Name, value: Value<'a>) {
        if let Value::Shown(text) = value {
            self.flush();
            return self.out.extend_from_slice(text.as_bytes());
        }
        // A name and a number behind it have room.
        if self.head.len > MOST / 2 {
            self.flush();
        }
        let name = name.in_text();
        self.head.put(&name.text, name.len);
        match value {
            Value::Number(value) => {
                let number = self.last.find(value);
                self.head.put(&number.digits, number.len);
            }
            Value::Address(value) => self.head.all(&digits(value)),
            Value::Text(text) | Value::Shown(text) => {
                self.flush();
                self.out.extend_from_slice(text.as_bytes());
            }
        }
    }
}

/// What fits into the part of a line that is put together.
const MOST: usize = 160;

/// The part of a line that has a width of its own in every part.
struct Head {
    bytes: [u8; MOST],
    len: usize,
}

impl Default for Head {
    fn default() -> Self {
        Head {
            bytes: [0; MOST],
            len: 0,
        }
    }
}

impl Head {
    /// So many letters of a text, which is copied as a whole: that takes less than to look how many there are.
    #[inline(always)]
    fn put<const SIZE: usize>(&mut self, text: &[u8; SIZE], len: usize) {
        self.bytes[self.len..][..SIZE].copy_from_slice(text);
        self.len += len;
    }

    #[inline(always)]
    fn all<const SIZE: usize>(&mut self, text: &[u8; SIZE]) {
        self.put(text, SIZE);
    }

    fn text(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// ` pc=0x08000130 sp=`
fn around(pc: [u8; 10]) -> [u8; 18] {
    let mut text = *b" pc=0x00000000 sp=";
    text[4..14].copy_from_slice(&pc);
    text
}

/// Nothing stands behind it in its line.
fn line(mut text: String) -> String {
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
    text
}

/// A JSON object in a line.
struct Json<'o>(&'o mut Vec<u8>, &'o mut Decimals);

impl<'o> Json<'o> {
    fn begin(out: &'o mut Vec<u8>, last: &'o mut Decimals, cycle: u64, kind: &str) -> Self {
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
        out.extend_from_slice(name.in_json().as_bytes());
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
            }
            Value::Shown(text) => out.extend_from_slice(text.as_bytes()),
        }
    }

    fn executed(&mut self, _: &'a Known, shown: &'a str) {
        self.0.extend_from_slice(shown.as_bytes());
    }
}

/// A row of a table: its values by column.
struct Row<'a>([Option<Value<'a>>; Name::ALL.len()]);

impl Row<'_> {
    fn write(&self, out: &mut Vec<u8>, last: &mut Decimals, cycle: u64, kind: &str) {
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

    fn executed(&mut self, known: &'a Known, shown: &'a str) {
        self.value(Name::Insn, Value::Shown(&known.insn));
        self.value(Name::Causes, Value::Shown(shown));
        self.value(Name::At, Value::Shown(&known.place));
    }
}

/// The digits of the two numbers before: most numbers of a trace are one of them, since an instruction starts where its window
/// begins, and that where the last one ended.
#[derive(Default)]
struct Decimals {
    known: [Decimal; 2],
    last: usize,
}

#[derive(Clone, Copy, Default)]
struct Decimal {
    number: Option<u64>,
    digits: [u8; Decimal::MOST],
    len: usize,
    /// The same behind spaces, to a width of [`Decimal::WIDTH`] at the least, and a space.
    padded: [u8; Decimal::MOST + 1],
}

impl Decimals {
    #[inline]
    fn find(&mut self, number: u64) -> &Decimal {
        if self.known[self.last].number != Some(number) {
            self.last ^= 1;
            if self.known[self.last].number != Some(number) {
                let near = &self.known[self.last ^ 1];
                self.known[self.last] = near.up_to(number).unwrap_or_else(|| Decimal::of(number));
            }
        }
        &self.known[self.last]
    }

    #[inline]
    fn of(&mut self, number: u64) -> &[u8] {
        let known = self.find(number);
        &known.digits[..known.len]
    }
}

impl Decimal {
    const MOST: usize = 20;
    /// Letters of a cycle in a text at the least.
    const WIDTH: usize = 10;

    fn padded_len(&self) -> usize {
        self.len.max(Decimal::WIDTH) + 1
    }

    /// A number that differs in its last digit alone, as most do that follow.
    #[inline]
    fn up_to(&self, number: u64) -> Option<Decimal> {
        let more = number.checked_sub(self.number?).filter(|more| *more < 10)?;
        let digit = self.digits[self.len - 1] + more as u8;
        if digit > b'9' {
            return None;
        }
        let mut next = *self;
        next.number = Some(number);
        next.digits[self.len - 1] = digit;
        next.padded[self.padded_len() - 2] = digit;
        Some(next)
    }

    #[cold]
    fn of(number: u64) -> Decimal {
        let mut buffer = itoa::Buffer::new();
        let text = buffer.format(number).as_bytes();
        let mut digits = [b' '; Decimal::MOST];
        digits[..text.len()].copy_from_slice(text);
        let mut padded = [b' '; Decimal::MOST + 1];
        padded[Decimal::WIDTH.saturating_sub(text.len())..][..text.len()].copy_from_slice(text);
        Decimal {
            number: Some(number),
            digits,
            len: text.len(),
            padded,
        }
    }
}

/// `0x` and eight digits.
fn address(out: &mut Vec<u8>, address: u32) {
    out.extend_from_slice(&digits(address));
}

fn digits(address: u32) -> [u8; 10] {
    let mut text = *b"0x00000000";
    for (place, digit) in text[2..].iter_mut().enumerate() {
        *digit = b"0123456789abcdef"[(address >> (28 - 4 * place) & 15) as usize];
    }
    text
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
