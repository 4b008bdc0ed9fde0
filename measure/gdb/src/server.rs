//! GDB's remote protocol (GDB manual, appendix E).
//!
//! [`packet`] decodes packets, [`connection`] acknowledges them and waits, [`requests`] has the table of requests. Only `k`, `D` and
//! `vKill` end the session; a malformed or impossible request is refused, and the next one is answered.

// Each handler has the signature of the table, whether or not it needs the server.
#![allow(clippy::unused_self)]

mod arguments;
mod connection;
mod memory;
mod memory_map;
mod packet;
mod points;
mod registers;
mod requests;
mod resume;
mod threads;

use std::collections::HashSet;
use std::net::TcpStream;
use std::ops::Range;

use lab::diagnostic::{Diagnostic, Result};
use machine::TargetError;

use crate::registers::Description;
use crate::session::Session;
use crate::threads::Kernel;
use arguments::{Refusal, ThreadId};
use connection::{Connection, Request};
use points::Point;
use resume::Resume;

/// Serves one GDB until it disconnects or the program ends; then returns the exit code. Calls `tell` with the reason if a program failed.
///
/// # Errors
/// If the target shows no registers, or fails.
pub fn serve(session: Session, stream: TcpStream, tell: impl FnMut(&str) + 'static) -> Result<Option<u8>> {
    let mut server = Server::new(session, Box::new(tell))?;
    server.attach();
    // A client that vanishes at once, like a killed GDB, is gone.
    let Ok(mut connection) = Connection::new(stream) else {
        return Ok(None);
    };
    let ended = server.speak(&mut connection);
    connection.close();
    if let Some(message) = server.session.overclocked() {
        (server.tell)(&message.render(false));
    }
    match ended {
        Ok(code) => Ok(code),
        Err(Ended::Gone) => Ok(None),
        Err(Ended::Failed(error)) => Err(refused(error)),
    }
}

fn refused(error: TargetError) -> Diagnostic {
    Diagnostic::mistake(error.to_string()).maybe_help(error.help)
}

/// Why a session ended although the program did not.
enum Ended {
    /// GDB disconnected.
    Gone,
    Failed(TargetError),
}

impl From<std::io::Error> for Ended {
    fn from(_: std::io::Error) -> Ended {
        Ended::Gone
    }
}

impl From<TargetError> for Ended {
    fn from(error: TargetError) -> Ended {
        Ended::Failed(error)
    }
}

/// How the server answers a request.
enum Answer {
    /// Send one reply.
    Reply(Vec<u8>),
    /// Send several packets.
    Replies(Vec<Vec<u8>>),
    /// Resume the program; the stop reply is the answer.
    Resume(Resume),
    /// Send this reply, and acknowledge nothing from then on.
    StopAcknowledging,
    /// End the session, after this reply if GDB waits for one.
    Leave(Option<Vec<u8>>),
}

impl Answer {
    fn ok() -> Answer {
        Answer::Reply(b"OK".to_vec())
    }

    fn text(text: &str) -> Answer {
        Answer::Reply(text.as_bytes().to_vec())
    }
}

/// A program and GDB's view of it.
struct Server {
    session: Session,
    description: Description,
    kernel: Kernel,
    /// The keys of all threads ever seen; a thread's position, from 1, is its number for GDB.
    numbered: Vec<u32>,
    /// Threads from before `monitor` moved the program, which GDB still lists.
    left_behind: Vec<u32>,
    /// The thread whose registers GDB reads.
    selected: ThreadId,
    points: HashSet<Point>,
    /// Whether stop replies name breakpoints.
    tells_breakpoints: bool,
    xml: String,
    map: String,
    /// Address ranges of device and core registers, some of which may not be modelled.
    blocks: Vec<Range<u64>>,
    /// Unmodelled registers that were shown as zero; each is reported once.
    shown: HashSet<u32>,
    tell: Box<dyn FnMut(&str)>,
}

impl Server {
    fn new(mut session: Session, tell: Box<dyn FnMut(&str)>) -> Result<Server> {
        let board = session.target().board().clone();
        let registers = session.target().registers().map_err(refused)?;
        let description = Description::of(&board, &*registers);
        drop(registers);
        let board = board.for_image(session.target().image()).unwrap_or(board);
        let kernel = Kernel::of(session.target().image());
        Ok(Server {
            session,
            kernel,
            numbered: Vec::new(),
            left_behind: Vec::new(),
            selected: ThreadId::Any,
            points: HashSet::new(),
            tells_breakpoints: false,
            xml: description.xml(),
            description,
            map: memory_map::memory_map(&board),
            blocks: memory::blocks(&board),
            shown: HashSet::new(),
            tell,
        })
    }

    /// Enables the cycle counter of an ARMv7-M core, if the program is at reset, so that a user can read it before the program does so.
    fn attach(&mut self) {
        const DEMCR: u32 = 0xe000_edfc;
        const DWT_CTRL: u32 = 0xe000_1000;
        let arm = self.session.target().board().core().architecture() == machine::Architecture::Arm;
        if !arm || self.session.cycle() != 0 && self.session.target().instructions() != 0 {
            return;
        }
        if let Ok(mut memory) = self.session.target().memory() {
            // ARMv6-M has no such counter.
            let _ = memory.write(DEMCR, &(1u32 << 24).to_le_bytes())
                && memory.write(DWT_CTRL, &1u32.to_le_bytes());
        }
    }

    /// Answers requests in order; returns the exit code if the program ends.
    fn speak(&mut self, connection: &mut Connection) -> std::result::Result<Option<u8>, Ended> {
        loop {
            let answer = match connection.request()? {
                None => return Ok(None),
                // The program is not running.
                Some(Request::Interrupt) => continue,
                Some(Request::Unreadable) => Err(Refusal::Malformed),
                Some(Request::Packet(data)) => self.answer(&data),
            };
            match answer {
                Ok(Answer::Reply(reply)) => connection.reply(&reply)?,
                Ok(Answer::Replies(replies)) => {
                    for reply in replies {
                        connection.reply(&reply)?;
                    }
                }
                Ok(Answer::StopAcknowledging) => {
                    connection.reply(b"OK")?;
                    connection.stop_acknowledging();
                }
                Ok(Answer::Leave(reply)) => {
                    if let Some(reply) = reply {
                        connection.reply(&reply)?;
                    }
                    return Ok(None);
                }
                Ok(Answer::Resume(resume)) => {
                    let exited = self.resume(&resume, connection)?;
                    if exited.is_some() {
                        return Ok(exited);
                    }
                }
                Err(refusal) => {
                    if let Refusal::Target(error) = &refusal {
                        (self.tell)(&format!("error: {error}\n"));
                    }
                    connection.reply(refusal.reply())?;
                }
            }
        }
    }
}
