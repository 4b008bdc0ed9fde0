//! Builds the firmware and collects it, one ELF file per program.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
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
    let cross = Cross::choose()?;
    let mut programs = Vec::new();
    for workspace in workspaces()? {
        for built in build_workspace(cross, &workspace, &folder().join("build"))? {
            programs.push(collect(&built)?);
        }
    }
    programs.sort();
    if programs.is_empty() {
        bail!("cargo reported no firmware program");
    }
    Ok(programs)
}

/// The workspaces: that of the firmware, and one for each kernel of the group `tasks/`, because a program can have only
/// one `cortex-m-rt`, and the kernels need different ones.
fn workspaces() -> Result<Vec<PathBuf>> {
    let firmware = root().join("firmware");
    let kernels = firmware.join("scenarios/tasks");
    let entries = kernels
        .read_dir()
        .context("cannot read firmware/scenarios/tasks")?;
    let mut kernels: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("Cargo.toml").exists())
        .collect();
    kernels.sort();
    kernels.insert(0, firmware);
    Ok(kernels)
}

/// Builds the workspace at `workspace`, optimised, and returns its programs as cargo left them in `target`.
///
/// Beside it there may be a `handlers.csv`: attributes that LLVM gives to the functions it names.
///
/// # Errors
/// When the compilation fails.
pub fn build_workspace(cross: Cross, workspace: &Path, target: &Path) -> Result<Vec<PathBuf>> {
    let mut command = cross.cargo_build();
    command
        .args([
            "--release",
            "--locked",
            "--message-format=json-render-diagnostics",
        ])
        .arg("--target-dir")
        .arg(target)
        .current_dir(workspace)
        .stdin(Stdio::null());
    let attributes = workspace.with_file_name("handlers.csv");
    if attributes.exists() {
        add_rustflags(
            &mut command,
            &format!("-Cllvm-args=-forceattrs-csv-path={}", attributes.display()),
        );
    }
    let messages = output(&mut command)?;
    Ok(executables(&messages).collect())
}

/// Adds to the RUSTFLAGS that the command has already, its own or inherited.
fn add_rustflags(command: &mut Command, flags: &str) {
    let own = command.get_envs().find(|(name, _)| *name == "RUSTFLAGS");
    let present = match own {
        Some((_, value)) => value.map(|value| value.to_string_lossy().into_owned()),
        None => env::var("RUSTFLAGS").ok(),
    };
    command.env("RUSTFLAGS", format!("{} {flags}", present.unwrap_or_default()));
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
