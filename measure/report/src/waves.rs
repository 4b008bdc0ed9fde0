//! Waveforms as VCD: one unit of time is one cycle.

use std::io::{self, Write as _};

use vcd::{IdCode, TimescaleUnit, Value, Writer};

/// A signal: its name, and how many bits it has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// Letters, digits and underscores.
    pub name: String,
    /// Bits.
    pub bits: u32,
}

/// A file under construction. Changes come in any order within a window of time; what is due by a time is written then.
#[derive(Debug)]
pub struct Waves {
    codes: Vec<(IdCode, u32)>,
    /// What each signal was last.
    values: Vec<Option<u32>>,
    /// When, in which order, which signal, its value.
    due: Vec<(u64, u64, usize, u32)>,
    order: u64,
    now: Option<u64>,
}

impl Waves {
    /// Begins a file with these signals, all of which are unknown at first.
    ///
    /// # Errors
    ///
    /// None, as long as memory takes what is written.
    pub fn begin(comment: &str, module: &str, signals: &[Signal], out: &mut Vec<u8>) -> io::Result<Waves> {
        let mut writer = Writer::new(out);
        writer.comment(comment)?;
        // The unit of time is a cycle, whatever that is; the format knows none but those of seconds.
        writer.timescale(1, TimescaleUnit::NS)?;
        writer.add_module(module)?;
        let mut codes = Vec::new();
        for signal in signals {
            codes.push((writer.add_wire(signal.bits, &signal.name)?, signal.bits));
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

    /// A signal has a value from a cycle on.
    pub fn change(&mut self, cycle: u64, signal: usize, value: u32) {
        self.due.push((cycle, self.order, signal, value));
        self.order += 1;
    }

    /// Nothing that happened before this cycle will be told any more.
    ///
    /// # Errors
    ///
    /// None, as long as memory takes what is written.
    pub fn until(&mut self, cycle: u64, out: &mut Vec<u8>) -> io::Result<()> {
        self.due.sort_unstable();
        let count = self.due.partition_point(|(due, ..)| *due < cycle);
        let mut due = std::mem::take(&mut self.due);
        for (cycle, _, signal, value) in due.drain(..count) {
            if self.values[signal] != Some(value) {
                self.values[signal] = Some(value);
                self.write(cycle, signal, value, out)?;
            }
        }
        self.due = due;
        Ok(())
    }

    fn write(&mut self, cycle: u64, signal: usize, value: u32, out: &mut Vec<u8>) -> io::Result<()> {
        let mut writer = Writer::new(&mut *out);
        let cycle = self.now.map_or(cycle, |now| cycle.max(now));
        if self.now != Some(cycle) {
            writer.timestamp(cycle)?;
            self.now = Some(cycle);
        }
        let (code, bits) = self.codes[signal];
        if bits == 1 {
            return writer.change_scalar(code, Value::from(value & 1 != 0));
        }
        // As the library's own writer has it, which takes each bit for a text of its own.
        let digit = |place: u32| b'0' + (value >> place & 1) as u8;
        out.push(b'b');
        out.extend((0..bits).rev().map(digit));
        writeln!(out, " {code}")
    }

    /// Ends the file in this cycle.
    ///
    /// # Errors
    ///
    /// None, as long as memory takes what is written.
    pub fn end(&mut self, cycle: u64, out: &mut Vec<u8>) -> io::Result<()> {
        self.until(u64::MAX, out)?;
        if self.now.is_none_or(|now| now < cycle) {
            Writer::new(out).timestamp(cycle)?;
        }
        Ok(())
    }
}
