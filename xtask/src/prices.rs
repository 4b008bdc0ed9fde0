//! The price list: build the simulator and the firmware, run what the specs under `firmware/prices` name.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::cross::{Cross, TARGET};
use crate::packages::{C_COMPILER, RV32_C_COMPILER, announce};
use crate::shell::{cargo, output, output_logged, run, say};
use crate::{archive, firmware, root, target_dir};

/// Where the specs are, and the programs, from the top of a checkout and of an archive of programs.
pub(crate) const SPECS: &str = "firmware/prices";
pub(crate) const PROGRAMS: &str = "target/firmware";

/// Where the pages of the groups are, beside the price list.
const CHAPTERS: &str = "prices";

/// The spec whose table ends the list, and the package that has its programs.
const LAST: &str = "rtfm.toml";
const STUDY_PACKAGE: &str = "rtfm";

/// Where its part of the page begins.
const STUDY: &str = "\n# rtfm\n";

/// The price list as a visitor of the repository reads it.
fn document() -> PathBuf {
    root().join("docs/PRICES.md")
}

/// What others published beside what is measured here.
fn ledger() -> PathBuf {
    root().join("docs/checks.md")
}

/// Builds the simulator, optimised, and returns the program.
///
/// # Errors
/// When it does not compile.
pub fn simulator() -> Result<PathBuf> {
    built("release")
}

/// Builds the simulator by a profile of `Cargo.toml`, and returns the program.
fn built(profile: &str) -> Result<PathBuf> {
    let log = target_dir().join("simulator.log");
    say(&format!(
        "simulator: building; what cargo says goes to {}",
        log.display()
    ));
    let mut build = cargo();
    build.args([
        "build",
        "--profile",
        profile,
        "--locked",
        "-p",
        "cyclescope",
        "--bin",
        "cyclescope",
    ]);
    output_logged(&mut build, &log)?;
    Ok(target_dir().join(profile).join("cyclescope"))
}

/// Measures every price, shows the study's, which are there first, and a line for each group, and writes `docs/PRICES.md`,
/// `docs/checks.md` and `target/prices.json`.
///
/// # Errors
/// When something does not build, run, or keep its limit.
pub fn measure() -> Result<()> {
    let began = Instant::now();
    announce(&[C_COMPILER, RV32_C_COMPILER].concat());
    // Whoever has nothing yet waits for the compiler, not for a run of seconds.
    let simulator = built("prices")?;
    firmware::build_package(STUDY_PACKAGE, TARGET)?;
    let mut first = Command::new(&simulator);
    first
        .current_dir(root())
        .arg("prices")
        .arg(Path::new(SPECS).join(LAST));
    run(first.arg("--firmware").arg(firmware::folder()))?;
    say(&format!(
        "that was the study's group, {}; now all others, whose programs take minutes to build",
        taken(began)
    ));
    firmware::build()?;
    let (json, page) = (root().join("target/prices.json"), document());
    let files = Files {
        json: json.clone(),
        page: page.clone(),
        ledger: ledger(),
    };
    run(command(&simulator, root(), &files)?.arg("--summary"))?;
    say(&format!(
        "all figures, {}: {} and {}",
        taken(began),
        page.display(),
        json.display()
    ));
    Ok(())
}

/// How long it took since then, and how much processor time where the system tells.
fn taken(began: Instant) -> String {
    let processor = fs::read_to_string("/proc/self/stat").ok();
    let processor = processor.as_deref().and_then(of_children);
    let processor = processor.map_or(String::new(), |seconds| {
        format!(", and {seconds} s of processor time")
    });
    format!("after {} s{processor}", began.elapsed().as_secs())
}

/// Seconds that the processes which this one has waited for took, and those they waited for: fields 16 and 17 of `proc_pid_stat(5)`, in
/// hundredths.
fn of_children(stat: &str) -> Option<u64> {
    // The name, in parentheses, may have blanks.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(13);
    let ticks: u64 = fields.next()?.parse().ok()?;
    let more: u64 = fields.next()?.parse().ok()?;
    Some((ticks + more) / 100)
}

/// Runs the list, for its results alone.
///
/// # Errors
/// When something does not build or run.
pub(crate) fn results() -> Result<String> {
    announce(&[C_COMPILER, RV32_C_COMPILER].concat());
    let simulator = simulator()?;
    firmware::build()?;
    Ok(fresh(&simulator, root(), "archive")?.0)
}

/// Measures what others published, and writes `docs/checks.md`.
///
/// # Errors
/// When something does not build or run.
pub fn checks() -> Result<()> {
    announce(&[C_COMPILER, RV32_C_COMPILER].concat());
    let simulator = simulator()?;
    firmware::build()?;
    let mut prices = Command::new(&simulator);
    prices.current_dir(root()).arg("prices").args(published()?);
    prices.arg("--firmware").arg(firmware::folder());
    run(prices.arg("--summary").arg("--ledger").arg(ledger()))
}

/// The specs that have a published figure, or compare with the Verilog.
fn published() -> Result<Vec<PathBuf>> {
    let mut published = Vec::new();
    for spec in specs()? {
        let text = fs::read_to_string(root().join(&spec))?;
        if text.contains("published =") || text.contains("\nrtl =") {
            published.push(spec);
        }
    }
    Ok(published)
}

/// Measures every price with its timelines, and makes the page of them.
///
/// # Errors
/// When something does not build, run, or keep its limit.
pub fn report() -> Result<()> {
    let simulator = simulator()?;
    firmware::build()?;
    let json = root().join("target/report.json");
    let mut prices = Command::new(&simulator);
    prices.current_dir(root()).arg("prices").args(specs()?);
    prices.arg("--firmware").arg(firmware::folder());
    prices.args(["--timeline", "--json"]).arg(&json);
    output(&mut prices)?;
    let mut page = Command::new(&simulator);
    run(page
        .current_dir(root())
        .arg("report")
        .arg(&json)
        .args(["-o", "target/report.html"]))
}

