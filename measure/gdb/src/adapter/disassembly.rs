//! Disassembly, with the cycles of each instruction.

use std::collections::HashMap;

use dap::requests::DisassembleArguments;
use machine::{Image, Listing};
use serde_json::{Value, json};

use super::memory::address;
use super::requests::parsed;
use super::stack::source;
use super::{Adapter, Answered, Refusal};
use crate::session::Session;
use crate::session::spent::Spent;

/// The most instructions that one request shows, and the furthest that it looks back.
const MOST: i64 = 1 << 12;
/// The widest instruction in bytes.
const WIDEST: u32 = 4;

/// An instruction, or data between instructions.
struct Line {
    address: u32,
    bytes: Vec<u8>,
    text: String,
}

/// Bytes of memory from an address on.
struct Code {
    start: u32,
    bytes: Vec<u8>,
}

impl Code {
    fn read(session: &mut Session, start: u32, length: u32) -> Answered<Code> {
        let block = session.read_memory(start, length)?;
        let bytes = block.map(|block| block.bytes).unwrap_or_default();
        Ok(Code { start, bytes })
    }

    fn halfword(&self, address: u32) -> Option<u16> {
        let at = address.wrapping_sub(self.start) as usize;
        let bytes = self.bytes.get(at..)?.first_chunk()?;
        Some(u16::from_le_bytes(*bytes))
    }

    /// The line at an address; `None` where there is no memory.
    fn line(&self, image: &Image, listing: &mut Listing, address: u32) -> Option<Line> {
        let first = self.halfword(address)?;
        let (size, text) = if image.is_data(address) {
            (2, format!(".short {first:#06x}"))
        } else {
            let second = self.halfword(address.wrapping_add(2));
            let text = listing.line_at(address, first, second);
            let size = listing.length(first);
            (size, text.unwrap_or_else(|_| format!(".short {first:#06x}")))
        };
        let at = (address - self.start) as usize;
        let end = (at + size as usize).min(self.bytes.len());
        let bytes = self.bytes[at..end].to_vec();
        Some(Line { address, bytes, text })
    }
}

impl Adapter {
    pub(super) fn disassemble(&mut self, arguments: Value) -> Answered {
        let arguments: DisassembleArguments = parsed(arguments)?;
        let at = address(&arguments.memory_reference, arguments.offset)? & !1;
        let (offset, count) = (
            arguments.instruction_offset.unwrap_or(0),
            arguments.instruction_count,
        );
        if !(0..=MOST).contains(&count) || !(-MOST..=MOST).contains(&offset) {
            return Err(Refusal(format!("at most {MOST} instructions")));
        }
        let session = self.session()?;
        let image = session.target().image().clone();
        let lines = lines(session, &image, at, offset, count as usize)?;
        let range = match (lines.first(), lines.last()) {
            (Some(first), Some(last)) => first.address..last.address.saturating_add(1),
            _ => at..at,
        };
        let spent = session.spent(range)?;
        let first = self.first;
        let told = lines.iter().map(|line| told(line, &image, &spent, first));
        Ok(json!({ "instructions": told.collect::<Vec<_>>() }))
    }
}

/// `count` lines from the one that is `offset` lines behind `at`. Where there is no memory, they say so.
fn lines(session: &mut Session, image: &Image, at: u32, offset: i64, count: usize) -> Answered<Vec<Line>> {
    let before = offset.min(0).unsigned_abs() as u32;
    // The start of a function is one of an instruction.
    let earliest = at.saturating_sub(WIDEST * before);
    let start = match image.symbol_at(earliest) {
        Some((symbol, _)) if symbol.address & 1 == 0 && earliest - symbol.address < 1 << 16 => symbol.address,
        _ => earliest,
    };
    let length = (at - start) + WIDEST * (count as u32 + offset.max(0) as u32 + 1);
    let code = Code::read(session, start, length)?;
    let (mut listing, mut address) = (Listing::new(image.architecture()), start);
    let (mut earlier, mut later) = (Vec::new(), Vec::new());
    while later.len() < count + offset.max(0) as usize {
        // Data before `at` may have been taken for an instruction that reaches beyond.
        if address > at && later.is_empty() {
            address = at;
        }
        let Some(line) = code.line(image, &mut listing, address) else {
            break;
        };
        let size = line.bytes.len().max(2) as u32;
        if address < at {
            earlier.push(line);
        } else {
            later.push(line);
        }
        address = match address.checked_add(size) {
            Some(next) => next,
            None => break,
        };
    }
    let skipped = offset.max(0) as usize;
    let shown = earlier.split_off(earlier.len().saturating_sub(before as usize));
    let missing = before as usize - shown.len();
    let lowest = shown.first().map_or(at, |line| line.address);
    let nothing = |address| Line {
        address,
        bytes: Vec::new(),
        text: "(nothing known)".to_owned(),
    };
    let above = (1..=missing as u32)
        .rev()
        .map(|place| nothing(lowest.wrapping_sub(2 * place)));
    let mut lines: Vec<Line> = above
        .chain(shown)
        .chain(later.into_iter().skip(skipped))
        .collect();
    lines.truncate(count);
    let mut next = lines.last().map_or(at, |line| line.address);
    while lines.len() < count {
        next = next.wrapping_add(2);
        lines.push(nothing(next));
    }
    Ok(lines)
}

fn told(line: &Line, image: &Image, spent: &HashMap<u32, Spent>, first: i64) -> Value {
    let mut text = line.text.clone();
    if let Some(spent) = spent.get(&line.address) {
        text = format!("{text:<32} ; {}", in_words(spent));
    }
    let bytes: Vec<String> = line.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut told = json!({
        "address": format!("{:#010x}", line.address),
        "instruction": text,
        "instructionBytes": bytes.join(" "),
    });
    if line.bytes.is_empty() {
        told["presentationHint"] = "invalid".into();
    }
    if let Some((symbol, 0)) = image.symbol_at(line.address) {
        told["symbol"] = symbol.name.clone().into();
    }
    if let Some(place) = image.place_at(line.address).filter(|place| place.line > 0) {
        told["location"] = source(&place);
        told["line"] = (i64::from(place.line) - 1 + first).into();
    }
    told
}

/// `2 cycles`, or `1 to 3 cycles, 12 times`.
fn in_words(spent: &Spent) -> String {
    let cycles = match (spent.least, spent.most) {
        (1, 1) => "1 cycle".to_owned(),
        (least, most) if least == most => format!("{least} cycles"),
        (least, most) => format!("{least} to {most} cycles"),
    };
    match spent.times {
        1 => cycles,
        times => format!("{cycles}, {times} times"),
    }
}
