//! Writes every event of a run to a file: as text, or as a JSON object a line if the file's name ends in `.jsonl`.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use events::{Costs, EntryKind, Event, Flow, Interest, Mask, Retire, RuleBook, Sink, Window};
use machine::{Exception, Image, Listing};

/// A sink that writes.
#[derive(Debug)]
pub struct Trace<'a> {
    out: BufWriter<File>,
    format: Format,
    image: &'a Image,
    listing: Listing,
    rules: RuleBook,
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
    /// Begins a file; addresses are shown with the symbols of `image`, costs with the names of these rules.
    ///
    /// # Errors
    ///
    /// If the file cannot be created.
    pub fn create(path: &Path, image: &'a Image, rules: RuleBook) -> io::Result<Trace<'a>> {
        let json = path.extension().is_some_and(|extension| extension == "jsonl");
        let format = if json { Format::JsonLines } else { Format::Text };
        let out = BufWriter::new(File::create(path)?);
        Ok(Trace {
            out,
            format,
            image,
            listing: Listing::new(image.architecture()),
            rules,
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
            // A reader that went away has seen enough.
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
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

    fn retire(&mut self, retire: &Retire) {
        let Retire { pc, raw, sp, .. } = *retire;
        let insn = self.listing.line(pc, raw).unwrap_or_else(|error| error);
        let place = self.image.describe(pc).unwrap_or_default();
        let fields = vec![
            ("issued", Number(retire.issued)),
            ("pc", Address(pc)),
            ("sp", Address(sp)),
            ("insn", Text(insn)),
            ("at", Text(place)),
        ];
        self.window("retire", retire.at, &retire.costs, fields);
    }

    /// A window: where it begins and ends, what happened, and what its cycles went to: `causes=load:2,wait-states:1`.
    fn window(&mut self, kind: &str, at: Window, costs: &Costs, mut fields: Vec<(&'static str, Value)>) {
        let name = |rule| self.rules.get(rule).map_or("verilog", |rule| rule.id);
        let causes = costs
            .iter()
            .map(|cost| format!("{}:{}", name(cost.rule), cost.cycles));
        let causes: Vec<String> = causes.collect();
        fields.insert(0, ("end", Number(at.to)));
        if !causes.is_empty() {
            let place = fields.iter().position(|(name, _)| *name == "at");
            fields.insert(place.unwrap_or(fields.len()), ("causes", Text(causes.join(","))));
        }
        self.write(at.from, kind, &fields);
    }
}

impl Sink for Trace<'_> {
    fn interest(&self) -> Interest {
        Interest::everything()
    }

    fn event(&mut self, event: &Event) -> Flow {
        match event {
            Event::Retire(retire) => self.retire(retire),
            // An exception leaves the IT block of what it interrupts; its return brings it back, which the trace does
            // not follow.
            Event::Enter(_) | Event::Exit(_) => {
                self.listing.jump();
                self.exception(event);
            }
            _ => self.other(event),
        }
        // What cannot be kept need not be run for.
        match self.error {
            Some(_) => Flow::Pause,
            None => Flow::On,
        }
    }
}

impl Trace<'_> {
    fn exception(&mut self, event: &Event) {
        match event {
            Event::Enter(enter) => {
                let fields = vec![
                    ("recognised", Number(enter.recognised)),
                    (
                        "name",
                        Text(Exception(enter.number).name_in(self.image.architecture())),
                    ),
                    ("by", Text(entry_kind(enter.kind).to_owned())),
                    ("return", Address(enter.return_address)),
                    ("handler", Address(enter.handler)),
                    ("sp", Address(enter.sp)),
                ];
                self.window("enter", enter.at, &enter.costs, fields);
            }
            Event::Exit(exit) => {
                let name = Text(Exception(exit.number).name_in(self.image.architecture()));
                let fields = vec![("name", name), ("to", Address(exit.to)), ("sp", Address(exit.sp))];
                self.window("exit", exit.at, &exit.costs, fields);
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
                ..
            } => self.access("write", cycle, pc, (address, size, value)),
            Event::Read {
                cycle,
                pc,
                address,
                size,
                value,
                ..
            } => self.access("read", cycle, pc, (address, size, value)),
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
                at,
                pc,
                operation,
                parameter,
                ref costs,
            } => {
                let fields = vec![
                    ("pc", Address(pc)),
                    ("operation", Address(operation)),
                    ("parameter", Address(parameter)),
                ];
                self.window("semihost", at, costs, fields);
            }
            Event::Breakpoint {
                at,
                pc,
                imm,
                sp,
                ref costs,
                ..
            } => {
                let fields = vec![
                    ("pc", Address(pc)),
                    ("imm", Number(u64::from(imm))),
                    ("sp", Address(sp)),
                ];
                self.window("bkpt", at, costs, fields);
            }
            Event::Fetch { cycle, pc } => self.fetch(cycle, pc),
            Event::Sleep { at, ref costs } => {
                self.window("sleep", at, costs, Vec::new());
            }
            Event::Input {
                cycle, number, level, ..
            } => self.line("input", cycle, number, level),
            Event::Line { cycle, number, level } => self.line("line", cycle, number, level),
            Event::Switch { cycle, pc, left, sp } => {
                let fields = [("pc", Address(pc)), ("left", Address(left)), ("sp", Address(sp))];
                self.write(cycle, "switch", &fields);
            }
            Event::Text { cycle, error, byte } => {
                let fields = [
                    ("error", Number(u64::from(error))),
                    ("byte", Number(u64::from(byte))),
                ];
                self.write(cycle, "text", &fields);
            }
            Event::Retire(_) | Event::Enter(_) | Event::Exit(_) => {}
        }
    }
}

impl Trace<'_> {
    fn access(&mut self, kind: &str, cycle: u64, pc: u32, (address, size, value): (u32, u8, u32)) {
        let fields = [
            ("pc", Address(pc)),
            ("address", Address(address)),
            ("size", Number(u64::from(size))),
            ("value", Address(value)),
        ];
        self.write(cycle, kind, &fields);
    }

    fn line(&mut self, kind: &str, cycle: u64, number: u16, level: bool) {
        let name = Exception(number).name_in(self.image.architecture());
        let fields = [("name", Text(name)), ("level", Number(u64::from(level)))];
        self.write(cycle, kind, &fields);
    }
}

/// `        12 retire   end=13 issued=12 pc=0x08000130 sp=0x20002000  adds r0, #1   causes=alu:1  <main+0x4>`: what has a width
/// of its own comes last, the instruction and its place plain.
fn text(line: &mut String, cycle: u64, kind: &str, fields: &[(&str, Value)]) {
    let _ = write!(line, "{cycle:>10} {kind:<8}");
    for (name, value) in fields {
        let _ = match value {
            Value::Number(number) => write!(line, " {name}={number}"),
            Value::Address(address) => write!(line, " {name}={address:#010x}"),
            Value::Text(text) if *name == "insn" => write!(line, "  {text:<32}"),
            Value::Text(text) if *name == "at" && !text.is_empty() => write!(line, "  <{text}>"),
            Value::Text(_) if *name == "at" => Ok(()),
            Value::Text(text) => write!(line, " {name}={text}"),
        };
    }
    line.truncate(line.trim_end().len());
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
