//! A debug adapter: Microsoft's Debug Adapter Protocol, as Visual Studio Code and others speak it.
//!
//! The crate `dap` has the protocol's types, with signed offsets as editors send them. Framing and envelopes are here ([`wire`]): that
//! crate ends a session at the first broken message, and cannot refuse a request that it does not know.
//!
//! [`requests`] has the table of requests. While the program runs, requests are answered between two parts of the run. A malformed or
//! impossible request is refused, and the next one is answered.

mod breakpoints;
mod disassembly;
mod evaluate;
#[allow(clippy::unnecessary_wraps, clippy::unused_self)] // All requests are methods of one type.
mod lifecycle;
mod memory;
#[allow(clippy::unnecessary_wraps, clippy::unused_self)] // As there.
mod requests;
#[allow(clippy::unnecessary_wraps, clippy::unused_self)] // As there.
mod running;
mod stack;
mod state;
mod variables;
mod wire;

use std::collections::VecDeque;
use std::io::Read;
use std::sync::mpsc::Receiver;

use lab::diagnostic::Result;
use machine::TargetError;
use serde_json::{Map, Value, json};

use crate::session::Session;
use crate::session::lines::Motion;
use state::{Breakpoints, Container, Level};
use wire::Received;

pub use wire::{Client, ProgramOutput};

/// The arguments of a `launch` request, as the editor's configuration has them.
pub type Launch = Map<String, Value>;

/// Makes the session of a `launch` request.
type Launcher = Box<dyn FnMut(&Launch) -> Result<Session>>;

/// Serves one editor until it disconnects. `launch` makes the session of a `launch` request; the program's output belongs into
/// [`Client::output`].
pub fn adapt(
    input: impl Read + Send + 'static,
    client: &Client,
    launch: impl FnMut(&Launch) -> Result<Session> + 'static,
) {
    let mut adapter = Adapter::new(wire::receive(input), client.clone(), Box::new(launch));
    adapter.speak();
    client.flush();
}

/// Why a request is refused, as text for the user.
struct Refusal(String);

impl Refusal {
    fn new(message: impl Into<String>) -> Refusal {
        Refusal(message.into())
    }
}

impl From<TargetError> for Refusal {
    fn from(error: TargetError) -> Refusal {
        match error.help {
            Some(ref help) => Refusal(format!("{error}: {help}")),
            None => Refusal(error.to_string()),
        }
    }
}

/// The body of a response.
type Answered<T = Value> = std::result::Result<T, Refusal>;

/// What the program does once its request is answered.
enum Course {
    /// It stands.
    Stopped,
    /// It runs, a part at a time.
    Forward(Motion),
    /// It goes back; this is done at once.
    Back(Backward),
}

enum Backward {
    /// To the last breakpoint.
    Run,
    /// By an instruction.
    Instruction,
    /// By a line.
    Line,
}

/// An editor's view of a program.
struct Adapter {
    input: Receiver<Received>,
    /// Messages received while the program went back.
    waiting: VecDeque<Received>,
    client: Client,
    launch: Launcher,
    session: Option<Session>,
    course: Course,
    breakpoints: Breakpoints,
    /// The lines and columns of the editor count from this.
    first: i64,
    is_initialized: bool,
    /// Whether the program stops before its first instruction.
    stops_on_entry: bool,
    /// Events to send after the current response.
    events: Vec<(&'static str, Value)>,
    /// The cycles and instructions when the program last resumed, and when it stopped.
    resumed_at: (u64, u64),
    /// Why the program cannot continue.
    failure: Option<(&'static str, String)>,
    /// The levels of the call stacks shown since the last stop; an index, from 1, is a frame's id.
    levels: Vec<Level>,
    /// The containers of variables shown since the last stop; an index, from 1, is its reference.
    containers: Vec<Container>,
    has_left: bool,
}

impl Adapter {
    fn new(input: Receiver<Received>, client: Client, launch: Launcher) -> Adapter {
        Adapter {
            input,
            waiting: VecDeque::new(),
            client,
            launch,
            session: None,
            course: Course::Stopped,
            breakpoints: Breakpoints::default(),
            first: 1,
            is_initialized: false,
            stops_on_entry: false,
            events: Vec::new(),
            resumed_at: (0, 0),
            failure: None,
            levels: Vec::new(),
            containers: Vec::new(),
            has_left: false,
        }
    }

    /// Answers requests until the editor is gone.
    fn speak(&mut self) {
        while !self.has_left && !self.client.is_lost() {
            match std::mem::replace(&mut self.course, Course::Stopped) {
                Course::Stopped => match self.next() {
                    Some(received) => self.receive(received),
                    None => return,
                },
                Course::Forward(motion) => {
                    self.course = Course::Forward(motion);
                    while let Some(received) = self.pending() {
                        self.receive(received);
                    }
                    self.advance();
                }
                Course::Back(backward) => self.go_back(&backward),
            }
        }
    }

    /// Waits for the next message; `None` if the editor is gone.
    fn next(&mut self) -> Option<Received> {
        self.waiting.pop_front().or_else(|| self.input.recv().ok())
    }

    /// The next message, if there is one.
    fn pending(&mut self) -> Option<Received> {
        use std::sync::mpsc::TryRecvError;
        if self.has_left {
            return None;
        }
        self.waiting.pop_front().or_else(|| match self.input.try_recv() {
            Ok(received) => Some(received),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                self.has_left = true;
                None
            }
        })
    }

    /// Answers a message.
    fn receive(&mut self, received: Received) {
        let (seq, command, answer) = match received {
            Received::Unreadable(reason) => (0, String::new(), Err(Refusal(reason))),
            Received::Message(message) => {
                let seq = message.get("seq").and_then(Value::as_i64).unwrap_or(0);
                let command = message.get("command").and_then(Value::as_str).unwrap_or_default();
                let command = command.to_owned();
                let arguments = message.get("arguments").cloned().unwrap_or_default();
                let answer = self.answer(&message, &command, arguments);
                (seq, command, answer)
            }
        };
        let mut response = json!({ "type": "response", "request_seq": seq, "command": command });
        match answer {
            Ok(body) => {
                response["success"] = true.into();
                if !body.is_null() {
                    response["body"] = body;
                }
            }
            Err(Refusal(message)) => {
                response["success"] = false.into();
                response["message"] = message.clone().into();
                // What editors show; braces would be variables.
                response["body"] = json!({ "error": {
                    "id": 1, "format": "{message}", "variables": { "message": message }, "showUser": true,
                } });
            }
        }
        self.client.send(response);
        for (event, body) in std::mem::take(&mut self.events) {
            self.client.event(event, &body);
        }
    }

    /// The program, once it is launched.
    fn session(&mut self) -> Answered<&mut Session> {
        let missing = || Refusal::new("there is no program yet: the request `launch` starts it");
        self.session.as_mut().ok_or_else(missing)
    }

    /// Shows a text in the editor's debug console.
    fn show(&mut self, text: &str) {
        self.events
            .push(("output", json!({ "category": "console", "output": text })));
    }
}
