//! The destinations of a program's output and the source of its input.

mod lines;

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::channel::{Channel, Stamp, Tap};
use crate::defmt::Log;
use lines::Lines;

/// A program's two output streams and its input. All other channels, such as a UART of the board, go to `output` unless they have their
/// own tap.
pub struct Console {
    output: Box<dyn Write + Send>,
    error: Box<dyn Write + Send>,
    input: Box<dyn Read + Send>,
    /// Output recorded for a listener since the last call; `None` without a listener.
    heard: Option<Vec<(Stream, u8)>>,
    /// Whether notes on the run go to the program's error output as they occur.
    shows_notes: bool,
    taps: Vec<(Channel, Box<dyn Tap>)>,
    /// The channel whose logs are decoded to text.
    log: Option<(Channel, Log)>,
    /// One for each stream; the two do not affect each other's lines.
    lines: [Lines; 2],
}

/// One of the two outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stream {
    Output,
    Error,
}

impl Console {
    /// A console with the caller's streams. [Notes](crate::Machine::notes) on the run also go to the error output.
    pub fn new(
        output: impl Write + Send + 'static,
        error: impl Write + Send + 'static,
        input: impl Read + Send + 'static,
    ) -> Self {
        Console {
            output: Box::new(output),
            error: Box::new(error),
            input: Box::new(input),
            heard: None,
            shows_notes: true,
            taps: Vec::new(),
            log: None,
            lines: <[Lines; 2]>::default(),
        }
    }

    /// A console with this process's streams.
    pub fn inherit() -> Self {
        Console::new(io::stdout(), io::stderr(), io::stdin())
    }

    /// A console that drops output and has no input.
    pub fn none() -> Self {
        Console::new(io::sink(), io::sink(), io::empty()).without_notes()
    }

    /// A console that captures both outputs, without notes, and has no input.
    pub fn captured() -> (Self, Captured) {
        let captured = Captured::default();
        let console = Console::new(captured.clone(), captured.clone(), io::empty());
        (console.without_notes(), captured)
    }

    fn without_notes(mut self) -> Self {
        self.shows_notes = false;
        self
    }

    /// Sends a channel's output to a tap instead of the standard output.
    pub fn tap(&mut self, channel: Channel, tap: impl Tap + 'static) {
        self.taps.push((channel, Box::new(tap)));
    }

    /// Decodes a channel's defmt logs to text, unless the channel has a tap.
    pub fn decode(&mut self, channel: Channel, log: Log) {
        self.log = Some((channel, log));
    }

    /// Whether a channel has a tap.
    pub fn is_tapped(&self, channel: &Channel) -> bool {
        self.taps.iter().any(|(known, _)| known == channel)
    }

    /// Passes on a channel's output; returns how many bytes were taken.
    pub(crate) fn put(&mut self, channel: &Channel, at: Stamp, bytes: &[u8]) -> usize {
        match self.taps.iter_mut().find(|(known, _)| known == channel) {
            Some((_, tap)) => {
                tap.take(at, bytes);
                bytes.len()
            }
            None => self.show(channel, at, bytes),
        }
    }

    fn show(&mut self, channel: &Channel, at: Stamp, bytes: &[u8]) -> usize {
        let Some((_, log)) = self.log.as_mut().filter(|(known, _)| known == channel) else {
            return self.write_from((Stream::Output, Some(channel.clone())), Some(at), bytes);
        };
        let lines = log.take(at, bytes);
        for (stream, bytes) in self.lines[Stream::Output as usize].take(
            (Stream::Output, Some(channel.clone())),
            Some(at),
            &lines,
        ) {
            self.write_now(stream, &bytes);
        }
        bytes.len()
    }

    /// Ends the run: flushes output that waits for the end of another source's line.
    pub(crate) fn finish(&mut self) {
        for index in 0..self.lines.len() {
            for (stream, bytes) in self.lines[index].finish() {
                self.write_now(stream, &bytes);
            }
        }
    }

    /// Starts or stops recording output for [`Console::take_heard`].
    pub(crate) fn hear(&mut self, hears: bool) {
        self.heard = hears.then(Vec::new);
    }

