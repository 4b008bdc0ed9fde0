//! GDB's remote protocol (GDB manual, appendix E).
//!
//! [`packet`] finds packets in what comes, [`connection`] acknowledges them and waits, [`requests`] has the table of requests. No
//! request ends the session but `k`, `D` and `vKill`: what is malformed or cannot be done is refused, and the next one is answered.

// Each request has the signature of the table, whether or not it needs the server.
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

/// Speaks with one GDB until it goes, or the program ends: then with its exit code. Says why a program failed by `tell`.
///
/// # Errors
/// If the target shows no registers, or fails.
pub fn serve(session: Session, stream: TcpStream, tell: impl FnMut(&str) + 'static) -> Result<Option<u8>> {
    let mut server = Server::new(session, Box::new(tell))?;
    server.attach();
    // Whoever goes without a word, as a killed GDB does, is gone.
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

/// Why a session is over that the program did not end.
enum Ended {
    /// GDB is gone.
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

/// What a request leads to.
enum Answer {
    /// This reply.
    Reply(Vec<u8>),
    /// Several packets.
    Replies(Vec<Vec<u8>>),
    /// The program goes on, and the reply is why it stops.
    Resume(Resume),
    /// This reply, and no acknowledgements from then on.
    StopAcknowledging,
    /// GDB goes, with this reply if it waits for one.
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

/// A program, and what GDB knows of it.
struct Server {
    session: Session,
    description: Description,
    kernel: Kernel,
    /// The keys of all threads that there ever were: the place of one, from 1, is its number for GDB.
    numbered: Vec<u32>,
    /// The threads from before `monitor` moved the program, of which GDB was not told.
    left_behind: Vec<u32>,
    /// The thread whose registers are asked for.
    selected: ThreadId,
    points: HashSet<Point>,
    /// Stops at breakpoints are told as such.
    tells_breakpoints: bool,
    xml: String,
    map: String,
    /// Where registers of devices and of the core may be, and some of them are not modelled.
    blocks: Vec<Range<u64>>,
    /// Registers that are not modelled and were shown among others: each is told once.
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

    /// Switches the cycle counter of an ARMv7-M core on, if the program is at reset: whoever comes to read it need not wait for the
    /// program to do that.
    fn attach(&mut self) {
        const DEMCR: u32 = 0xe000_edfc;
        const DWT_CTRL: u32 = 0xe000_1000;
        let arm = self.session.target().board().core().architecture() == machine::Architecture::Arm;
        if !arm || self.session.cycle() != 0 && self.session.target().instructions() != 0 {
            return;
        }
        if let Ok(mut memory) = self.session.target().memory() {
            // On ARMv6-M there is no such counter.
            let _ = memory.write(DEMCR, &(1u32 << 24).to_le_bytes())
                && memory.write(DWT_CTRL, &1u32.to_le_bytes());
        }
    }

    /// Answers one request after the other; the exit code of a program that ends.
    fn speak(&mut self, connection: &mut Connection) -> std::result::Result<Option<u8>, Ended> {
        loop {
            let answer = match connection.request()? {
                None => return Ok(None),
                // The program does not run.
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
