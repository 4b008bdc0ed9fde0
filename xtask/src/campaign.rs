//! Campaigns of random and malformed inputs, counted in `docs/reliability.md`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::random::{range, ranges};
use crate::shell::{cargo, run, say};
use crate::{prices, root, target_dir};

/// Default number of inputs per campaign.
const INPUTS: u64 = 20_000;

/// The table in the page is between these markers.
const BEGIN: &str = "<!-- tally -->\n";
const END: &str = "<!-- end of the tally -->";

const HEAD: &str =
    "| campaign | inputs | seed | mishandled | what came of them | slowest |\n|---|--:|--:|--:|---|--:|\n";

/// Each campaign's name in the table, and its test.
const CAMPAIGNS: [(&str, &str); 11] = [
    ("elf", "elf_files"),
    ("spec", "specs"),
    ("board", "board_files"),
    ("firmware-arm", "arm_firmware"),
    ("firmware-rv32", "rv32_firmware"),
    ("system-calls", "system_calls"),
    ("signals", "signals"),
    ("full-disk", "full_disks"),
    ("svd", "campaign_of_changed_files"),
    ("script", "campaign_of_any_scripts"),
    ("defmt", "campaign_of_any_frames"),
];

/// The test binaries, and the prefix of their campaign tests: through the command line, and inside the machine for what the command line
/// cannot reach.
const PLACES: [(&[&str], &str); 2] = [
    (&["-p", "cyclescope", "--test", "cli"], "campaign::"),
    (&["-p", "cyclescope-machine", "--lib"], "campaign_"),
];

/// `./x campaign inputs [INPUTS [SEED [CAMPAIGN]]]`
///
/// # Errors
/// If an input is mishandled.
pub fn all(arguments: &[String]) -> Result<()> {
    let number = |index: usize, otherwise: u64| match arguments.get(index) {
        Some(text) => text.parse().with_context(|| format!("`{text}` is no number")),
        None => Ok(otherwise),
    };
    let (inputs, seed) = (number(0, INPUTS)?, number(1, 1)?);
    let only = arguments.get(2).map(String::as_str);
    let chosen = || {
        CAMPAIGNS
            .iter()
            .filter(|(name, _)| only.is_none_or(|only| only == *name))
    };
    if arguments.len() > 3 || chosen().next().is_none() {
        let names = CAMPAIGNS.map(|(name, _)| name).join(", ");
        bail!("`./x campaign inputs [INPUTS [SEED [CAMPAIGN]]]`; the campaigns are {names}");
    }
    let folder = target_dir().join("campaign");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    // Campaigns on signals and full disks start a process per input.
    let simulator = prices::simulator()?;
    say(&format!("campaign: {inputs} inputs of each kind, seed {seed}"));
    let inputs_of = |mut tests: Command| {
        run(tests
            .env("CAMPAIGN_INPUTS", inputs.to_string())
            .env("CAMPAIGN_SEED", seed.to_string())
            .env("CAMPAIGN_BINARY", &simulator)
            .env("CAMPAIGN_FOLDER", &folder))
    };
    let mut ran = Ok(());
    for (place, filter) in PLACES {
        let here = |test: &str| test.starts_with("campaign_") == (filter == "campaign_");
        if chosen().any(|(_, test)| here(test)) {
            let mut tests = cargo();
            tests.args(["test", "--quiet", "--locked"]).args(place);
            tests
                .args(["--", filter])
                .args(others(chosen().map(|(_, test)| *test)));
            ran = ran.and(inputs_of(tests));
        }
    }
    // Also counts campaigns that finished next to a failed one.
    write(&folder)?;
    ran
}

/// The test arguments that skip all other campaigns.
fn others<'a>(chosen: impl Iterator<Item = &'a str>) -> Vec<String> {
    let chosen: Vec<&str> = chosen.collect();
    let others = CAMPAIGNS.iter().filter(|(_, test)| !chosen.contains(test));
    others.map(|(_, test)| format!("--skip={test}")).collect()
}