    /// The output since the last call.
    pub(crate) fn take_heard(&mut self) -> Vec<(Stream, u8)> {
        self.heard.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Writes bytes as the program's own output.
    pub fn print(&mut self, bytes: &[u8]) {
        self.write(Stream::Output, bytes);
    }

    /// Writes to a stream; returns how many bytes were taken.
    pub(crate) fn write(&mut self, stream: Stream, bytes: &[u8]) -> usize {
        self.write_from((stream, None), None, bytes)
    }

    /// Shows a note, which is not program output, unless notes are only recorded.
    pub(crate) fn note(&mut self, note: &str) {
        if !self.shows_notes {
            return;
        }
        // A source of its own, so that a note splits no line of the program.
        let source = (Stream::Error, Some(Channel::Device("note".to_owned())));
        let line = format!("note: {note}\n");
        for (stream, bytes) in self.lines[Stream::Error as usize].take(source, None, line.as_bytes()) {
            self.write_now(stream, &bytes);
        }
    }

    /// Writes a source's output, or holds it back while another source's line is open; returns how many bytes were taken.
    fn write_from(&mut self, source: (Stream, Option<Channel>), at: Option<Stamp>, bytes: &[u8]) -> usize {
        if let Some(heard) = &mut self.heard {
            heard.extend(bytes.iter().map(|&byte| (source.0, byte)));
        }
        let mut is_written = true;
        for (stream, bytes) in self.lines[source.0 as usize].take(source, at, bytes) {
            is_written &= self.write_now(stream, &bytes);
        }
        if is_written { bytes.len() } else { 0 }
    }

    /// Writes and flushes; returns whether that succeeded.
    fn write_now(&mut self, stream: Stream, bytes: &[u8]) -> bool {
        let to = match stream {
            Stream::Output => &mut self.output,
            Stream::Error => &mut self.error,
        };
        // A closed pipe does not end the run; the program sees a short write.
        to.write_all(bytes).and_then(|()| to.flush()).is_ok()
    }

    /// Reads up to `length` bytes, fewer at the end of a line or of the input.
    pub(crate) fn read(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut byte = [0];
        while bytes.len() < length && matches!(self.input.read(&mut byte), Ok(1)) {
            bytes.push(byte[0]);
            if byte[0] == b'\n' {
                break;
            }
        }
        bytes
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Bytes kept of an output's beginning, and as many of its end; those in between are only counted.
const KEPT: usize = 1 << 19;

/// The output of a program that ran with [`Console::captured`]: at most one MiB of its beginning and end.
#[derive(Clone, Default, Debug)]
pub struct Captured(Arc<Mutex<Printed>>);

/// The output up to some moment.
#[derive(Clone, Default, Debug)]
pub struct Printed {
    beginning: Vec<u8>,
    end: VecDeque<u8>,
    /// Bytes dropped between the beginning and the end.
    left_out: u64,
}

impl Captured {
    fn printed(&self) -> MutexGuard<'_, Printed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The output so far. In a long output, a line marks the gap between its beginning and its end.
    pub fn bytes(&self) -> Vec<u8> {
        self.printed().bytes()
    }

    /// The output so far, as a mark to go back to.
    pub fn mark(&self) -> Printed {
        self.printed().clone()
    }

    /// Drops the output after the mark, for a program that goes back to a [`Snapshot`](crate::Snapshot).
    pub fn go_back(&self, mark: &Printed) {
        self.printed().clone_from(mark);
    }

    /// The output so far as text; invalid UTF-8 becomes U+FFFD.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

impl Printed {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.beginning.clone();
        if self.left_out > 0 {
            let are = if self.left_out == 1 {
                "byte is"
            } else {
                "bytes are"
            };
            bytes.extend(format!("\n[{} {are} left out]\n", self.left_out).into_bytes());
        }
        bytes.extend(&self.end);
        bytes
    }

    fn add(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(KEPT - self.beginning.len()));
        self.beginning.extend(first);
        self.end.extend(rest);
        let over = self.end.len().saturating_sub(KEPT);
        self.end.drain(..over);
        self.left_out += over as u64;
    }
}

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.printed().add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_output_the_beginning_and_the_end_are_kept() {
        let mut captured = Captured::default();
        let lines =
            |from: u32, to: u32| (from..to).fold(String::new(), |text, line| text + &format!("{line:>7}\n"));
        captured.write_all(lines(0, 1000).as_bytes()).unwrap();
        let mark = captured.mark();
        captured.write_all(lines(1000, 1_000_000).as_bytes()).unwrap();
        let text = captured.text();
        assert!(text.len() < 2 * KEPT + 100, "{}", text.len());
        assert!(text.starts_with("      0\n") && text.ends_with(" 999999\n"));
        let left_out = 8_000_000 - 2 * KEPT;
        assert!(text.contains(&format!("\n[{left_out} bytes are left out]\n")));
        captured.go_back(&mark);
        assert_eq!(captured.text(), lines(0, 1000));
    }
}
