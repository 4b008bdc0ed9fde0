//! Everything that must hold before a change goes in.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::cross::TARGETS;
use crate::packages::{ORACLE, PEERS, ensure};
use crate::shell::{cargo, find, output, output_logged, run, say, succeeds};
use crate::{firmware, models, prices, root, rtl, speed, timing};

/// The workspace member that needs the instruction oracle to compile at all.
const ORACLE_CRATE: &str = "differential";

/// How a check ended, when it did not fail.
enum Outcome {
    Passed,
    /// Could not be done on this machine: why.
    Skipped(String),
}

type Check = (&'static str, fn() -> Result<Outcome>);

const CHECKS: &[Check] = &[
    ("format", format),
    ("lints", lints),
    ("firmware lints", firmware_lints),
    ("timing programs", || timing::check().map(passed)),
    ("price list up to date", || {
        prices::check().map(|skipped| skipped.map_or(Outcome::Passed, Outcome::Skipped))
    }),
    ("installation", installation),
    ("RV32 prices on the Verilog", || {
        rtl::check().map(|skipped| skipped.map_or(Outcome::Passed, Outcome::Skipped))
    }),
    ("models", || {
        models::check().map(|skipped| skipped.map_or(Outcome::Passed, Outcome::Skipped))
    }),
    ("licences, advisories, sources", dependencies),
    // Last, so that what cargo says of the tests stands at the end.
    ("tests", tests),
];

const fn passed((): ()) -> Outcome {
    Outcome::Passed
}

/// Runs every check, also after one has failed, and ends with a summary.
///
/// # Errors
/// When a check failed.
pub fn test() -> Result<()> {
    run_all(CHECKS)
}

/// What a change must pass: [`test`], then the speed against its floor.
///
/// # Errors
/// When something did not pass.
pub fn ci() -> Result<()> {
    test()?;
    run_all(&[("speed", || speed::check().map(passed))])
}

fn run_all(checks: &[Check]) -> Result<()> {
    let mut summary = String::from("\nsummary\n");
    let mut failed = 0;
    for (name, check) in checks {
        say(&format!("\n== {name}"));
        let start = Instant::now();
        let outcome = check();
        failed += usize::from(outcome.is_err());
        summary += &line(name, &outcome, start.elapsed());
    }
    say(&summary);
    match failed {
        0 => Ok(()),
        1 => bail!("one check failed"),
        several => bail!("{several} checks failed"),
    }
}

fn line(name: &str, outcome: &Result<Outcome>, took: Duration) -> String {
    let seconds = took.as_secs();
    match outcome {
        Ok(Outcome::Passed) => format!("  ok       {seconds:>4} s  {name}\n"),
        Ok(Outcome::Skipped(why)) => format!("  skipped  {seconds:>4} s  {name}: {why}\n"),
        Err(error) => format!("  FAILED   {seconds:>4} s  {name}: {error:#}\n"),
    }
}

fn format() -> Result<Outcome> {
    run(cargo().args(["fmt", "--all", "--check"]))?;
    for workspace in firmware::WORKSPACES {
        run(cargo()
            .args(["fmt", "--all", "--check"])
            .current_dir(root().join(workspace)))?;
    }
    Ok(Outcome::Passed)
}

fn lints() -> Result<Outcome> {
    let scope = scope();
    run(cargo()
        .arg("clippy")
        .args(scope)
        .args(["--all-targets", "--locked", "--", "-D", "warnings"]))
    .map(passed)
}

/// The firmware is linted with the host's clippy for its own targets, where those are installed.
fn firmware_lints() -> Result<Outcome> {
    if !crate::cross::has_targets() {
        return Ok(Outcome::Skipped("clippy needs rustup's targets".into()));
    }
    let folder = firmware::folder().join("clippy");
    say(&format!(
        "what cargo says goes to {}/*.log, and here when a batch fails",
        folder.display()
    ));
    let mut failed = Vec::new();
    for (number, batch) in firmware::batches()?.into_iter().enumerate() {
        let mut clippy = cargo();
        clippy
            .current_dir(&batch.workspace)
            .args(["--quiet", "clippy", "--release", "--locked"]);
        clippy.arg("--target-dir").arg(&folder);
        clippy.args(["--target", batch.target]);
        clippy.args(batch.packages.iter().flat_map(|package| ["-p", package]));
        clippy.args(["--", "-D", "warnings"]);
        let log = folder.join(format!("{number}.log"));
        // The others are looked at all the same.
        failed.extend(output_logged(&mut clippy, &log).err());
    }
    for target in TARGETS {
        let log = folder.join(format!("kernel-{target}.log"));
        failed.extend(output_logged(&mut kernel_lint(target, &folder), &log).err());
    }
    match failed.into_iter().next() {
        None => Ok(Outcome::Passed),
        Some(error) => Err(error),
    }
}

/// The kernel is a dependency of the firmware by its path, which clippy does not look at there; and most of it is compiled for
/// these targets alone.
fn kernel_lint(target: &str, folder: &Path) -> Command {
    let mut clippy = cargo();
    clippy.args(["--quiet", "clippy", "--locked", "--target", target]);
    clippy.arg("--target-dir").arg(folder);
    clippy.args(["-p", "mainspring-core", "-p", "mainspring"]);
    clippy.args(["--features", "mainspring/embassy-time,mainspring/defmt"]);
    if target.starts_with("thumb") {
        clippy.args(["-p", "mainspring-cmsis"]);
    }
    clippy.args(["--", "-D", "warnings"]);
    clippy
}

fn tests() -> Result<Outcome> {
    firmware::build()?;
    let scope = scope();
    let mut tests = cargo();
    tests
        .arg("test")
        .args(&scope)
        .args(["--locked", "--no-fail-fast"]);
    match ensure(PEERS) {
        // A test that would be skipped all the same fails.
        Ok(()) => _ = tests.env(skipped::NO_SKIPS, "1"),
        Err(error) => say(&format!("some comparisons will be skipped: {error:#}")),
    }
    run(&mut tests)?;
    match scope.len() {
        1 => Ok(Outcome::Passed),
        _ => Ok(Outcome::Skipped(format!(
            "{ORACLE_CRATE} (its oracle cannot be built here); all others passed"
        ))),
    }
}

/// The arguments that choose the workspace members: all, or all but the one whose oracle cannot be built.
fn scope() -> Vec<&'static str> {
    match ensure(ORACLE) {
        Ok(()) => vec!["--workspace"],
        Err(error) => {
            say(&format!("{ORACLE_CRATE} is skipped: {error:#}"));
            vec!["--workspace", "--exclude", ORACLE_CRATE]
        }
    }
}

