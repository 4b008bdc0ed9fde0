//! Builds the firmware and collects it, one ELF file per program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

use crate::cross::Cross;
use crate::root;
use crate::shell::output;

/// Where the built programs are collected, as `<name>.elf`.
pub fn folder() -> PathBuf {
    root().join("target/firmware")
}

/// Builds every program and returns the files, sorted by name.
///
/// # Errors
/// When there is no compiler for the target, or the compilation fails.
pub fn build() -> Result<Vec<PathBuf>> {
    let messages = output(
        Cross::choose()?
            .cargo_build()
            .args([
                "--release",
                "--locked",
                "--message-format=json-render-diagnostics",
            ])
            .arg("--target-dir")
            .arg(folder().join("build"))
            .current_dir(root().join("firmware"))
            .stdin(Stdio::null()),
    )?;
    let mut programs: Vec<_> = executables(&messages)
        .map(|built| collect(&built))
        .collect::<Result<_>>()?;
    programs.sort();
    if programs.is_empty() {
        bail!("cargo reported no firmware program");
    }
    Ok(programs)
}

/// The built program `name`, for a test: the whole firmware is built the first time that a process asks.
///
/// # Errors
/// When the firmware cannot be built, or there is no such program in it.
pub fn program(name: &str) -> Result<PathBuf> {
    static BUILT: OnceLock<std::result::Result<Vec<PathBuf>, String>> = OnceLock::new();
    let programs = BUILT.get_or_init(|| build().map_err(|error| format!("{error:#}")));
    let programs = programs.as_ref().map_err(|error| anyhow!("{error}"))?;
    let wanted = folder().join(format!("{name}.elf"));
    programs
        .iter()
        .find(|path| **path == wanted)
        .cloned()
        .with_context(|| format!("no program named {name}"))
}

fn executables(messages: &str) -> impl Iterator<Item = PathBuf> + '_ {
    let parsed = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    parsed.filter_map(|message| message["executable"].as_str().map(PathBuf::from))
}

/// Copies a program to its place, unless it is there already; a reader never sees half a file.
fn collect(built: &Path) -> Result<PathBuf> {
    let name = built
        .file_name()
        .context("cargo named no file")?
        .to_string_lossy();
    let place = folder().join(format!("{name}.elf"));
    let bytes = fs::read(built).with_context(|| format!("cannot read {}", built.display()))?;
    if fs::read(&place).is_ok_and(|present| present == bytes) {
        return Ok(place);
    }
    let partial = folder().join(format!(".{name}.{}", std::process::id()));
    fs::write(&partial, bytes)
        .and_then(|()| fs::rename(&partial, &place))
        .context("cannot collect firmware")?;
    Ok(place)
}
