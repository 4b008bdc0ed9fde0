//! Writes every event of a run to a file: as text, or as a JSON object a line if the file's name ends in `.jsonl`.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use core_rv32::timing::rules::{Rule, RuleSet};
use machine::{Architecture, Exception, Image, Listing};
use probe::{EntryKind, Event, Mask, Probe};

/// A probe that writes.
#[derive(Debug)]
pub struct Trace<'a> {
    out: BufWriter<File>,
    format: Format,
    image: &'a Image,
    listing: Listing,
    line: String,
    /// The first error; nothing is written after it.
    error: Option<io::Error>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Text,
    JsonLines,
}

use Value::{Address, Number, Text};

/// A named value of an event.
enum Value {
    Number(u64),
    Address(u32),
    Text(String),
}

impl<'a> Trace<'a> {
    /// Begins a file; addresses are shown with the symbols of `image`.
    ///
    /// # Errors
    ///
    /// If the file cannot be created.
    pub fn create(path: &Path, image: &'a Image) -> io::Result<Trace<'a>> {
        let json = path.extension().is_some_and(|extension| extension == "jsonl");
        let format = if json { Format::JsonLines } else { Format::Text };
        let out = BufWriter::new(File::create(path)?);
        Ok(Trace {
            out,
            format,
            image,
            listing: Listing::new(image.architecture()),
            line: String::new(),
            error: None,
        })
    }

    /// Ends the file.
    ///
    /// # Errors
    ///
    /// The first error that writing met.
    pub fn finish(mut self) -> io::Result<()> {
        match self.error {
            Some(error) => Err(error),
            None => self.out.flush(),
        }
    }

    fn write(&mut self, cycle: u64, kind: &str, fields: &[(&str, Value)]) {
        self.line.clear();
        match self.format {
            Format::Text => text(&mut self.line, cycle, kind, fields),
            Format::JsonLines => json(&mut self.line, cycle, kind, fields),
        }
        if self.error.is_none() {
            self.error = self.out.write_all(self.line.as_bytes()).err();
        }
    }

    fn fetch(&mut self, cycle: u64, pc: u32) {
        let place = self.image.describe(pc).unwrap_or_default();
        self.write(cycle, "fetch", &[("pc", Address(pc)), ("at", Text(place))]);
    }

    fn retire(&mut self, cycle: u64, end: u64, pc: u32, raw: u32, sp: u32, rules: u128) {
        let insn = self.listing.line(pc, raw).unwrap_or_else(|error| error);
        let place = self.image.describe(pc).unwrap_or_default();
        let mut fields = vec![
            ("end", Value::Number(end)),
            ("pc", Value::Address(pc)),
            ("sp", Value::Address(sp)),
            ("insn", Value::Text(insn)),
            ("at", Value::Text(place)),
        ];
        if rules != 0 && self.image.architecture() == Architecture::RiscV {
            let waits: Vec<&str> = RuleSet::from_bits(rules).iter().map(Rule::id).collect();
            fields.push(("waits", Value::Text(waits.join(","))));
        }
        self.write(cycle, "retire", &fields);
    }
}

impl Probe for Trace<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Retire {
                cycle,
                end,
                pc,
                raw,
                sp,
                rules,
                ..
            } => self.retire(*cycle, *end, *pc, *raw, *sp, *rules),
            // An exception leaves the IT block of what it interrupts; its return brings it back, which the trace does
            // not follow.
            Event::ExceptionEntry { .. } | Event::ExceptionExit { .. } => {
                self.listing.jump();
                self.exception(event);
            }
            _ => self.other(event),
        }
    }
}

