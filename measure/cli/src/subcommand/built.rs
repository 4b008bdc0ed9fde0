//! Runs cargo's builds and finds the executables.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::Result;
use super::words::Words;

/// A program that cargo built.
#[derive(Debug)]
pub(super) struct Executable {
    pub(super) name: String,
    pub(super) path: PathBuf,
}

/// The cargo that called us.
pub(super) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Builds programs (`build`), tests (`test`) or benchmarks (`bench`).
pub(super) fn build(what: &str, words: &Words) -> Result<Vec<Executable>> {
    let mut command = cargo();
    command
        .args([what, "--message-format=json-render-diagnostics"])
        .args(&words.cargo);
    if what != "build" {
        command.arg("--no-run");
    }
    // All benchmarks, without tests in the default harness, which needs an operating system.
    if what == "bench" && words.value(&["--bench"]).is_none() {
        command.args(["--bench", "*"]);
    }
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err("cargo could not build it".into());
    }
    Ok(executables(
        &String::from_utf8_lossy(&output.stdout),
        what == "bench",
    ))
}

/// The executables in cargo's messages. With benchmarks, cargo also builds the package's programs, because benchmarks could start them.
fn executables(messages: &str, benches: bool) -> Vec<Executable> {
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let executable = |message: Value| {
        Some(Executable {
            path: message["executable"].as_str()?.into(),
            name: message["target"]["name"].as_str()?.to_owned(),
        })
    };
    let is_bench = |message: &Value| message["target"]["kind"][0] == "bench";
    messages
        .filter(|message| !benches || is_bench(message))
        .filter_map(executable)
        .collect()
}
