//! An editor: it sends requests and waits for what they lead to.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use gdb::{Client, Launch, Output, Session, adapt};
use lab::backend::Backend;
use lab::diagnostic::{Diagnostic, Result};
use machine::{Board, Console, Debugger, Image, Options};
use serde_json::{Value, json};

/// Long enough for a busy computer.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Editor {
    to: Option<PipeWriter>,
    from: Receiver<Value>,
    adapter: JoinHandle<()>,
    seq: i64,
    events: VecDeque<Value>,
    console: String,
}

/// The session that a `launch` asks for: `program` on `board`.
fn session(launch: &Launch, client: &Client) -> Result<Session> {
    let text = |name: &str| launch.get(name).and_then(Value::as_str);
    let program = text("program").ok_or_else(|| Diagnostic::mistake("no program"))?;
    let image = Image::load(Path::new(program)).map_err(|error| Diagnostic::mistake(error.to_string()))?;
    let silent = Arc::default();
    let output = |category| Output::new(client.output(category), &silent);
    let options = Options {
        debugger: Debugger::Attached,
        console: Console::new(output("stdout"), output("stderr"), std::io::empty()),
        ..Options::default()
    };
    let board = Board::find(text("board").unwrap_or("stm32f100rb")).unwrap();
    Session::new(Backend::Model.bench(&board, &Arc::new(image), options)?, silent)
}

fn messages(from: PipeReader) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut from = BufReader::new(from);
        loop {
            let mut header = String::new();
            if from.read_line(&mut header).unwrap() == 0 {
                return;
            }
            let length = header.trim().strip_prefix("Content-Length: ").unwrap();
            let mut body = vec![0; 2 + length.parse::<usize>().unwrap()];
            from.read_exact(&mut body).unwrap();
            assert_eq!(&body[..2], b"\r\n");
            if sender.send(serde_json::from_slice(&body[2..]).unwrap()).is_err() {
                return;
            }
        }
    });
    receiver
}

impl Editor {
    pub(crate) fn new() -> Editor {
        let (read, to) = std::io::pipe().unwrap();
        let (from, write) = std::io::pipe().unwrap();
        let adapter = std::thread::spawn(move || {
            let client = Client::new(write);
            let own = client.clone();
            adapt(read, &client, move |launch| session(launch, &own));
        });
        Editor {
            to: Some(to),
            from: messages(from),
            adapter,
            seq: 0,
            events: VecDeque::new(),
            console: String::new(),
        }
    }

    /// An editor that launched a program, and may set breakpoints.
    pub(crate) fn launched(elf: &Path) -> Editor {
        let mut editor = Editor::new();
        let capabilities = editor.ask("initialize", json!({
            "clientID": "vscode", "clientName": "Visual Studio Code", "adapterID": "cyclescope", "pathFormat": "path",
            "linesStartAt1": true, "columnsStartAt1": true, "supportsVariableType": true, "supportsVariablePaging": true,
            "supportsRunInTerminalRequest": true, "locale": "en", "supportsProgressReporting": true,
            "supportsInvalidatedEvent": true, "supportsMemoryReferences": true, "supportsArgsCanBeInterpretedByShell": true,
            "supportsMemoryEvent": true, "supportsStartDebuggingRequest": true, "supportsANSIStyling": true,
        }));
        for can in [
            "supportsStepBack",
            "supportsConfigurationDoneRequest",
            "supportsDisassembleRequest",
        ] {
            assert_eq!(capabilities[can], true, "{capabilities}");
        }
        editor.ask("launch", json!({
            "name": "Cyclescope", "type": "cyclescope", "request": "launch", "program": elf, "board": "stm32f100rb",
            "__configurationTarget": 6, "__sessionId": "6f6f1f4c",
        }));
        editor.event("initialized");
        editor
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.to.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, command: &str, arguments: Value) -> i64 {
        self.seq += 1;
        let mut request = json!({ "seq": self.seq, "type": "request", "command": command });
        if !arguments.is_null() {
            request["arguments"] = arguments;
        }
        let text = request.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
        self.seq
    }

    fn message(&mut self) -> Value {
        let message = self.from.recv_timeout(PATIENCE).expect("an answer");
        if message["event"] == "output" && message["body"]["category"] == "console" {
            self.console += message["body"]["output"].as_str().unwrap();
        }
        message
    }

    /// The next response; events wait.
    pub(crate) fn response(&mut self) -> Value {
        loop {
            let message = self.message();
            if message["type"] == "response" {
                return message;
            }
            self.events.push_back(message);
        }
    }

    /// The body of the answer to a request, which must succeed.
    pub(crate) fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let seq = self.send(command, arguments);
        let response = self.response();
        assert_eq!(
            (&response["request_seq"], &response["command"]),
            (&json!(seq), &json!(command))
        );
        assert_eq!(response["success"], true, "{command}: {response}");
        response["body"].clone()
    }

    /// Sends a request that must be refused with these words.
    pub(crate) fn refused(&mut self, command: &str, arguments: Value, words: &str) {
        self.send(command, arguments);
        let response = self.response();
        assert_eq!(response["success"], false, "{command}: {response}");
        let message = response["message"].as_str().unwrap();
        assert!(message.contains(words), "{command}: {message}");
    }

    /// The body of the next event with this name.
    pub(crate) fn event(&mut self, name: &str) -> Value {
        loop {
            let event = match self.events.pop_front() {
                Some(event) => event,
                None => self.message(),
            };
            if event["event"] == name {
                return event["body"].clone();
            }
        }
    }

    pub(crate) fn stopped(&mut self) -> Value {
        self.event("stopped")
    }

    /// What the debug console showed so far.
    pub(crate) fn console(&self) -> &str {
        &self.console
    }

    /// Closes the connection; the adapter must end.
    pub(crate) fn ended(mut self) {
        self.to = None;
        self.adapter.join().unwrap();
    }
}