impl Trace<'_> {
    fn exception(&mut self, event: &Event) {
        match *event {
            Event::ExceptionEntry {
                cycle,
                end,
                number,
                kind,
                return_address,
                handler,
                sp,
                ..
            } => {
                let fields = [
                    ("end", Number(end)),
                    ("name", Text(Exception(number).name_in(self.image.architecture()))),
                    ("by", Text(entry_kind(kind).to_owned())),
                    ("return", Address(return_address)),
                    ("handler", Address(handler)),
                    ("sp", Address(sp)),
                ];
                self.write(cycle, "enter", &fields);
            }
            Event::ExceptionExit {
                cycle,
                end,
                number,
                to,
                sp,
                ..
            } => {
                let name = Text(Exception(number).name_in(self.image.architecture()));
                let fields = [
                    ("end", Number(end)),
                    ("name", name),
                    ("to", Address(to)),
                    ("sp", Address(sp)),
                ];
                self.write(cycle, "exit", &fields);
            }
            _ => {}
        }
    }

    fn other(&mut self, event: &Event) {
        match *event {
            Event::Write {
                cycle,
                pc,
                address,
                size,
                value,
            } => {
                let (size, value) = (Number(u64::from(size)), Address(value));
                let fields = [
                    ("pc", Address(pc)),
                    ("address", Address(address)),
                    ("size", size),
                    ("value", value),
                ];
                self.write(cycle, "write", &fields);
            }
            Event::MaskChange {
                cycle,
                pc,
                mask,
                old,
                new,
            } => {
                let [old, new] = [old, new].map(|value| Number(u64::from(value)));
                let mask = Text(mask_name(mask).to_owned());
                self.write(
                    cycle,
                    "mask",
                    &[("pc", Address(pc)), ("mask", mask), ("old", old), ("new", new)],
                );
            }
            Event::Semihosting {
                cycle,
                pc,
                operation,
                parameter,
            } => {
                let (operation, parameter) = (Address(operation), Address(parameter));
                let fields = [
                    ("pc", Address(pc)),
                    ("operation", operation),
                    ("parameter", parameter),
                ];
                self.write(cycle, "semihost", &fields);
            }
            Event::Breakpoint { cycle, pc, imm, sp } => {
                let fields = [
                    ("pc", Address(pc)),
                    ("imm", Number(u64::from(imm))),
                    ("sp", Address(sp)),
                ];
                self.write(cycle, "bkpt", &fields);
            }
            Event::Fetch { cycle, pc } => self.fetch(cycle, pc),
            Event::Sleep { cycle, end } => self.write(cycle, "sleep", &[("end", Number(end))]),
            Event::Retire { .. } | Event::ExceptionEntry { .. } | Event::ExceptionExit { .. } => {}
        }
    }
}

/// `        12 retire   end=13 pc=0x08000130 …`; the instruction and the place come last and plain.
fn text(line: &mut String, cycle: u64, kind: &str, fields: &[(&str, Value)]) {
    let _ = write!(line, "{cycle:>10} {kind:<8}");
    for (name, value) in fields {
        let _ = match value {
            Value::Number(number) => write!(line, " {name}={number}"),
            Value::Address(address) => write!(line, " {name}={address:#010x}"),
            Value::Text(text) if *name == "insn" => write!(line, "  {text}"),
            Value::Text(text) if *name == "at" && !text.is_empty() => write!(line, "  <{text}>"),
            Value::Text(_) if *name == "at" => Ok(()),
            Value::Text(text) => write!(line, " {name}={text}"),
        };
    }
    line.push('\n');
}

fn json(line: &mut String, cycle: u64, kind: &str, fields: &[(&str, Value)]) {
    let _ = write!(line, r#"{{"cycle":{cycle},"event":"{kind}""#);
    for (name, value) in fields {
        let _ = match value {
            Value::Number(number) => write!(line, r#","{name}":{number}"#),
            Value::Address(address) => write!(line, r#","{name}":"{address:#010x}""#),
            Value::Text(text) => write!(line, r#","{name}":{}"#, serde_json::Value::from(text.as_str())),
        };
    }
    line.push_str("}\n");
}

fn entry_kind(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Preempt => "preempt",
        EntryKind::TailChain => "tail-chain",
        EntryKind::LateArrival => "late-arrival",
    }
}

fn mask_name(mask: Mask) -> &'static str {
    match mask {
        Mask::Primask => "PRIMASK",
        Mask::Faultmask => "FAULTMASK",
        Mask::Basepri => "BASEPRI",
    }
}
