//! Runs random instructions against each oracle: Unicorn, the Verilog, and our own cores' slow path.
//!
//! `docs/reliability.md` has the tally, with a row for each oracle and core. A run adds its counts, and those that earlier runs left in
//! `target/random`, unless their seed is already in the tally.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::packages::{RV32_C_COMPILER, VERILATOR, ensure};
use crate::shell::{cargo, run, say};
use crate::{root, target_dir};

/// Default number of instructions per oracle.
const INSTRUCTIONS: u64 = 10_000_000;

/// The tally in the page is between these markers.
const BEGIN: &str = "<!-- instructions -->\n";
const END: &str = "<!-- end of the instructions -->";

const HEAD: &str =
    "| oracle | core | seeds | programs | instructions | differing |\n|---|---|---|--:|--:|--:|\n";

/// A package's test, the number of cores that share its instructions, and whether ordinary test runs ignore it. 10⁹ instructions take 30
/// to 90 minutes of CPU time; docs/reliability.md has the rates.
struct Oracle {
    name: &'static str,
    package: &'static str,
    test: &'static str,
    filter: &'static str,
    cores: u64,
    is_left_out: bool,
}

const ORACLES: [Oracle; 5] = [
    Oracle {
        name: "careful",
        package: "differential",
        test: "engine",
        filter: "campaign::",
        cores: 2,
        is_left_out: true,
    },
    Oracle {
        name: "careful-rv32",
        package: "rtl-tests",
        test: "suite",
        filter: "careful::",
        cores: 13,
        is_left_out: true,
    },
    Oracle {
        name: "unicorn",
        package: "differential",
        test: "random",
        filter: "agree_with_unicorn",
        cores: 3,
        is_left_out: false,
    },
    Oracle {
        name: "unicorn-rv32",
        package: "differential",
        test: "rv32",
        filter: "agree_with_unicorn",
        cores: 1,
        is_left_out: false,
    },
    Oracle {
        name: "verilog",
        package: "rtl-tests",
        test: "suite",
        filter: "campaign::",
        cores: 10,
        is_left_out: true,
    },
];

/// `./x campaign random [INSTRUCTIONS [SEED [ORACLE]]]`
///
/// # Errors
/// If a tool is missing, or a result differs.
pub fn all(arguments: &[String]) -> Result<()> {
    let names = ORACLES.map(|oracle| oracle.name).join(", ");
    let number = |index: usize, otherwise: u64| match arguments.get(index) {
        Some(text) => text.parse().with_context(|| format!("`{text}` is no number")),
        None => Ok(otherwise),
    };
    let (instructions, seed) = (number(0, INSTRUCTIONS)?, number(1, 1)?);
    let only = arguments.get(2).map(String::as_str);
    let known = |name: &str| ORACLES.iter().any(|oracle| oracle.name == name);
    if arguments.len() > 3 || only.is_some_and(|only| !known(only)) {
        bail!("`./x campaign random [INSTRUCTIONS [SEED [ORACLE]]]`; the oracles are {names}");
    }
    let folder = target_dir().join("random");
    fs::create_dir_all(&folder)?;
    let chosen = ORACLES
        .iter()
        .filter(|oracle| only.is_none_or(|only| only == oracle.name));
    let ran: Vec<Result<()>> = chosen
        .map(|oracle| ask(oracle, instructions, seed, &folder))
        .collect();
    let table = write(&folder)?;
    say(&format!("{table}\nwritten to docs/reliability.md"));
    ran.into_iter().collect()
}

fn ask(oracle: &Oracle, instructions: u64, seed: u64, folder: &Path) -> Result<()> {
    say(&format!(
        "{}: {instructions} instructions, seed {seed}",
        oracle.name
    ));
    if oracle.name == "verilog" {
        ensure(VERILATOR)?;
        ensure(RV32_C_COMPILER)?;
    }
    let each = instructions.div_ceil(oracle.cores).to_string();
    let mut test = cargo();
    test.args(["test", "--quiet", "--release", "--locked", "-p", oracle.package]);
    test.args(["--test", oracle.test, oracle.filter, "--", "--nocapture"]);
    if oracle.is_left_out {
        test.arg("--ignored");
    }
    for variable in [
        "RANDOM_INSTRUCTIONS",
        "DIFFERENTIAL_INSTRUCTIONS",
        "RTL_INSTRUCTIONS",
    ] {
        test.env(variable, &each);
    }
    for variable in ["RANDOM_SEED", "DIFFERENTIAL_SEED", "RTL_SEED"] {
        test.env(variable, seed.to_string());
    }
    run(test.env("RANDOM_TALLY", folder)).context(oracle.name)
}

