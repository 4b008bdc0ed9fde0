//! `cyclescope dap`: a debug adapter, for editors.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Parser;
use gdb::{Client, Launch, Session, adapt};
use lab::diagnostic::{Diagnostic, Result};
use serde_json::Value;

use super::gdb::Surroundings;
use super::output::Lost;
use super::target::Program;
use super::{Ending, watch};

/// Debug in an editor, which starts this command itself
///
/// It speaks the Debug Adapter Protocol. The editor's configuration names the `program` and has the options of `cyclescope gdb`:
/// `"board": "stm32f100rb"`, `"raise": ["IRQ6@1000"]`.
#[derive(clap::Args, Debug)]
pub(super) struct DapArgs {
    /// Serve one editor after the other at this port of this computer, in place of standard input and output; 0 takes a free one, and
    /// says which.
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
}

/// A configuration of an editor, as a command line.
#[derive(Parser, Debug)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Configuration {
    #[command(flatten)]
    program: Program,
    #[command(flatten)]
    surroundings: Surroundings,
}

/// What a configuration says to the editor or to the adapter, not to the command line.
const OTHERS: [&str; 14] = [
    "type",
    "request",
    "name",
    "program",
    "cwd",
    "noDebug",
    "stopOnEntry",
    "debugServer",
    "preLaunchTask",
    "postDebugTask",
    "presentation",
    "internalConsoleOptions",
    "serverReadyAction",
    "suppressMultipleSessionWarning",
];

impl DapArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        watch::keeps_nothing();
        let Some(port) = self.port else {
            return Ok(served(io::stdin(), io::stdout()));
        };
        let wrong = |error: io::Error| Diagnostic::mistake(format!("port {port}: {error}"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(wrong)?;
        let address = listener.local_addr().map_err(wrong)?;
        let _ = writeln!(io::stderr(), "waiting for an editor at {address}");
        loop {
            let (stream, _) = listener.accept().map_err(wrong)?;
            // An editor that is gone at once is none.
            if let Ok(input) = stream.try_clone() {
                served(input, stream).tell();
            }
        }
    }
}

/// Serves one editor.
fn served(input: impl Read + Send + 'static, output: impl Write + Send + 'static) -> Ending {
    let client = Client::new(output);
    let lost = Arc::new(Mutex::new(None));
    let (own, kept) = (client.clone(), Arc::clone(&lost));
    adapt(input, &client, move |launch| {
        let (session, lost) = session(launch, &own)?;
        *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(lost);
        Ok(session)
    });
    let lost: Option<Lost> = lost.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ending {
        messages: lost.and_then(|lost| lost.message()).into_iter().collect(),
        firmware: 0,
    }
}

/// The session of a configuration.
fn session(launch: &Launch, client: &Client) -> Result<(Session, Lost)> {
    if let Some(folder) = launch.get("cwd").and_then(Value::as_str) {
        let wrong = |error| Diagnostic::mistake(format!("`cwd`: {error}")).in_file(folder);
        std::env::set_current_dir(Path::new(folder)).map_err(wrong)?;
    }
    let parsed = Configuration::try_parse_from(words(launch)?).map_err(|error| {
        let text = error.to_string();
        Diagnostic::mistake(text.trim_start_matches("error: ").trim_end())
    })?;
    let Configuration {
        program,
        surroundings,
    } = parsed;
    let (output, error) = (client.output("stdout"), client.output("stderr"));
    surroundings.session(&program, output, error, io::empty())
}

/// The words of the command line that a configuration stands for.
fn words(launch: &Launch) -> Result<Vec<String>> {
    let options = launch
        .iter()
        .filter(|(key, _)| !OTHERS.contains(&key.as_str()) && !key.starts_with("__"));
    let mut words = Vec::new();
    for (key, value) in options {
        let option = kebab(key);
        let values = match value {
            Value::Array(all) => all.iter().collect(),
            one => vec![one],
        };
        for value in values {
            match value {
                Value::Null | Value::Bool(false) => {}
                Value::Bool(true) => words.push(format!("--{option}")),
                Value::String(text) => words.push(format!("--{option}={text}")),
                Value::Number(number) => words.push(format!("--{option}={number}")),
                Value::Array(_) | Value::Object(_) => {
                    return Err(Diagnostic::mistake(format!(
                        "`{key}` is a text, a number or a list of these"
                    )));
                }
            }
        }
    }
    let program = launch.get("program").and_then(Value::as_str);
    let program = program.ok_or_else(|| Diagnostic::mistake("the configuration names no `program`"))?;
    words.extend(["--".to_owned(), program.to_owned()]);
    Ok(words)
}

/// `onReset` as `on-reset`.
fn kebab(key: &str) -> String {
    let mut text = String::new();
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            text.push('-');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}