/// Measures again and compares with `docs/PRICES.md`, which is left alone; then once more, for the same bytes.
///
/// What a compiler made of a kernel's source differs between compilers. The page is made with the oldest release that
/// the workspace builds with; where another one builds the firmware, only the group that is machine code from the
/// start is compared, and that is returned as what was skipped.
///
/// # Errors
/// When the document is not what a run gives, or two runs differ.
pub fn check() -> Result<Option<String>> {
    let simulator = simulator()?;
    let compiler = Cross::choose()?.compiler();
    firmware::build()?;
    let first = fresh(&simulator, root(), "first")?;
    // The second run has nothing but what the archive of programs holds.
    let archive = archive::pack(&first.0, "check")?;
    let second = fresh(&simulator, &archive, "second")?;
    if first != second {
        bail!("two runs of the price list differ: {first:#?} {second:#?}");
    }
    let [Some(page), Some(ledger)] = first.1 else {
        return Ok(Some(
            "the pages, as some programs cannot be built here".to_owned(),
        ));
    };
    let kept = pages(&document()).context("docs/PRICES.md is missing; run ./x prices")?;
    let kept_ledger =
        fs::read_to_string(self::ledger()).context("docs/checks.md is missing; run ./x checks")?;
    if kept == page && kept_ledger == ledger {
        return Ok(None);
    }
    let other_compiler = !compiler.starts_with(concat!("rustc ", env!("CARGO_PKG_RUST_VERSION"), "."));
    if other_compiler && !study(&kept).is_empty() && study(&kept) == study(&page) {
        return Ok(Some(format!(
            "the figures that depend on a compiler, which here is {compiler}"
        )));
    }
    if kept == page {
        bail!(
            "docs/checks.md is stale; run ./x checks and commit it; {}",
            first_difference(&kept_ledger, &ledger)
        );
    }
    bail!(
        "docs/PRICES.md is stale; run ./x prices and commit it; {}",
        first_difference(&kept, &page)
    );
}

/// Where two pages part, both sides, for who reads only the log of a failed check.
fn first_difference(kept: &str, page: &str) -> String {
    let pairs = kept.lines().zip(page.lines()).zip(1..);
    let mut differing = pairs.filter(|((old, new), _)| old != new);
    match differing.next() {
        Some(((old, new), line)) => {
            let others = differing.count();
            format!("line {line} ({others} others differ):\n  kept      {old}\n  measured  {new}")
        }
        None => "one is the other's beginning".to_owned(),
    }
}

/// The part of the page that comes from published machine code.
fn study(page: &str) -> &str {
    let part = page.find(STUDY).map_or("", |start| &page[start + 1..]);
    part.find("\n# ").map_or(part, |end| &part[..end])
}

/// What a run of the list writes.
struct Files {
    json: PathBuf,
    page: PathBuf,
    ledger: PathBuf,
}

/// One run's JSON, and its pages, the price list and the ledger, unless the list is incomplete. `top` has specs and programs where a
/// checkout has them.
fn fresh(simulator: &Path, top: &Path, name: &str) -> Result<(String, [Option<String>; 2])> {
    let folder = root().join("target/prices-check").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    let files = Files {
        json: folder.join("prices.json"),
        page: folder.join("PRICES.md"),
        ledger: folder.join("checks.md"),
    };
    output(&mut command(simulator, top, &files)?)?;
    Ok((
        fs::read_to_string(&files.json)?,
        [pages(&files.page).ok(), fs::read_to_string(files.ledger).ok()],
    ))
}

/// The page, and behind it those that it leads to.
fn pages(page: &Path) -> Result<String> {
    let mut text = fs::read_to_string(page)?;
    let mut groups: Vec<PathBuf> = page
        .with_file_name(CHAPTERS)
        .read_dir()?
        .flatten()
        .map(|group| group.path())
        .collect();
    groups.sort();
    for group in groups {
        text.push('\n');
        text += &fs::read_to_string(group)?;
    }
    Ok(text)
}

fn command(simulator: &Path, top: &Path, files: &Files) -> Result<Command> {
    let mut command = Command::new(simulator);
    command.current_dir(top).arg("prices").args(specs()?);
    command
        .args(["--firmware", PROGRAMS, "--json"])
        .arg(&files.json)
        .arg("--markdown")
        .arg(&files.page)
        .arg("--ledger")
        .arg(&files.ledger);
    Ok(command)
}

/// The price specs in the order of their names, but the study last: what a run ends with is what its reader came for.
pub(crate) fn specs() -> Result<Vec<PathBuf>> {
    let folder = Path::new(SPECS);
    let entries = root()
        .join(folder)
        .read_dir()
        .context("cannot read firmware/prices")?;
    let mut specs: Vec<_> = entries
        .flatten()
        .map(|entry| folder.join(entry.file_name()))
        .filter(|file| file.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    specs.sort_by_key(|spec| (spec.ends_with(LAST), spec.clone()));
    Ok(specs)
}

#[cfg(test)]
mod tests {
    use super::of_children;

    #[test]
    fn the_time_of_what_was_waited_for_stands_behind_a_name_with_blanks() {
        let stat = "7 (x (1) y) S 3 4 5 6 7 8 9 10 11 12 13 14 250 150 18 19";
        assert_eq!(of_children(stat), Some(4));
        assert_eq!(of_children("7 (x) S 3"), None);
    }
}
