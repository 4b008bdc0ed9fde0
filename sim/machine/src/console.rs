//! Where a program's output goes, and where its input comes from.

mod lines;

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::channel::{Channel, Stamp, Tap};
use crate::defmt::Log;
use lines::Lines;

/// The two outputs and the input of a program. What comes out by other ways, such as a UART of the board, goes to `output` too, unless a
/// channel has its own tap.
pub struct Console {
    output: Box<dyn Write + Send>,
    error: Box<dyn Write + Send>,
    input: Box<dyn Read + Send>,
    /// What was put out since somebody asked, if anybody wants to hear of it.
    heard: Option<Vec<(Stream, u8)>>,
    /// What is noticed of a run is shown among the program's errors when it happens.
    shows_notes: bool,
    taps: Vec<(Channel, Box<dyn Tap>)>,
    /// What a channel puts out is shown in words.
    log: Option<(Channel, Log)>,
    /// Of each stream: what goes to one of them does not change what goes to the other.
    lines: [Lines; 2],
}

/// Which output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stream {
    Output,
    Error,
}

impl Console {
    /// Output, error output and input of one's own. What is [noticed](crate::Machine::notes) of a run goes to the error output, too.
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

    /// Those of this process.
    pub fn inherit() -> Self {
        Console::new(io::stdout(), io::stderr(), io::stdin())
    }

    /// Output is dropped, input is at its end.
    pub fn none() -> Self {
        Console::new(io::sink(), io::sink(), io::empty()).without_notes()
    }

    /// Both outputs are kept, without notes; input is at its end.
    pub fn captured() -> (Self, Captured) {
        let captured = Captured::default();
        let console = Console::new(captured.clone(), captured.clone(), io::empty());
        (console.without_notes(), captured)
    }

    fn without_notes(mut self) -> Self {
        self.shows_notes = false;
        self
    }

    /// Lets this tap take what a channel puts out, in place of the output.
    pub fn tap(&mut self, channel: Channel, tap: impl Tap + 'static) {
        self.taps.push((channel, Box::new(tap)));
    }

    /// Shows what the program logs with defmt on a channel in words, unless the channel has a tap.
    pub fn decode(&mut self, channel: Channel, log: Log) {
        self.log = Some((channel, log));
    }

    /// Whether a channel has a tap.
    pub fn is_tapped(&self, channel: &Channel) -> bool {
        self.taps.iter().any(|(known, _)| known == channel)
    }

    /// Passes on what a channel puts out; how many bytes were taken.
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

    /// The run is over: nothing waits any more for the end of another's line.
    pub(crate) fn finish(&mut self) {
        for index in 0..self.lines.len() {
            for (stream, bytes) in self.lines[index].finish() {
                self.write_now(stream, &bytes);
            }
        }
    }

    /// Keeps what is put out, or not any more, for [`Console::take_heard`].
    pub(crate) fn hear(&mut self, hears: bool) {
        self.heard = hears.then(Vec::new);
    }

    /// What was put out since this was asked last.
    pub(crate) fn take_heard(&mut self) -> Vec<(Stream, u8)> {
        self.heard.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Puts out bytes as the program's own.
    pub fn print(&mut self, bytes: &[u8]) {
        self.write(Stream::Output, bytes);
    }

    /// Writes; how many bytes were taken.
    pub(crate) fn write(&mut self, stream: Stream, bytes: &[u8]) -> usize {
        self.write_from((stream, None), None, bytes)
    }

    /// Shows a note, which is no output of the program, unless it is only kept.
    pub(crate) fn note(&mut self, note: &str) {
        if !self.shows_notes {
            return;
        }
        // A source of its own: no line of the program is cut.
        let source = (Stream::Error, Some(Channel::Device("note".to_owned())));
        let line = format!("note: {note}\n");
        for (stream, bytes) in self.lines[Stream::Error as usize].take(source, None, line.as_bytes()) {
            self.write_now(stream, &bytes);
        }
    }

    /// Writes what a source puts out, when no line of another's is open; how many bytes were taken.
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

    /// Writes and flushes; whether that could be done.
    fn write_now(&mut self, stream: Stream, bytes: &[u8]) -> bool {
        let to = match stream {
            Stream::Output => &mut self.output,
            Stream::Error => &mut self.error,
        };
        // A closed pipe is the reader's choice and no reason to end the run: the program sees a short write.
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

/// Bytes that are kept of an output's beginning, and of its end: what lies between is counted only.
const KEPT: usize = 1 << 19;

/// The output of a program that ran with [`Console::captured`]: at most a mebibyte, the beginning and the end of it.
#[derive(Clone, Default, Debug)]
pub struct Captured(Arc<Mutex<Printed>>);

/// What was put out by some moment.
#[derive(Clone, Default, Debug)]
pub struct Printed {
    beginning: Vec<u8>,
    end: VecDeque<u8>,
    /// Bytes between the two.
    left_out: u64,
}

impl Captured {
    fn printed(&self) -> MutexGuard<'_, Printed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was written so far; of a long output, the beginning and the end with a line between them that says so.
    pub fn bytes(&self) -> Vec<u8> {
        self.printed().bytes()
    }

    /// What was written so far, to go back to.
    pub fn mark(&self) -> Printed {
        self.printed().clone()
    }

    /// Forgets all behind the mark, as a program does that goes back to a [`Snapshot`](crate::Snapshot).
    pub fn go_back(&self, mark: &Printed) {
        self.printed().clone_from(mark);
    }

    /// The same as text; what is not UTF-8 becomes U+FFFD.
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
