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
use std::sync::Arc;

use lab::diagnostic::Result;
use machine::TargetError;

use crate::registers::Description;
use crate::session::{Session, refused};
use arguments::{Refusal, ThreadId};
use connection::{Connection, Request};
use points::Point;
use resume::Resume;

/// Serves one GDB until it disconnects or the program ends; then returns the exit code. Calls `tell` with the reason if a program failed.
///
/// # Errors
/// If the target fails.
pub fn serve(session: Session, stream: TcpStream, tell: impl FnMut(&str) + 'static) -> Result<Option<u8>> {
    let mut server = Server::new(session, Box::new(tell));
    server.session.enable_cycle_counter();
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
    description: Arc<Description>,
    /// Threads from before `monitor` moved the program, which GDB still lists.
    left_behind: Vec<u32>,
    /// The thread whose registers GDB reads.
    selected: ThreadId,
    points: HashSet<Point>,
    /// Whether stop replies name breakpoints.
    tells_breakpoints: bool,
    xml: String,
    map: String,
    /// Unmodelled registers that were shown as zero; each is reported once.
    shown: HashSet<u32>,
    tell: Box<dyn FnMut(&str)>,
}

impl Server {
    fn new(mut session: Session, tell: Box<dyn FnMut(&str)>) -> Server {
        let board = session.target().board().clone();
        let board = board.for_image(session.target().image()).unwrap_or(board);
        let description = session.description();
        Server {
            session,
            left_behind: Vec::new(),
            selected: ThreadId::Any,
            points: HashSet::new(),
            tells_breakpoints: false,
            xml: description.xml(),
            description,
            map: memory_map::memory_map(&board),
            shown: HashSet::new(),
            tell,
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