/// `cargo install --path measure/cli`, with what the price list has built, and what it installs.
fn installation() -> Result<Outcome> {
    let installed = root().join("target/installed");
    let mut install = cargo();
    install.args(["install", "--locked", "--path", "measure/cli", "--root"]);
    let log = root().join("target/installed.log");
    output_logged(install.current_dir(root()).arg(&installed), &log)?;
    let programs = installed.join("bin");
    let boards = output(Command::new(programs.join("cyclescope")).arg("boards"))?;
    let version = output(Command::new(programs.join("cargo-cyclescope")).args(["cyclescope", "--version"]))?;
    if !boards.contains("stm32f100rb") || !version.contains(env!("CARGO_PKG_VERSION")) {
        bail!("what was installed says of its boards:\n{boards}\nand of its version: {version}");
    }
    Ok(Outcome::Passed)
}

/// The advisories come from a database that is fetched; without a network the other three checks still count.
fn dependencies() -> Result<Outcome> {
    let Some(deny) = tool("cargo-deny", &[]) else {
        return Ok(Outcome::Skipped("cargo-deny could not be installed".into()));
    };
    let check = |what: &[&str]| {
        let mut command = Command::new(&deny);
        command
            .current_dir(root())
            .args(["--log-level", "warn", "check"])
            .args(what);
        command
    };
    run(&mut check(&["bans", "licenses", "sources"]))?;
    if !succeeds(Command::new(&deny).current_dir(root()).args(["fetch", "db"])) {
        return Ok(Outcome::Skipped(
            "advisories (their database cannot be fetched); the rest passed".into(),
        ));
    }
    run(&mut check(&["--disable-fetch", "advisories"])).map(passed)
}

/// Finds a program of a package of that name, or installs it under `target/`, which takes some minutes the first time.
pub(crate) fn tool(package: &str, options: &[&str]) -> Option<PathBuf> {
    let tools = root().join("target/tools");
    let installed = tools.join("bin").join(package);
    if let Some(found) = find(package).or_else(|| installed.is_file().then(|| installed.clone())) {
        return Some(found);
    }
    say(&format!(
        "installing {package} under target/tools (some minutes, once)"
    ));
    install(&tools, package, options).ok().map(|()| installed)
}

/// Built to be there soon, and not to be fast: its own profile optimises across all of its two hundred crates at once.
const SOON: [(&str, &str); 4] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "none"),
];

fn install(folder: &Path, package: &str, options: &[&str]) -> Result<()> {
    let mut install = cargo();
    install.args(["install", "--quiet", "--locked", "--root"]);
    output(install.arg(folder).arg(package).args(options).envs(SOON)).map(drop)
}
