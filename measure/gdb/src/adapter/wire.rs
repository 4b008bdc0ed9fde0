//! Messages on the wire: a header with the length, then JSON.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Value, json};

/// The longest line of a header in bytes.
const LONGEST_LINE: u64 = 4 << 10;
/// The longest message in bytes: a file of breakpoints has far less.
const LONGEST: u64 = 16 << 20;
/// The most messages that wait; the editor's next ones stay in the pipe.
const MOST_WAITING: usize = 1 << 10;
/// The longest part of a line of output that waits for the line's end, in bytes.
const LONGEST_OUTPUT: usize = 4 << 10;

const LENGTH: &str = "Content-Length:";

/// What came from the editor.
pub(super) enum Received {
    /// A message, an object or not.
    Message(Value),
    /// Something else; why it cannot be read.
    Unreadable(String),
}

/// Reads messages in a thread of their own, so that a running program can be stopped.
pub(super) fn receive(input: impl Read + Send + 'static) -> Receiver<Received> {
    let (sender, receiver) = sync_channel(MOST_WAITING);
    // Without another thread there is no session; the channel is closed then.
    let _ = thread::Builder::new()
        .name("editor".to_owned())
        .spawn(move || read_all(BufReader::new(input), &sender));
    receiver
}

fn read_all(mut input: impl BufRead, sender: &SyncSender<Received>) {
    while let Ok(Some(received)) = read(&mut input) {
        if sender.send(received).is_err() {
            return;
        }
    }
}

/// Reads a message; `None` at the end of the input.
fn read(input: &mut impl BufRead) -> io::Result<Option<Received>> {
    let length = match read_length(input)? {
        None => return Ok(None),
        Some(Ok(length)) => length,
        Some(Err(reason)) => return Ok(Some(Received::Unreadable(reason))),
    };
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&body) {
        Ok(message) => Received::Message(message),
        Err(error) => Received::Unreadable(format!("a message is not JSON: {error}")),
    }))
}

/// Reads a header: the length that it gives, or why there is none. Anything before `Content-Length` is passed over.
fn read_length(input: &mut impl BufRead) -> io::Result<Option<Result<u64, String>>> {
    let mut noise = false;
    let mut length = None;
    loop {
        let mut line = Vec::new();
        input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        match (text.rfind(LENGTH), &length) {
            (Some(at), _) => length = Some(text[at + LENGTH.len()..].trim().to_owned()),
            (None, Some(length)) if text.trim().is_empty() => {
                return Ok(Some(match length.parse() {
                    Ok(length) if length <= LONGEST => Ok(length),
                    _ => Err(format!(
                        "`{LENGTH} {length}` is no length of at most {LONGEST} bytes"
                    )),
                }));
            }
            // Other fields of a header.
            (None, Some(_)) => {}
            (None, None) if text.trim().is_empty() && noise => {
                return Ok(Some(Err(format!("a message has no `{LENGTH}`"))));
            }
            (None, None) => noise |= !text.trim().is_empty(),
        }
    }
}

/// Messages to the editor. All clones are the same.
#[derive(Clone)]
pub struct Client(Arc<Mutex<Sending>>);

struct Sending {
    output: Box<dyn Write + Send>,
    seq: i64,
    is_lost: bool,
    /// The program's output since the last end of a line, by category.
    lines: Vec<(&'static str, Vec<u8>)>,
}

impl Client {
    /// An editor that reads from `output`.
    pub fn new(output: impl Write + Send + 'static) -> Client {
        Client(Arc::new(Mutex::new(Sending {
            output: Box::new(output),
            seq: 0,
            is_lost: false,
            lines: Vec::new(),
        })))
    }

    /// Where a program's output goes, as one of the protocol's categories: `stdout` or `stderr`.
    pub fn output(&self, category: &'static str) -> ProgramOutput {
        ProgramOutput(self.clone(), category)
    }

    fn sending(&self) -> MutexGuard<'_, Sending> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_lost(&self) -> bool {
        self.sending().is_lost
    }

    /// Sends a message, after the program's output so far.
    pub(super) fn send(&self, message: Value) {
        let mut sending = self.sending();
        sending.flush();
        sending.send(message);
    }

    pub(super) fn event(&self, event: &str, body: &Value) {
        self.send(json!({ "type": "event", "event": event, "body": body }));
    }

    /// Sends what the program has printed.
    pub(super) fn flush(&self) {
        self.sending().flush();
    }
}

impl Sending {
    fn send(&mut self, mut message: Value) {
        self.seq += 1;
        message["seq"] = self.seq.into();
        let text = message.to_string();
        let written = write!(self.output, "{LENGTH} {}\r\n\r\n{text}", text.len());
        self.is_lost |= written.and_then(|()| self.output.flush()).is_err();
    }

    fn flush(&mut self) {
        for (category, line) in std::mem::take(&mut self.lines) {
            self.print(category, &line);
        }
    }

    fn print(&mut self, category: &str, text: &[u8]) {
        if !text.is_empty() {
            let body = json!({ "category": category, "output": String::from_utf8_lossy(text) });
            self.send(json!({ "type": "event", "event": "output", "body": body }));
        }
    }

    fn write(&mut self, category: &'static str, bytes: &[u8]) {
        let known = self.lines.iter().position(|(known, _)| *known == category);
        let index = known.unwrap_or(self.lines.len());
        if known.is_none() {
            self.lines.push((category, Vec::new()));
        }
        let line = &mut self.lines[index].1;
        line.extend_from_slice(bytes);
        let end = line.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
        if let Some(end) = end.or_else(|| (line.len() > LONGEST_OUTPUT).then_some(line.len())) {
            let rest = line.split_off(end);
            let whole = std::mem::replace(line, rest);
            self.print(category, &whole);
        }
    }
}

/// A stream of a program's output, line by line.
pub struct ProgramOutput(Client, &'static str);

impl Write for ProgramOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.sending().write(self.1, bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
