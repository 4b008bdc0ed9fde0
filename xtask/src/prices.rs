//! The price list: builds the simulator and the firmware, and runs the specs under `firmware/prices`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::checks::Outcome;
use crate::cross::{Cross, TARGET};
use crate::packages::{C_COMPILER, RV32_C_COMPILER, announce};
use crate::pages::{EVIDENCE, MEASUREMENTS, evidence_with, write_evidence};
use crate::shell::{cargo, output, output_logged, run, say};
use crate::{archive, firmware, root, target_dir};

/// Folder of the specs and programs, relative to the root of a checkout or archive.
pub(crate) const SPECS: &str = "firmware/prices";
pub(crate) const PROGRAMS: &str = "target/firmware";

/// Folder of the group pages, next to the price list.
const CHAPTERS: &str = "prices";

/// The spec at the end of the list, and the package with its programs.
const LAST: &str = "rtfm.toml";
const STUDY_PACKAGE: &str = "rtfm";

/// The page of that spec.
const STUDY: &str = "prices/rtfm.md";

/// The index page.
const INDEX: &str = "PRICES.md";

/// The price list's index page in the repository.
fn document() -> PathBuf {
    root().join("docs").join(INDEX)
}

/// Where a run leaves the page that compares published figures with ours, which becomes a part of `docs/evidence.md`.
fn ledger() -> PathBuf {
    target_dir().join("checks.md")
}

/// Makes a part of `docs/evidence.md` of the page that a run has left. A run without one of the programs leaves none.
fn keep_ledger() -> Result<()> {
    match fs::read_to_string(ledger()) {
        Ok(written) => write_evidence(MEASUREMENTS, &written),
        Err(_) => Ok(()),
    }
}

/// Builds the simulator in release mode and returns its path.
///
/// # Errors
/// If it does not compile.
pub fn simulator() -> Result<PathBuf> {
    built("release")
}

/// Builds the simulator with a profile of `Cargo.toml` and returns its path.
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

/// Measures every price and writes `docs/PRICES.md`, its part of `docs/evidence.md`, and `target/prices.json`. Prints the study's figures
/// first, then a line for each group.
///
/// # Errors
/// If a build or run fails, or a figure exceeds its limit.
pub fn measure() -> Result<()> {
    let began = Instant::now();
    announce(&[C_COMPILER, RV32_C_COMPILER].concat());
    // A fast-compiling profile: on a fresh checkout, compiling takes longer than the run.
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
    let _ = fs::remove_file(ledger());
    run(command(&simulator, root(), &files)?.arg("--summary"))?;
    keep_ledger()?;
    say(&format!(
        "all figures, {}: {} and {}",
        taken(began),
        page.display(),
        json.display()
    ));
    Ok(())
}

/// The elapsed time, and the processor time if the system reports it.
fn taken(began: Instant) -> String {
    let processor = fs::read_to_string("/proc/self/stat").ok();
    let processor = processor.as_deref().and_then(of_children);
    let processor = processor.map_or(String::new(), |seconds| {
        format!(", and {seconds} s of processor time")
    });
    format!("after {} s{processor}", began.elapsed().as_secs())
}

/// CPU time in seconds of this process's terminated children and their descendants: fields 16 and 17 of `proc_pid_stat(5)`, in
/// hundredths.
fn of_children(stat: &str) -> Option<u64> {
    // The name field, in parentheses, may contain blanks.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(13);
    let ticks: u64 = fields.next()?.parse().ok()?;
    let more: u64 = fields.next()?.parse().ok()?;
    Some((ticks + more) / 100)
}

/// Runs the list and returns its JSON results.
///
/// # Errors
/// If a build or run fails.
pub(crate) fn results() -> Result<String> {
    announce(&[C_COMPILER, RV32_C_COMPILER].concat());
    let simulator = simulator()?;
    firmware::build()?;
    Ok(fresh(&simulator, root(), "archive")?.0)
}

