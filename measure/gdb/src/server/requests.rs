//! The table of requests, and the handlers of those that are answered at once.

use super::arguments::{Answered, Arguments, Refusal, digits, escaped};
use super::resume::Resume;
use super::{Answer, Server};

/// A request's handler.
type Handler = fn(&mut Server, Arguments<'_>) -> Answered<Answer>;

/// The requests that the server knows. Arguments follow a one-letter name directly, and other names after a separator.
const REQUESTS: &[(&str, Handler)] = &[
    ("?", Server::why),
    ("C", Server::go_on_with_signal),
    ("D", Server::detach),
    ("G", Server::write_registers),
    ("H", Server::select_thread),
    ("M", Server::write_memory),
    ("P", Server::write_register),
    ("QStartNoAckMode", Server::stop_acknowledging),
    ("S", Server::step_with_signal),
    ("T", Server::is_alive),
    ("X", Server::write_binary),
    ("Z", Server::insert_point),
    ("bc", Server::go_back),
    ("bs", Server::step_back),
    ("c", Server::go_on),
    ("g", Server::read_registers),
    ("k", Server::kill),
    ("m", Server::read_memory),
    ("p", Server::read_register),
    ("qAttached", Server::attached),
    ("qC", Server::current_thread),
    ("qRcmd", Server::monitor),
    ("qSupported", Server::supported),
    ("qThreadExtraInfo", Server::thread_text),
    ("qXfer", Server::transfer),
    ("qfThreadInfo", Server::first_threads),
    ("qsThreadInfo", Server::further_threads),
    ("s", Server::step),
    ("vCont", Server::continue_as),
    ("vCont?", Server::ways_to_continue),
    ("vFlashDone", Server::flash_done),
    ("vFlashErase", Server::erase_flash),
    ("vFlashWrite", Server::write_flash),
    ("vKill", Server::kill_process),
    ("z", Server::remove_point),
];

/// The largest packet data that the server announces, in bytes.
const PACKET_SIZE: usize = 1 << 14;

/// Splits a packet into the request's name and the rest.
fn parts(data: &[u8]) -> (&[u8], &[u8]) {
    let is_long = matches!(data.first(), Some(b'q' | b'Q' | b'v' | b'b'));
    let separator = |byte: &u8| matches!(byte, b':' | b';' | b',');
    let length = if is_long {
        data.iter().position(separator).unwrap_or(data.len())
    } else {
        data.len().min(1)
    };
    data.split_at(length)
}

impl Server {
    /// Answers a packet.
    pub(super) fn answer(&mut self, data: &[u8]) -> Answered<Answer> {
        let (name, arguments) = parts(data);
        let found = REQUESTS.iter().find(|(known, _)| known.as_bytes() == name);
        let (_, handler) = found.ok_or(Refusal::Unknown)?;
        handler(self, Arguments(arguments))
    }

    /// Negotiates features with GDB (`qSupported`).
    fn supported(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        if !arguments.is_empty() {
            arguments.expect(b':')?;
        }
        let mut features = arguments.0.split(|byte| *byte == b';');
        self.tells_breakpoints = features.any(|feature| feature == b"hwbreak+");
        Ok(Answer::text(&format!(
            "PacketSize={PACKET_SIZE:x};QStartNoAckMode+;vContSupported+;swbreak+;hwbreak+;ReverseContinue+;ReverseStep+;\
             qXfer:features:read+;qXfer:memory-map:read+"
        )))
    }

    fn stop_acknowledging(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.end()?;
        Ok(Answer::StopAcknowledging)
    }

    /// Answers that GDB attached to a running program, so GDB detaches rather than kills it.
    fn attached(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        if arguments.take(b':') {
            arguments.number()?;
        }
        arguments.end()?;
        Ok(Answer::text("1"))
    }

    fn detach(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        if arguments.take(b';') {
            arguments.number()?;
        }
        arguments.end()?;
        Ok(Answer::Leave(Some(b"OK".to_vec())))
    }

    fn kill(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.end()?;
        Ok(Answer::Leave(None))
    }

    fn kill_process(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.expect(b';')?;
        arguments.number()?;
        arguments.end()?;
        Ok(Answer::Leave(Some(b"OK".to_vec())))
    }

    /// `monitor`: replies with its output, then with `OK`.
    fn monitor(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.expect(b',')?;
        let command = arguments.bytes()?;
        let command = String::from_utf8_lossy(&command);
        let text = match self.moving(|session| session.monitor(&command))? {
            Ok(text) => text,
            Err(error) => format!("{error}\n"),
        };
        let output = text.as_bytes().chunks(PACKET_SIZE / 4);
        let output = output.map(|part| [b"O", &*digits(part)].concat());
        Ok(Answer::Replies(output.chain([b"OK".to_vec()]).collect()))
    }

    /// Replies with part of a file that GDB reads: `:features:read:target.xml:OFFSET,LENGTH`.
    fn transfer(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.expect(b':')?;
        let text = match arguments.word(b':')? {
            b"features" => &self.xml,
            b"memory-map" => &self.map,
            _ => return Err(Refusal::Unknown),
        };
        if arguments.word(b':')? != b"read" {
            return Err(Refusal::Unknown);
        }
        let is_there = matches!(arguments.word(b':')?, b"target.xml" | b"");
        let (offset, length) = arguments.range()?;
        arguments.end()?;
        if !is_there {
            return Ok(Answer::text("E00"));
        }
        let rest = text.as_bytes().get(offset as usize..).unwrap_or_default();
        let part = &rest[..rest.len().min(length as usize).min(PACKET_SIZE / 2)];
        let more = if part.len() == rest.len() { b"l" } else { b"m" };
        Ok(Answer::Reply([more.as_slice(), &escaped(part)].concat()))
    }

    fn go_back(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.end()?;
        Ok(Answer::Resume(Resume::Back))
    }

    fn step_back(&mut self, arguments: Arguments<'_>) -> Answered<Answer> {
        arguments.end()?;
        Ok(Answer::Resume(Resume::StepBack))
    }
}
