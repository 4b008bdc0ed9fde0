//! Everything that must hold before a change goes in.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::cross::TARGETS;
use crate::packages::{ORACLE, PEERS, ensure};
use crate::shell::{cargo, find, output, output_logged, run, say, succeeds};
use crate::{firmware, models, prices, root, rtl, target_dir, timing};

/// The workspace member that needs the instruction oracle to compile at all.
const ORACLE_CRATE: &str = "differential";

/// How a check ended that did not fail: what it left out.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// What could not be done since this machine lacks something, and what. In CI that is a failure.
    skipped: Vec<String>,
    /// What needs something that no package registry has, and so is done only where somebody brings it.
    opt_in: Vec<String>,
}

impl Outcome {
    /// What was left out, in words; empty if nothing was.
    pub fn left_out(&self) -> String {
        let all = self.skipped.iter().chain(&self.opt_in);
        all.flat_map(|what| [", but for ", what.as_str()]).collect()
    }

    /// Everything was done but this.
    pub(crate) fn skipped(why: impl Into<String>) -> Outcome {
        Outcome {
            skipped: vec![why.into()],
            ..Outcome::default()
        }
    }

    /// Everything was done but this, which is not for every machine.
    pub(crate) fn opt_in(what: impl Into<String>) -> Outcome {
        Outcome {
            opt_in: vec![what.into()],
            ..Outcome::default()
        }
    }

    /// What this and another one left out.
    #[must_use]
    pub(crate) fn and(mut self, other: Outcome) -> Outcome {
        self.skipped.extend(other.skipped);
        self.opt_in.extend(other.opt_in);
        self
    }

    /// What a test left out, by the lines that it added to the tally.
    fn of_tally(tally: &str) -> Outcome {
        let lines = |kind| {
            let mut lines: Vec<String> = tally
                .lines()
                .filter_map(|line| line.strip_prefix(kind))
                .map(str::to_owned)
                .collect();
            lines.sort();
            lines.dedup();
            lines
        };
        Outcome {
            skipped: lines(skipped::SKIPPED),
            opt_in: lines(skipped::OPT_IN),
        }
    }
}

type Check = (&'static str, fn() -> Result<Outcome>);

/// What every change must pass, and is soon known.
const TEST: &[Check] = &[
    ("format", format),
    ("lints", lints),
    ("price list up to date", prices::check),
    // Last, so that what cargo says of the tests stands at the end.
    ("tests", tests),
];

/// What takes longer, and seldom finds what the others do not.
const CI: &[Check] = &[
    ("firmware lints", firmware_lints),
    ("timing programs", || timing::check().map(passed)),
    ("installation", installation),
    ("RV32 prices on the Verilog", rtl::check),
    ("models", models::check),
    ("licences, advisories, sources", dependencies),
];

fn passed((): ()) -> Outcome {
    Outcome::default()
}

/// Runs what every change must pass, each check also after one has failed, and ends with a summary.
///
/// # Errors
/// When a check failed; where `CI` is `true`, also when something was skipped.
pub fn test() -> Result<()> {
    run_all(TEST, in_ci())
}

/// Runs the checks that take longer, as [`test`] runs the others.
///
/// # Errors
/// As [`test`].
pub fn ci() -> Result<()> {
    run_all(CI, in_ci())
}

/// Whether somebody relies on every check having been done. CI systems say so by this variable.
fn in_ci() -> bool {
    env::var("CI").is_ok_and(|value| value == "true")
}

fn run_all(checks: &[Check], in_ci: bool) -> Result<()> {
    let mut summary = Summary::default();
    for (name, check) in checks {
        say(&format!("\n== {name}"));
        let start = Instant::now();
        let outcome = check();
        summary.add(name, &outcome, start.elapsed());
    }
    say(&summary.text());
    summary.verdict(in_ci)
}

/// What became of the checks.
#[derive(Default)]
struct Summary {
    lines: String,
    failed: usize,
    skipped: usize,
    opt_in: usize,
}

impl Summary {
    fn add(&mut self, name: &str, outcome: &Result<Outcome>, took: Duration) {
        let seconds = took.as_secs();
        let mut line = |word: &str, what: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(self.lines, "  {word:<8} {seconds:>4} s  {name}{what}");
        };
        match outcome {
            Err(error) => {
                self.failed += 1;
                line("FAILED", &format!(": {error:#}"));
            }
            Ok(Outcome { skipped, opt_in }) => {
                self.skipped += skipped.len();
                self.opt_in += opt_in.len();
                if skipped.is_empty() {
                    line("ok", "");
                }
                for why in skipped {
                    line("skipped", &format!(": {why}"));
                }
                for what in opt_in {
                    line("opt-in", &format!(": {what}"));
                }
            }
        }
    }

    fn text(&self) -> String {
        let Summary {
            lines,
            failed,
            skipped,
            opt_in,
        } = self;
        format!("\nsummary\n{lines}  {failed} failed, {skipped} skipped, {opt_in} opt-in")
    }

    fn verdict(&self, in_ci: bool) -> Result<()> {
        match (self.failed, self.skipped) {
            (0, skipped) if in_ci && skipped > 0 => bail!(
                "{skipped} skipped: where CI is `true`, every check has to be done; `./x test` installs what it can"
            ),
            (0, _) => Ok(()),
            (1, _) => bail!("one check failed"),
            (several, _) => bail!("{several} checks failed"),
        }
    }
}