/// Counts of one oracle and core: seeds, programs, instructions, and differing instructions.
#[derive(Clone, Default, PartialEq, Debug)]
struct Counts {
    seeds: Vec<u64>,
    sums: [u64; 3],
}

type Tally = BTreeMap<(String, String), Counts>;

/// Adds a table row, unless it is not a row of counts or its seed was counted.
fn add(tally: &mut Tally, line: &str) {
    let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
    let &[oracle, core, seeds, programs, instructions, differing] = cells.as_slice() else {
        return;
    };
    let seeds: Vec<u64> = seeds.split(", ").flat_map(range).collect();
    let sums: Vec<u64> = [programs, instructions, differing]
        .iter()
        .flat_map(|cell| cell.replace(',', "").parse())
        .collect();
    let (false, &[programs, instructions, differing]) = (seeds.is_empty(), sums.as_slice()) else {
        return;
    };
    let counts = tally.entry((oracle.to_owned(), core.to_owned())).or_default();
    if seeds.iter().any(|seed| counts.seeds.contains(seed)) {
        return;
    }
    counts.seeds.extend(seeds);
    for (sum, more) in counts.sums.iter_mut().zip([programs, instructions, differing]) {
        *sum += more;
    }
}

/// Parses `7` or `3–5`.
pub(crate) fn range(text: &str) -> impl Iterator<Item = u64> {
    let (first, last) = text.split_once('–').unwrap_or((text, text));
    let ends = first.parse().ok().zip(last.parse().ok());
    ends.into_iter()
        .flat_map(|(first, last): (u64, u64)| first..=last)
}

/// Formats seeds: 1, 2, 3, 7 as `1–3`, `7`.
pub(crate) fn ranges(seeds: &[u64]) -> Vec<String> {
    let mut seeds = seeds.to_vec();
    seeds.sort_unstable();
    let runs = seeds.chunk_by(|a, b| a + 1 == *b);
    let ends = runs.filter_map(|run| run.first().zip(run.last()));
    ends.map(|(first, last)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}–{last}")
        }
    })
    .collect()
}

fn table(tally: &Tally) -> String {
    let mut text = HEAD.to_owned();
    let mut all: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    for ((oracle, core), counts) in tally {
        let sums = all.entry(oracle).or_default();
        *sums = std::array::from_fn(|at| sums[at] + counts.sums[at]);
        let seeds = ranges(&counts.seeds);
        let [programs, instructions, differing] = counts.sums.map(grouped);
        let _ = writeln!(
            text,
            "| {oracle} | {core} | {} | {programs} | {instructions} | {differing} |",
            seeds.join(", ")
        );
    }
    for (oracle, sums) in all {
        let [programs, instructions, differing] = sums.map(grouped);
        let _ = writeln!(
            text,
            "| **{oracle}** | all | | {programs} | {instructions} | {differing} |"
        );
    }
    text
}

/// Formats 1234567 as 1,234,567.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Adds the rows in the folder to the page.
fn write(folder: &Path) -> Result<String> {
    let page = root().join("docs/reliability.md");
    let text = fs::read_to_string(&page)?;
    let (before, rest) = text
        .split_once(BEGIN)
        .context("docs/reliability.md has no place for the instructions")?;
    let (old, after) = rest
        .split_once(END)
        .context("docs/reliability.md has no end of the instructions")?;
    let mut rows: Vec<String> = Vec::new();
    for row in folder.read_dir()?.flatten() {
        rows.push(fs::read_to_string(row.path())?);
    }
    rows.sort();
    let mut tally = Tally::new();
    for line in old.lines().chain(rows.iter().flat_map(|row| row.lines())) {
        add(&mut tally, line);
    }
    let table = table(&tally);
    fs::write(&page, format!("{before}{BEGIN}\n{table}\n{END}{after}"))?;
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::{HEAD, Tally, add, table};

    #[test]
    fn what_was_counted_is_not_counted_again() {
        let mut tally = Tally::new();
        let rows = [
            "| unicorn | `cortex-m3` | 1, 4 | 10 | 1,234,567 | 0 |",
            "| unicorn | `cortex-m3` | 4 | 7 | 7 | 0 |",
            "| unicorn | `cortex-m3` | 5 | 1 | 10 | 1 |",
        ];
        for line in HEAD.lines().chain(rows) {
            add(&mut tally, line);
        }
        let text = table(&tally);
        let sum = "| unicorn | `cortex-m3` | 1, 4–5 | 11 | 1,234,577 | 1 |\n";
        let all = "| **unicorn** | all | | 11 | 1,234,577 | 1 |\n";
        assert_eq!(text, format!("{HEAD}{sum}{all}"));
        // The written table parses back, and the sum rows are not counted.
        let mut again = Tally::new();
        text.lines().for_each(|line| add(&mut again, line));
        assert_eq!(again, tally);
    }
}
