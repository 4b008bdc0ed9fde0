//! Runs cargo's builds and finds the executables.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::{Message, TargetKind};
use clap::ArgMatches;
use lab::diagnostic::{Diagnostic, Result};

use super::options;

/// A program that cargo built.
#[derive(Debug)]
pub(super) struct Executable {
    pub(super) name: String,
    pub(super) path: PathBuf,
}

impl Executable {
    /// A program that the user named.
    pub(super) fn at(path: &Path) -> Executable {
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Executable {
            name,
            path: path.to_owned(),
        }
    }
}

/// Builds what a command takes: tests, benchmarks, or programs, in release mode unless the command line says otherwise.
pub(super) fn build(name: &str, matches: &ArgMatches) -> Result<Vec<Executable>> {
    let what = if ["test", "bench"].contains(&name) {
        name
    } else {
        "build"
    };
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args([what, "--message-format=json-render-diagnostics"])
        .args(options::words(matches));
    if what != "build" {
        command.arg("--no-run");
    } else if name != "run" && !options::is_given(matches, &["release", "profile"]) {
        command.arg("--release");
    }
    // All benchmarks, without tests in the default harness, which needs an operating system.
    let is_bench = what == "bench";
    if is_bench && !options::is_given(matches, &["bench"]) {
        command.args(["--bench", "*"]);
    }
    let not_started = |error| Diagnostic::mistake(format!("cannot start cargo: {error}"));
    let mut cargo = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(not_started)?;
    let mut executables = Vec::new();
    if let Some(output) = cargo.stdout.take() {
        let messages = Message::parse_stream(BufReader::new(output));
        executables.extend(
            messages
                .flatten()
                .filter_map(|message| executable(message, is_bench)),
        );
    }
    let status = cargo.wait().map_err(not_started)?;
    if !status.success() {
        return Err(Diagnostic::mistake("cargo could not build it"));
    }
    Ok(executables)
}

/// The executable of one of cargo's messages. With benchmarks, cargo also builds the package's programs, because benchmarks could start them.
fn executable(message: Message, is_bench: bool) -> Option<Executable> {
    let Message::CompilerArtifact(artifact) = message else {
        return None;
    };
    let is_wanted = !is_bench || artifact.target.kind.contains(&TargetKind::Bench);
    Some(Executable {
        path: artifact.executable.filter(|_| is_wanted)?.into(),
        name: artifact.target.name,
    })
}
