//! VCD waveforms with one time unit per cycle.

use std::io;

use std::collections::HashMap;

use vcd::{TimescaleUnit, VarType, Writer};

/// A signal's scope, name and width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// The scope; the signals of one follow each other.
    pub scope: &'static str,
    /// Name, made of letters, digits and underscores.
    pub name: String,
    /// Width in bits, at most 32; 0 for a text.
    pub bits: u32,
}

/// A signal's identifier code in the file.
#[derive(Debug)]
struct Code {
    bits: u32,
    /// The text after its value.
    name: String,
}

/// The binary digits of each byte.
const BITS: [[u8; 8]; 256] = {
    let mut all = [[b'0'; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut place = 0;
        while place < 8 {
            all[byte][place] += (byte >> (7 - place) & 1) as u8;
            place += 1;
        }
        byte += 1;
    }
    all
};

/// A VCD writer. Changes within a window of time may arrive in any order; `until` writes those that are due.
#[derive(Debug)]
pub struct Waves {
    codes: Vec<Code>,
    /// The last value written of each signal.
    values: Vec<Option<u32>>,
    /// Pending changes: time, order of arrival, signal, value.
    due: Vec<(u64, u64, usize, u32)>,
    order: u64,
    now: Option<u64>,
    /// Texts by number, each once.
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Waves {
    /// Writes the header of a file with these signals, whose values are unknown at first.
    ///
    /// # Errors
    ///
    /// Never in practice, since the writer is memory.
    pub fn begin(comment: &str, signals: &[Signal], out: &mut Vec<u8>) -> io::Result<Waves> {
        let mut writer = Writer::new(out);
        writer.comment(comment)?;
        // The time unit is a cycle; VCD only knows fractions of a second.
        writer.timescale(1, TimescaleUnit::NS)?;
        let (mut codes, mut scope) = (Vec::new(), None);
        for signal in signals {
            if scope != Some(signal.scope) {
                if scope.is_some() {
                    writer.upscope()?;
                }
                writer.add_module(signal.scope)?;
                scope = Some(signal.scope);
            }
            let code = match signal.bits {
                0 => writer.add_var(VarType::String, 1, &signal.name, None)?,
                bits => writer.add_wire(bits, &signal.name)?,
            };
            // A one-bit value is followed by its code directly, a wider one by a space first.
            let name = if signal.bits == 1 {
                format!("{code}\n")
            } else {
                format!(" {code}\n")
            };
            codes.push(Code {
                bits: signal.bits,
                name,
            });
        }
        if scope.is_some() {
            writer.upscope()?;
        }
        writer.enddefinitions()?;
        Ok(Waves {
            values: vec![None; codes.len()],
            codes,
            due: Vec::new(),
            order: 0,
            now: None,
            texts: Vec::new(),
            numbers: HashMap::new(),
        })
    }

    /// The number of a text, which is the value of a signal that is a text.
    pub fn text(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.numbers.insert(text.to_owned(), number);
        // White space ends a value.
        self.texts.push(text.replace(char::is_whitespace, "_"));
        number
    }

    /// Queues a signal's value from a cycle on.
    pub fn change(&mut self, cycle: u64, signal: usize, value: u32) {
        self.due.push((cycle, self.order, signal, value));
        self.order += 1;
    }

    /// Writes all changes before this cycle; the caller promises that none will follow.
    pub fn until(&mut self, cycle: u64, out: &mut Vec<u8>) {
        if !self.due.is_sorted() {
            self.due.sort_unstable();
        }
        let count = self.due.partition_point(|(due, ..)| *due < cycle);
        for index in 0..count {
            let (cycle, _, signal, value) = self.due[index];
            if self.values[signal] != Some(value) {
                self.values[signal] = Some(value);
                self.write(cycle, signal, value, out);
            }
        }
        self.due.drain(..count);
    }

    /// Writes a value change without the library's writer, which formats every number and bit separately.
    fn write(&mut self, cycle: u64, signal: usize, value: u32, out: &mut Vec<u8>) {
        let cycle = self.now.map_or(cycle, |now| cycle.max(now));
        if self.now != Some(cycle) {
            self.now = Some(cycle);
            at(cycle, out);
        }
        let Code { bits, name } = &self.codes[signal];
        if *bits == 0 {
            out.push(b's');
            out.extend_from_slice(self.texts[value as usize].as_bytes());
        } else if *bits == 1 {
            out.push(b'0' + (value & 1) as u8);
        } else {
            let mut digits = *b"b00000000000000000000000000000000";
            for (place, byte) in value.to_be_bytes().into_iter().enumerate() {
                digits[1 + 8 * place..][..8].copy_from_slice(&BITS[usize::from(byte)]);
            }
            let first = 32 - *bits as usize;
            digits[first] = b'b';
            out.extend_from_slice(&digits[first..]);
        }
        out.extend_from_slice(name.as_bytes());
    }

    /// Ends the file at this cycle.
    pub fn end(&mut self, cycle: u64, out: &mut Vec<u8>) {
        self.until(u64::MAX, out);
        if self.now.is_none_or(|now| now < cycle) {
            at(cycle, out);
        }
    }
}

/// Writes a timestamp for the changes that follow.
fn at(cycle: u64, out: &mut Vec<u8>) {
    out.push(b'#');
    out.extend_from_slice(itoa::Buffer::new().format(cycle).as_bytes());
    out.push(b'\n');
}