/// Measures the published figures and writes them into `docs/evidence.md`.
///
/// # Errors
/// If a build or run fails.
pub fn checks() -> Result<()> {
    announce(&[C_COMPILER, RV32_C_COMPILER].concat());
    let simulator = simulator()?;
    firmware::build()?;
    let mut prices = Command::new(&simulator);
    prices.current_dir(root()).arg("prices").args(published()?);
    prices.arg("--firmware").arg(firmware::folder());
    let _ = fs::remove_file(ledger());
    run(prices.arg("--summary").arg("--ledger").arg(ledger()))?;
    keep_ledger()
}

/// The specs that have a published figure or a comparison with the Verilog.
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

/// Measures every price with timelines and writes the HTML report.
///
/// # Errors
/// If a build or run fails, or a figure exceeds its limit.
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
    run(page.current_dir(root()).arg("report").arg(&json).args([
        "-o",
        "target/report.html",
        "--title",
        "The price list",
    ]))
}

/// Measures again and compares with `docs/PRICES.md` and its group pages, without changing them. A second run must give the same bytes. A
/// page that needs a program which cannot be built here is reported as skipped.
///
/// Kernels compile to different code with different compilers. The pages are made with the oldest release that the workspace builds with.
/// With another compiler, only the study's page has to be equal, since it is assembled from machine code.
///
/// # Errors
/// If a page differs from the run, or two runs differ.
pub fn check() -> Result<Outcome> {
    let simulator = simulator()?;
    let compiler = Cross::choose()?.compiler();
    firmware::build()?;
    let first = fresh(&simulator, root(), "first")?;
    // The second run uses only what the archive holds.
    let archive = archive::pack(&first.0, "check")?;
    let mut second = fresh(&simulator, &archive, "second")?;
    // Results name programs from the top of the checkout on, in which the archive lies.
    let inside = archive.strip_prefix(root()).unwrap_or(&archive);
    second.0 = second.0.replace(&format!("{}/", inside.display()), "");
    if first != second {
        let mut lines = first.0.lines().zip(second.0.lines());
        bail!(
            "two runs of the price list differ: {:#?}",
            lines.find(|(one, other)| one != other)
        );
    }
    let is_oldest = compiler.starts_with(concat!("rustc ", env!("CARGO_PKG_RUST_VERSION"), "."));
    compare(&kept(&first.1)?, &first.1, (!is_oldest).then_some(&*compiler))
}

/// Files by their paths in `docs`, with their texts.
type Pages = BTreeMap<String, String>;

/// Compares the kept pages with those of a run. `compiler` is set if it is not the one that made the kept pages.
fn compare(kept: &Pages, fresh: &Pages, compiler: Option<&str>) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    // The index needs all programs.
    let is_whole = fresh.contains_key(INDEX);
    for name in kept.keys().filter(|name| !fresh.contains_key(*name)) {
        if is_whole {
            bail!("docs/{name} is of no group any more");
        }
        let why = format!("docs/{name}, which needs a program that cannot be built here");
        outcome = outcome.and(Outcome::skipped(why));
    }
    let stale = fresh.iter().filter(|(name, page)| kept.get(*name) != Some(*page));
    for (name, page) in stale {
        let old = kept.get(name).map_or("", String::as_str);
        match compiler {
            Some(compiler) if *name != STUDY => {
                let what =
                    format!("docs/{name}, whose figures depend on a compiler, which here is {compiler}");
                outcome = outcome.and(Outcome::opt_in(what));
            }
            _ => bail!(
                "docs/{name} is stale; run ./x prices and commit it; {}",
                first_difference(old, page)
            ),
        }
    }
    Ok(outcome)
}

/// The first line in which two pages differ, from both sides, for the log of a failed check.
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

/// The files that a run of the list writes.
struct Files {
    json: PathBuf,
    page: PathBuf,
    ledger: PathBuf,
}