fn format() -> Result<Outcome> {
    run(cargo().args(["fmt", "--all", "--check"]))?;
    for workspace in firmware::WORKSPACES {
        run(cargo()
            .args(["fmt", "--all", "--check"])
            .current_dir(root().join(workspace)))?;
    }
    Ok(Outcome::default())
}

fn lints() -> Result<Outcome> {
    let (scope, left_out) = scope();
    run(cargo()
        .arg("clippy")
        .args(scope)
        .args(["--all-targets", "--locked", "--", "-D", "warnings"]))?;
    Ok(left_out)
}

/// The firmware is linted with the host's clippy for its own targets, where rustup has them.
fn firmware_lints() -> Result<Outcome> {
    if !crate::cross::has_targets() {
        return Ok(Outcome::opt_in(
            "clippy for the chips' targets, which rustup has: `rustup target add`",
        ));
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
        None => Ok(Outcome::default()),
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
    let (scope, left_out) = scope();
    let tally = target_dir().join("skipped.txt");
    fs::write(&tally, "").with_context(|| format!("cannot write {}", tally.display()))?;
    let mut tests = cargo();
    tests
        .arg("test")
        .args(&scope)
        .args(["--locked", "--no-fail-fast"])
        .env(skipped::TALLY, &tally);
    match ensure(PEERS) {
        // A test that would be skipped all the same fails.
        Ok(()) => _ = tests.env(skipped::NO_SKIPS, "1"),
        Err(error) => say(&format!("some comparisons will be skipped: {error:#}")),
    }
    run(&mut tests)?;
    let tally = fs::read_to_string(&tally).with_context(|| format!("cannot read {}", tally.display()))?;
    Ok(left_out.and(Outcome::of_tally(&tally)))
}

/// The arguments that choose the workspace members: all, or all but the one whose oracle cannot be built, which is then left out.
fn scope() -> (Vec<&'static str>, Outcome) {
    match ensure(ORACLE) {
        Ok(()) => (vec!["--workspace"], Outcome::default()),
        Err(error) => {
            let why = format!("{ORACLE_CRATE}: {error:#}");
            (
                vec!["--workspace", "--exclude", ORACLE_CRATE],
                Outcome::skipped(why),
            )
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
    Ok(Outcome::default())
}

/// The advisories come from a database that is fetched; without a network the other three checks still count.
fn dependencies() -> Result<Outcome> {
    let Some(deny) = tool("cargo-deny", &[]) else {
        return Ok(Outcome::skipped("cargo-deny could not be installed"));
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
        return Ok(Outcome::opt_in(
            "advisories, whose database is a repository that cannot be fetched here",
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

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(outcomes: [Result<Outcome>; 3]) -> Summary {
        let mut summary = Summary::default();
        for (name, outcome) in ["one", "two", "three"].into_iter().zip(outcomes) {
            summary.add(name, &outcome, Duration::from_secs(7));
        }
        summary
    }

    #[test]
    fn what_is_skipped_is_counted_and_fails_in_ci() {
        let tally = "skipped: no gdb\nopt-in: a core's Verilog\nskipped: no gdb\nskipped: no qemu\n";
        let left_out = Outcome::of_tally(tally).and(Outcome::skipped("no oracle"));
        let summary = summary([Ok(Outcome::default()), Ok(left_out), Ok(Outcome::default())]);
        assert_eq!(
            summary.text(),
            "\nsummary\n  ok          7 s  one\n  skipped     7 s  two: no gdb\n  skipped     7 s  two: no qemu\n\
             \x20 skipped     7 s  two: no oracle\n  opt-in      7 s  two: a core's Verilog\n  ok          7 s  three\n\
             \x20 0 failed, 3 skipped, 1 opt-in"
        );
        assert!(summary.verdict(false).is_ok());
        assert!(
            summary
                .verdict(true)
                .unwrap_err()
                .to_string()
                .starts_with("3 skipped")
        );
    }

    #[test]
    fn what_somebody_has_to_bring_is_named_and_no_failure() {
        let opt_in = || Ok(Outcome::opt_in("a repository"));
        let named = summary([opt_in(), opt_in(), Ok(Outcome::default())]);
        assert!(named.text().ends_with("0 failed, 0 skipped, 2 opt-in"));
        assert!(named.verdict(true).is_ok());
        let failed = summary([
            opt_in(),
            Err(anyhow::anyhow!("no")),
            Ok(Outcome::skipped("no gdb")),
        ]);
        assert!(failed.verdict(false).is_err() && failed.text().contains("FAILED      7 s  two: no"));
    }
}
