//! Builds the firmware and collects it, one ELF file per program and target.
//!
//! A package is built for the targets that its manifest names under `[package.metadata.firmware]`, without that for
//! ARMv7-M alone. One that has C in it says `needs-c = true` there, and is skipped, by name, where there is no compiler
//! for it.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

use crate::cross::{Cross, TARGET, TARGETS};
use crate::packages::{C_COMPILER, ensure};
use crate::root;
use crate::shell::{cargo, output, say};

/// Where the built programs are collected, as `<name>.elf`; those for other targets than ARMv7-M in a folder of the
/// target's name.
pub fn folder() -> PathBuf {
    root().join("target/firmware")
}

/// Where the programs for a target are collected.
fn folder_of(target: &str) -> PathBuf {
    match target {
        TARGET => folder(),
        other => folder().join(other),
    }
}

/// Builds every program and returns the files, sorted by name.
///
/// # Errors
/// When there is no compiler for the target, or the compilation fails.
pub fn build() -> Result<Vec<PathBuf>> {
    let cross = Cross::choose()?;
    let mut programs = Vec::new();
    let build = folder().join("build");
    for (target, packages) in packages()? {
        for built in build_packages(cross, target, &packages, &build)? {
            programs.push(collect(&built, target)?);
        }
    }
    for workspace in kernels()? {
        for built in build_workspace(cross, &workspace, &build)? {
            programs.push(collect(&built, TARGET)?);
        }
    }
    programs.sort();
    if programs.is_empty() {
        bail!("cargo reported no firmware program");
    }
    Ok(programs)
}

/// The packages of the firmware's workspace that can be built here, by what they are built for.
///
/// # Errors
/// When cargo does not understand the workspace, or a package names a target that is not known here.
pub fn packages() -> Result<BTreeMap<&'static str, Vec<String>>> {
    let mut metadata = cargo();
    metadata
        .args(["metadata", "--no-deps", "--locked", "--format-version=1"])
        .current_dir(root().join("firmware"));
    let metadata: Value = serde_json::from_str(&output(&mut metadata)?)?;
    let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().context("a package without a name")?;
        if package["metadata"]["firmware"]["needs-c"] == true
            && let Err(error) = ensure(C_COMPILER)
        {
            say(&format!("firmware: {name} is skipped: {error:#}"));
            continue;
        }
        for target in targets(package).with_context(|| format!("firmware package {name}"))? {
            all.entry(target).or_default().push(name.to_owned());
        }
    }
    Ok(all)
}

fn targets(package: &Value) -> Result<Vec<&'static str>> {
    let Some(named) = package["metadata"]["firmware"]["targets"].as_array() else {
        return Ok(vec![TARGET]);
    };
    let known = |name: &Value| {
        let found = TARGETS.into_iter().find(|target| name == target);
        found.with_context(|| format!("unknown target {name}"))
    };
    named.iter().map(known).collect()
}

/// A workspace for each kernel of the group `tasks/`, because a program can have only one `cortex-m-rt`, and the kernels
/// need different ones.
fn kernels() -> Result<Vec<PathBuf>> {
    let kernels = root().join("firmware/scenarios/tasks");
    let entries = kernels
        .read_dir()
        .context("cannot read firmware/scenarios/tasks")?;
    let mut kernels: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("Cargo.toml").exists())
        .collect();
    kernels.sort();
    Ok(kernels)
}

/// Builds packages of the firmware's workspace for one target, optimised, and returns their programs.
fn build_packages(cross: Cross, target: &str, packages: &[String], build: &Path) -> Result<Vec<PathBuf>> {
    let mut command = release(cross, &root().join("firmware"), build);
    command.args(["--target", target]);
    command.args(packages.iter().flat_map(|package| ["-p", package]));
    Ok(executables(&output(&mut command)?).collect())
}

/// Builds the workspace at `workspace`, optimised, and returns its programs as cargo left them in `target`.
///
/// Beside it there may be a `handlers.csv`: attributes that LLVM gives to the functions it names.
///
/// # Errors
/// When the compilation fails.
pub fn build_workspace(cross: Cross, workspace: &Path, target: &Path) -> Result<Vec<PathBuf>> {
    let mut command = release(cross, workspace, target);
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

/// Cargo building the workspace at `workspace`, optimised, into `build`.
fn release(cross: Cross, workspace: &Path, build: &Path) -> Command {
    let mut command = cross.cargo_build();
    command
        .args([
            "--release",
            "--locked",
            "--message-format=json-render-diagnostics",
        ])
        .arg("--target-dir")
        .arg(build)
        .current_dir(workspace)
        .stdin(Stdio::null());
    command
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
    program_for(name, TARGET)
}

/// As [`program`], of another target.
///
/// # Errors
/// As [`program`].
pub fn program_for(name: &str, target: &str) -> Result<PathBuf> {
    static BUILT: OnceLock<std::result::Result<Vec<PathBuf>, String>> = OnceLock::new();
    let programs = BUILT.get_or_init(|| build().map_err(|error| format!("{error:#}")));
    let programs = programs.as_ref().map_err(|error| anyhow!("{error}"))?;
    let wanted = folder_of(target).join(format!("{name}.elf"));
    programs
        .iter()
        .find(|path| **path == wanted)
        .cloned()
        .with_context(|| format!("no program named {name} for {target}"))
}

fn executables(messages: &str) -> impl Iterator<Item = PathBuf> + '_ {
    let parsed = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    parsed.filter_map(|message| message["executable"].as_str().map(PathBuf::from))
}

/// Copies a program to its place, unless it is there already; a reader never sees half a file.
fn collect(built: &Path, target: &str) -> Result<PathBuf> {
    let name = built
        .file_name()
        .context("cargo named no file")?
        .to_string_lossy();
    let folder = folder_of(target);
    let place = folder.join(format!("{name}.elf"));
    let bytes = fs::read(built).with_context(|| format!("cannot read {}", built.display()))?;
    if fs::read(&place).is_ok_and(|present| present == bytes) {
        return Ok(place);
    }
    let partial = folder.join(format!(".{name}.{}", std::process::id()));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&partial, bytes))
        .and_then(|()| fs::rename(&partial, &place))
        .context("cannot collect firmware")?;
    Ok(place)
}
