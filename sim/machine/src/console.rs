//! Where a program's output goes, and where its input comes from.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use crate::channel::{Channel, Stamp, Tap};

/// The two outputs and the input of a program. What comes out by other ways, such as a UART of the board, goes to `output` too, unless a
/// channel has its own tap.
pub struct Console {
    output: Box<dyn Write + Send>,
    error: Box<dyn Write + Send>,
    input: Box<dyn Read + Send>,
    /// What was put out since somebody asked, if anybody wants to hear of it.
    heard: Option<Vec<(Stream, u8)>>,
    taps: Vec<(Channel, Box<dyn Tap>)>,
}

/// Which output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stream {
    Output,
    Error,
}

impl Console {
    /// Output, error output and input of one's own.
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
            taps: Vec::new(),
        }
    }

    /// Those of this process.
    pub fn inherit() -> Self {
        Console::new(io::stdout(), io::stderr(), io::stdin())
    }

    /// Output is dropped, input is at its end.
    pub fn none() -> Self {
        Console::new(io::sink(), io::sink(), io::empty())
    }

    /// Both outputs are kept; input is at its end.
    pub fn captured() -> (Self, Captured) {
        let captured = Captured::default();
        (
            Console::new(captured.clone(), captured.clone(), io::empty()),
            captured,
        )
    }

    /// Lets this tap take what a channel puts out, in place of the output.
    pub fn tap(&mut self, channel: Channel, tap: impl Tap + 'static) {
        self.taps.push((channel, Box::new(tap)));
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
            None => self.write(Stream::Output, bytes),
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

    /// Writes and flushes; how many bytes were taken.
    pub(crate) fn write(&mut self, stream: Stream, bytes: &[u8]) -> usize {
        let to = match stream {
            Stream::Output => &mut self.output,
            Stream::Error => &mut self.error,
        };
        if let Some(heard) = &mut self.heard {
            heard.extend(bytes.iter().map(|&byte| (stream, byte)));
        }
        // A closed pipe is the reader's choice and no reason to end the run: the program sees a short write.
        let written = to.write_all(bytes).and_then(|()| to.flush());
        if written.is_ok() { bytes.len() } else { 0 }
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

/// The output of a program that ran with [`Console::captured`].
#[derive(Clone, Default, Debug)]
pub struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    /// What was written so far.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many bytes that is.
    pub fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets all but the first `len` bytes, as a program does that goes back to a [`Snapshot`](crate::Snapshot).
    pub fn truncate(&self, len: usize) {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.truncate(len);
    }

    /// The same as text; what is not UTF-8 becomes U+FFFD.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
