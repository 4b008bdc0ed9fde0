//! Building with cargo, and what came of it.

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

/// Cargo, as it called us.
pub(super) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Builds programs (`build`), or those of tests (`test`) or benchmarks (`bench`).
pub(super) fn build(what: &str, words: &Words) -> Result<Vec<Executable>> {
    let mut command = cargo();
    command
        .args([what, "--message-format=json-render-diagnostics"])
        .args(&words.cargo);
    if what != "build" {
        command.arg("--no-run");
    }
    // All benchmarks, and not what cargo would build with a harness that needs an operating system.
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

/// What cargo says that it built. Beside benchmarks it builds the package's programs, which they could start.
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
