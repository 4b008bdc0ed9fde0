//! The checks that must pass before a change is merged.

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
use crate::{firmware, models, prices, root, rtl, target_dir, timing, webassembly};

/// The workspace member that does not compile without the instruction oracle.
const ORACLE_CRATE: &str = "differential";

/// The outcome of a check that passed: what it had to leave out.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Parts that this machine cannot run, with what is missing. In CI that is a failure.
    skipped: Vec<String>,
    /// Parts that need something no package registry has; they run only where it is provided.
    opt_in: Vec<String>,
}

impl Outcome {
    /// What was left out, in words; empty if nothing was.
    pub fn left_out(&self) -> String {
        let all = self.skipped.iter().chain(&self.opt_in);
        all.flat_map(|what| [", but for ", what.as_str()]).collect()
    }

    /// A check that ran except for one part.
    pub(crate) fn skipped(why: impl Into<String>) -> Outcome {
        Outcome {
            skipped: vec![why.into()],
            ..Outcome::default()
        }
    }

    /// A check that ran except for an opt-in part.
    pub(crate) fn opt_in(what: impl Into<String>) -> Outcome {
        Outcome {
            opt_in: vec![what.into()],
            ..Outcome::default()
        }
    }

    /// Combines what both left out.
    #[must_use]
    pub(crate) fn and(mut self, other: Outcome) -> Outcome {
        self.skipped.extend(other.skipped);
        self.opt_in.extend(other.opt_in);
        self
    }

    /// Parses the lines that tests added to the tally of skipped parts.
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

/// Fast checks that every change must pass.
const TEST: &[Check] = &[
    ("format", format),
    ("lints", lints),
    ("price list up to date", prices::check),
    // Last, so that the test results end the output.
    ("tests", tests),
];

/// Slow checks that rarely find what the fast ones do not.
const CI: &[Check] = &[
    ("firmware lints", firmware_lints),
    ("timing programs", || timing::check().map(passed)),
    ("installation", installation),
    ("WebAssembly", webassembly::check),
    ("RV32 prices on the Verilog", rtl::check),
    ("models", models::check),
    ("licences, advisories, sources", dependencies),
];

fn passed((): ()) -> Outcome {
    Outcome::default()
}

/// Runs the fast checks, all of them even if one fails, and prints a summary.
///
/// # Errors
/// If a check failed, or something was skipped while `CI` is `true`.
pub fn test() -> Result<()> {
    run_all(TEST, in_ci())
}

/// Runs the slow checks in the same way as [`test`].
///
/// # Errors
/// As [`test`].
pub fn ci() -> Result<()> {
    run_all(CI, in_ci())
}

/// Whether skipped checks count as failures. CI systems set this variable.
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

/// The outcomes of the checks.
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

/// Lints the firmware with the host's clippy for each firmware target, if rustup has the targets.
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
        // Continue with the other workspaces after a failure.
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

/// Lints the kernel for a firmware target. Clippy does not lint path dependencies from the firmware's workspace, and most of the kernel
/// compiles for these targets only.
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
        // A test that skips anything fails here.
        Ok(()) => _ = tests.env(skipped::NO_SKIPS, "1"),
        Err(error) => say(&format!("some comparisons will be skipped: {error:#}")),
    }
    run(&mut tests)?;
    let tally = fs::read_to_string(&tally).with_context(|| format!("cannot read {}", tally.display()))?;
    Ok(left_out.and(Outcome::of_tally(&tally)))
}

/// The cargo arguments that select the workspace members: all, or all but the one whose oracle cannot be built.
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

/// Tests `cargo install --path measure/cli`, with the price list's profile, and the installed programs.
fn installation() -> Result<Outcome> {
    let installed = root().join("target/installed");
    let mut install = cargo();
    install.args(["install", "--locked", "--path", "measure/cli", "--root"]);
    let log = root().join("target/installed.log");
    output_logged(install.current_dir(root()).arg(&installed), &log)?;
    let programs = installed.join("bin");
    let boards = output(Command::new(programs.join("cyclescope")).args(["list", "boards"]))?;
    let version = output(Command::new(programs.join("cargo-cyclescope")).args(["cyclescope", "--version"]))?;
    if !boards.contains("stm32f100rb") || !version.contains(env!("CARGO_PKG_VERSION")) {
        bail!("what was installed says of its boards:\n{boards}\nand of its version: {version}");
    }
    Ok(Outcome::default())
}

/// Runs cargo-deny. The advisories need a database from the network; without a network the other three checks still run.
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

/// Finds a program from the package of the same name, or installs it under `target/`, which takes minutes the first time.
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

/// Settings for a fast build of the tool: its own profile optimises across all of its two hundred crates.
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