/// Runs the list from `top`, a checkout or archive, and returns its JSON and its pages, without those whose programs cannot be built.
fn fresh(simulator: &Path, top: &Path, name: &str) -> Result<(String, Pages)> {
    let folder = root().join("target/prices-check").join(name);
    let _ = fs::remove_dir_all(&folder);
    let docs = folder.join("docs");
    fs::create_dir_all(&docs)?;
    let files = Files {
        json: folder.join("prices.json"),
        page: docs.join(INDEX),
        ledger: folder.join("checks.md"),
    };
    output(&mut command(simulator, top, &files)?)?;
    let mut pages = Pages::new();
    read_below(&docs, &docs, &mut pages)?;
    if let Ok(written) = fs::read_to_string(&files.ledger) {
        pages.insert(EVIDENCE.to_owned(), evidence_with(MEASUREMENTS, &written)?);
    }
    Ok((fs::read_to_string(&files.json)?, pages))
}

/// Reads all files below a folder, by their paths relative to `top`.
fn read_below(top: &Path, folder: &Path, pages: &mut Pages) -> Result<()> {
    for entry in folder.read_dir()?.flatten() {
        let path = entry.path();
        if path.is_dir() {
            read_below(top, &path, pages)?;
        } else {
            let name = path.strip_prefix(top).unwrap_or(&path).display().to_string();
            pages.insert(name, fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

/// The kept versions of these pages, and all other kept pages of the list.
fn kept(fresh: &Pages) -> Result<Pages> {
    let docs = root().join("docs");
    let mut kept = Pages::new();
    read_below(&docs, &docs.join(CHAPTERS), &mut kept)?;
    let names = [INDEX, EVIDENCE].map(str::to_owned);
    for name in names.iter().chain(fresh.keys()) {
        if let Ok(text) = fs::read_to_string(docs.join(name)) {
            kept.insert(name.clone(), text);
        }
    }
    Ok(kept)
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

/// The specs sorted by name, with the study last, since readers look at the end of the output.
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
    use super::*;

    fn pages(pages: &[(&str, &str)]) -> Pages {
        pages
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    }

    const KEPT: [(&str, &str); 4] = [
        (INDEX, "i"),
        ("prices/a.md", "a"),
        ("prices/b.md", "b"),
        (STUDY, "s"),
    ];

    #[test]
    fn a_program_that_is_missing_leaves_out_its_pages_alone() {
        let kept = pages(&KEPT);
        let left = compare(&kept, &pages(&[("prices/b.md", "b"), (STUDY, "s")]), None)
            .unwrap()
            .left_out();
        assert!(
            left.contains("docs/PRICES.md") && left.contains("docs/prices/a.md"),
            "{left}"
        );
        assert!(!left.contains("b.md"), "{left}");
        let stale = compare(&kept, &pages(&[("prices/b.md", "c"), (STUDY, "s")]), None).unwrap_err();
        assert!(
            stale.to_string().starts_with("docs/prices/b.md is stale"),
            "{stale}"
        );
        assert_eq!(
            compare(&kept, &kept, Some("rustc 2")).unwrap(),
            Outcome::default()
        );
        let gone = compare(&kept, &pages(&KEPT[..3]), None).unwrap_err();
        assert!(gone.to_string().contains("of no group any more"), "{gone}");
    }

    #[test]
    fn another_compiler_may_change_all_pages_but_the_study_s() {
        let kept = pages(&KEPT);
        let mut fresh = kept.clone();
        fresh.insert("prices/a.md".to_owned(), "other".to_owned());
        let left = compare(&kept, &fresh, Some("rustc 2")).unwrap().left_out();
        assert!(
            left.contains("docs/prices/a.md") && left.contains("rustc 2"),
            "{left}"
        );
        assert!(compare(&kept, &fresh, None).is_err());
        fresh.insert(STUDY.to_owned(), "other".to_owned());
        assert!(compare(&kept, &fresh, Some("rustc 2")).is_err());
    }

    #[test]
    fn the_time_of_what_was_waited_for_stands_behind_a_name_with_blanks() {
        let stat = "7 (x (1) y) S 3 4 5 6 7 8 9 10 11 12 13 14 250 150 18 19";
        assert_eq!(of_children(stat), Some(4));
        assert_eq!(of_children("7 (x) S 3"), None);
    }
}
