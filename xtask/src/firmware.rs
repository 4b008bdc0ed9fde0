//! Builds the firmware and collects it, one ELF file per program and target.
//!
//! A package is built for the targets in its manifest's `[package.metadata.firmware]`, by default for ARMv7-M. A package with C code says
//! `needs-c = true` there, or `"rv32"`, and is reported as skipped if there is no C compiler. `[package.metadata.firmware.variants]` may
//! name a program that is also built with further profiles of its workspace and collected as `<program>-<profile>.elf`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

use crate::cross::{Cross, TARGET, TARGETS};
use crate::packages::{C_COMPILER, RV32_C_COMPILER, ensure};
use crate::root;
use crate::shell::{cargo, output, output_logged, say};

/// The folder of the built programs, named `<name>.elf`. Programs for targets other than ARMv7-M are in a subfolder named after the
/// target.
pub fn folder() -> PathBuf {
    root().join("target/firmware")
}

/// The folder of a target's programs.
fn folder_of(target: &str) -> PathBuf {
    match target {
        TARGET => folder(),
        other => folder().join(other),
    }
}

/// Builds every program and returns the files, sorted by name.
///
/// # Errors
/// If there is no compiler for the target, or the compilation fails.
pub fn build() -> Result<Vec<PathBuf>> {
    let cross = Cross::choose()?;
    let mut programs = Vec::new();
    let build = folder().join("build");
    say("firmware: building; what the compilers say goes to target/firmware/build/*.log");
    for batch in batches()? {
        for built in build_batch(cross, &batch, &build)? {
            programs.push(collect(&built, batch.target)?);
        }
        for variant in &batch.variants {
            programs.push(build_variant(cross, &batch, variant, &build)?);
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

/// Builds only the programs of one package of the firmware's workspace for one target, and returns them.
///
/// # Errors
/// As [`build`], and if the target has no such package.
pub fn build_package(package: &str, target: &str) -> Result<Vec<PathBuf>> {
    let batches = batches_of(&root().join("firmware"))?.into_iter();
    let mut batch = batches
        .filter(|batch| batch.target == target)
        .find(|batch| batch.packages.iter().any(|name| name == package))
        .with_context(|| format!("no package {package} for {target}"))?;
    batch.packages.retain(|name| name == package);
    let built = build_batch(Cross::choose()?, &batch, &folder().join("build"))?;
    built
        .iter()
        .map(|program| collect(program, batch.target))
        .collect()
}

/// The workspaces of firmware packages: the main one, those of the allocators and the threaded kernels, whose dependencies nothing else
/// needs, one for each kernel of `tasks-rv32/`, and one for each chip with a HAL.
pub const WORKSPACES: [&str; 14] = [
    "firmware",
    "firmware/scenarios/alloc",
    "firmware/scenarios/threads",
    "firmware/scenarios/messages",
    "firmware/scenarios/tasks-rv32/embassy",
    "firmware/scenarios/tasks-rv32/mainspring",
    "firmware/scenarios/tasks-rv32/plic",
    "firmware/scenarios/tasks-rv32/rtic-2",
    "firmware/hal/nrf52840",
    "firmware/hal/nrf52840-embassy",
    "firmware/hal/stm32f407",
    "firmware/hal/stm32f411",
    "firmware/hal/stm32g491",
    "firmware/hal/stm32l432",
];

/// The folders of all workspaces.
///
/// # Errors
/// If the folder of the kernels cannot be read.
pub fn workspaces() -> Result<Vec<PathBuf>> {
    let mut all: Vec<_> = WORKSPACES
        .iter()
        .map(|workspace| root().join(workspace))
        .collect();
    all.extend(kernels()?);
    Ok(all)
}

/// Packages that one cargo command builds.
#[derive(Debug)]
pub struct Batch {
    /// The workspace's folder.
    pub workspace: PathBuf,
    /// Their target.
    pub target: &'static str,
    /// Package names.
    pub packages: Vec<String>,
    /// Programs to build again with other profiles.
    variants: Vec<Variant>,
}

/// A program that is built again with another profile.
#[derive(Debug)]
struct Variant {
    program: String,
    profile: String,
    /// Flags in addition to the profile, which cannot contain any.
    rustflags: String,
}

/// All packages that can be built here, by workspace and target.
///
/// # Errors
/// If cargo rejects a workspace, or a package names an unknown target.
pub fn batches() -> Result<Vec<Batch>> {
    let mut all = Vec::new();
    for workspace in WORKSPACES {
        all.extend(batches_of(&root().join(workspace))?);
    }
    Ok(all)
}

fn batches_of(workspace: &Path) -> Result<Vec<Batch>> {
    let mut metadata = cargo();
    metadata
        .args(["metadata", "--no-deps", "--locked", "--format-version=1"])
        .current_dir(workspace);
    let metadata: Value = serde_json::from_str(&output(&mut metadata)?)?;
    let empty = |target| Batch {
        workspace: workspace.to_owned(),
        target,
        packages: Vec::new(),
        variants: Vec::new(),
    };
    let mut all = TARGETS.map(empty);
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().context("a package without a name")?;
        let needs_c = &package["metadata"]["firmware"]["needs-c"];
        let compiler = if *needs_c == "rv32" {
            RV32_C_COMPILER
        } else {
            C_COMPILER
        };
        if (*needs_c == true || *needs_c == "rv32")
            && let Err(error) = ensure(compiler)
        {
            say(&format!("firmware: {name} is skipped: {error:#}"));
            continue;
        }
        let targets = targets(package).with_context(|| format!("firmware package {name}"))?;
        for batch in all.iter_mut().filter(|batch| targets.contains(&batch.target)) {
            batch.packages.push(name.to_owned());
            if batch.target == TARGET {
                batch.variants.extend(variants(package));
            }
        }
    }
    Ok(all
        .into_iter()
        .filter(|batch| !batch.packages.is_empty())
        .collect())
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

fn variants(package: &Value) -> Vec<Variant> {
    let wanted = &package["metadata"]["firmware"]["variants"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let profiles = wanted["profiles"].as_array().into_iter().flatten();
    let variant = |profile| Variant {
        program: text(&wanted["program"]),
        profile: text(profile),
        rustflags: text(&wanted["rustflags"][text(profile)]),
    };
    profiles.map(variant).collect()
}

/// One workspace per kernel of the group `tasks/`: a program can have only one `cortex-m-rt`, and the kernels need different ones.
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

/// Builds packages in release mode and returns their programs.
fn build_batch(cross: Cross, batch: &Batch, build: &Path) -> Result<Vec<PathBuf>> {
    let mut command = release(cross, &batch.workspace, build);
    command.args(["--target", batch.target]);
    command.args(batch.packages.iter().flat_map(|package| ["-p", package]));
    add_exclusives(cross, batch.target, &mut command);
    let name = batch.workspace.file_name().unwrap_or_default().to_string_lossy();
    let log = build.join(format!("{name}-{}.log", batch.target));
    Ok(executables(&output_logged(&mut command, &log)?).collect())
}

/// Builds a variant and returns the collected program.
fn build_variant(cross: Cross, batch: &Batch, variant: &Variant, build: &Path) -> Result<PathBuf> {
    let mut command = cargo_build(cross, &batch.workspace, build, &variant.profile);
    command.args(["--target", batch.target, "--bin", &variant.program]);
    add_exclusives(cross, batch.target, &mut command);
    if !variant.rustflags.is_empty() {
        add_rustflags(&mut command, &variant.rustflags);
    }
    let name = format!("{}-{}", variant.program, variant.profile);
    let messages = output_logged(&mut command, &build.join(format!("{name}.log")))?;
    let built = executables(&messages).next();
    collect_as(
        &built.with_context(|| format!("cargo built no {name}"))?,
        &name,
        batch.target,
    )
}

/// Builds a workspace in release mode and returns the programs that cargo left in `target`.
///
/// A `handlers.csv` next to it may assign LLVM attributes to named functions.
///
/// # Errors
/// If the compilation fails.
pub fn build_workspace(cross: Cross, workspace: &Path, target: &Path) -> Result<Vec<PathBuf>> {
    build_workspace_for(cross, workspace, TARGET, &[], target)
}

/// As [`build_workspace`], for another target, with further cargo arguments, into `build`.
///
/// # Errors
/// If the compilation fails.
pub fn build_workspace_for(
    cross: Cross,
    workspace: &Path,
    target: &str,
    more: &[&str],
    build: &Path,
) -> Result<Vec<PathBuf>> {
    let mut command = release(cross, workspace, build);
    command.args(["--target", target]).args(more);
    add_exclusives(cross, target, &mut command);
    let attributes = workspace.with_file_name("handlers.csv");
    if attributes.exists() {
        add_rustflags(
            &mut command,
            &format!("-Cllvm-args=-forceattrs-csv-path={}", attributes.display()),
        );
    }
    let name = workspace.file_name().unwrap_or_default().to_string_lossy();
    let messages = output_logged(&mut command, &build.join(format!("{name}.log")))?;
    Ok(executables(&messages).collect())
}

/// A cargo command that builds a workspace in release mode into `build`.
fn release(cross: Cross, workspace: &Path, build: &Path) -> Command {
    cargo_build(cross, workspace, build, "release")
}

/// A cargo command that builds a workspace with a profile into `build`.
fn cargo_build(cross: Cross, workspace: &Path, build: &Path, profile: &str) -> Command {
    let mut command = cross.cargo_build();
    command
        .args(["--locked", "--message-format=json-render-diagnostics"])
        .args(["--profile", profile])
        // Debug information of build scripts takes gigabytes and is never used.
        .args(["--config", "profile.release.build-override.debug=false"])
        .arg("--target-dir")
        .arg(build)
        .current_dir(workspace)
        .env("RUSTC_WRAPPER", root().join("xtask/steady-rustc"))
        .stdin(Stdio::null());
    command
}

/// Tells heapless that the target has LDREX. It probes by compiling for the target, which fails with Debian's cargo.
fn add_exclusives(cross: Cross, target: &str, command: &mut Command) {
    if cross == Cross::Debian && target.starts_with("thumbv7") {
        add_rustflags(command, "--cfg arm_llsc");
    }
}

/// Appends to the command's RUSTFLAGS, set or inherited.
fn add_rustflags(command: &mut Command, flags: &str) {
    let own = command.get_envs().find(|(name, _)| *name == "RUSTFLAGS");
    let present = match own {
        Some((_, value)) => value.map(|value| value.to_string_lossy().into_owned()),
        None => env::var("RUSTFLAGS").ok(),
    };
    command.env("RUSTFLAGS", format!("{} {flags}", present.unwrap_or_default()));
}

/// The built program `name`, for tests. The first call in a process builds the whole firmware.
///
/// # Errors
/// If the firmware cannot be built, or has no such program.
pub fn program(name: &str) -> Result<PathBuf> {
    program_for(name, TARGET)
}

/// As [`program`], for another target.
///
/// # Errors
/// As [`program`].
pub fn program_for(name: &str, target: &str) -> Result<PathBuf> {
    static BUILT: OnceLock<std::result::Result<Vec<PathBuf>, String>> = OnceLock::new();
    let programs = BUILT.get_or_init(|| build().map_err(|error| format!("{error:#}")));
    let programs = programs.as_ref().map_err(|error| anyhow!("{error}"))?;
    let wanted = place(name, target);
    programs
        .iter()
        .find(|path| **path == wanted)
        .cloned()
        .with_context(|| format!("no program named {name} for {target}"))
}

/// The path of a target's program after it was built.
pub fn place(name: &str, target: &str) -> PathBuf {
    folder_of(target).join(format!("{name}.elf"))
}

fn executables(messages: &str) -> impl Iterator<Item = PathBuf> + '_ {
    let parsed = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    parsed.filter_map(|message| message["executable"].as_str().map(PathBuf::from))
}

/// Copies a built program to the target's folder.
fn collect(built: &Path, target: &str) -> Result<PathBuf> {
    let name = built.file_name().context("cargo named no file")?;
    collect_as(built, &name.to_string_lossy(), target)
}

/// As [`collect`], under another name. The copy is atomic, and skipped if the file is already there.
fn collect_as(built: &Path, name: &str, target: &str) -> Result<PathBuf> {
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
