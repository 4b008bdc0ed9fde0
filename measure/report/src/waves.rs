//! VCD waveforms with one time unit per cycle.

use std::io;

use vcd::{TimescaleUnit, Writer};

/// A signal's name and width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// Name, made of letters, digits and underscores.
    pub name: String,
    /// Width in bits, at most 32.
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
}

impl Waves {
    /// Writes the header of a file with these signals, whose values are unknown at first.
    ///
    /// # Errors
    ///
    /// Never in practice, since the writer is memory.
    pub fn begin(comment: &str, module: &str, signals: &[Signal], out: &mut Vec<u8>) -> io::Result<Waves> {
        let mut writer = Writer::new(out);
        writer.comment(comment)?;
        // The time unit is a cycle; VCD only knows fractions of a second.
        writer.timescale(1, TimescaleUnit::NS)?;
        writer.add_module(module)?;
        let mut codes = Vec::new();
        for signal in signals {
            let code = writer.add_wire(signal.bits, &signal.name)?;
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
        writer.upscope()?;
        writer.enddefinitions()?;
        Ok(Waves {
            values: vec![None; codes.len()],
            codes,
            due: Vec::new(),
            order: 0,
            now: None,
        })
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
        if *bits == 1 {
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