/// Adds the rows in the folder to the page's rows of the same campaigns.
fn write(folder: &Path) -> Result<()> {
    let page = root().join("docs/reliability.md");
    let text = fs::read_to_string(&page)?;
    let (before, rest) = text
        .split_once(BEGIN)
        .context("docs/reliability.md has no place for the tally")?;
    let (old, after) = rest
        .split_once(END)
        .context("docs/reliability.md has no end of the tally")?;
    let mut new = Vec::new();
    for row in folder.read_dir()?.flatten() {
        new.push(fs::read_to_string(row.path())?);
    }
    let table = table(old, &new);
    fs::write(&page, format!("{before}{BEGIN}\n{table}\n{END}{after}"))?;
    say(&format!("{table}\nwritten to docs/reliability.md"));
    Ok(())
}

/// A campaign's sums over all runs.
#[derive(Default)]
struct Sums {
    inputs: u64,
    seeds: Vec<u64>,
    mishandled: u64,
    outcomes: BTreeMap<String, u64>,
    /// Time of the slowest input in milliseconds.
    slowest: u64,
}

impl Sums {
    /// Parses a table row into its name and sums.
    fn parse(row: &str) -> Option<(&'static str, Sums)> {
        let cells: Vec<&str> = row.trim().trim_matches('|').split('|').map(str::trim).collect();
        let &[name, inputs, seeds, mishandled, outcomes, slowest] = cells.as_slice() else {
            return None;
        };
        let (name, _) = CAMPAIGNS.iter().find(|(known, _)| *known == name)?;
        let outcome = |text: &str| {
            let (what, count) = text.rsplit_once(' ')?;
            Some((what.to_owned(), count.parse().ok()?))
        };
        let sums = Sums {
            inputs: inputs.parse().ok()?,
            seeds: seeds.split(", ").flat_map(range).collect(),
            mishandled: mishandled.parse().ok()?,
            outcomes: outcomes.split(", ").filter_map(outcome).collect(),
            slowest: slowest.trim_end_matches(" ms").parse().ok()?,
        };
        Some((name, sums))
    }

    fn add(&mut self, more: Sums) {
        self.inputs += more.inputs;
        self.seeds.extend(more.seeds);
        self.mishandled += more.mishandled;
        for (outcome, count) in more.outcomes {
            *self.outcomes.entry(outcome).or_default() += count;
        }
        self.slowest = self.slowest.max(more.slowest);
    }

    fn row(&self, name: &str) -> String {
        let outcomes = self
            .outcomes
            .iter()
            .map(|(outcome, count)| format!("{outcome} {count}"));
        format!(
            "| {name} | {} | {} | {} | {} | {} ms |\n",
            self.inputs,
            ranges(&self.seeds).join(", "),
            self.mishandled,
            outcomes.collect::<Vec<_>>().join(", "),
            self.slowest
        )
    }
}

/// Adds the new rows to the old table. A seed counts once, with its latest result.
fn table(old: &str, new: &[String]) -> String {
    let mut all: BTreeMap<&str, Sums> = old.lines().filter_map(Sums::parse).collect();
    for (name, more) in new.iter().filter_map(|row| Sums::parse(row)) {
        let sums = all.entry(name).or_default();
        if sums.seeds.iter().any(|seed| more.seeds.contains(seed)) {
            *sums = more;
        } else {
            sums.add(more);
        }
    }
    all.iter()
        .fold(HEAD.to_owned(), |table, (name, sums)| table + &sums.row(name))
}

#[cfg(test)]
mod tests {
    use super::{HEAD, table};

    #[test]
    fn a_campaign_has_the_sums_of_its_runs() {
        let row = |name: &str, rest: &str| format!("| {name} | {rest} ms |\n");
        let old = [
            HEAD,
            &row("board", "20 | 1 | 0 | exit 130 19, refused 1 | 9"),
            &row("elf", "20 | 1 | 0 | exit 20 | 9"),
        ];
        let new = [
            row("board", "30 | 2 | 0 | exit 130 30 | 8"),
            row("elf", "10 | 1 | 0 | exit 10 | 7"),
        ];
        let sums = [
            HEAD,
            &row("board", "50 | 1–2 | 0 | exit 130 49, refused 1 | 9"),
            &row("elf", "10 | 1 | 0 | exit 10 | 7"),
        ];
        assert_eq!(table(&old.concat(), &new), sums.concat());
    }
}
