//! Campaigns: many inputs that nobody meant, counted into `docs/reliability.md`.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, output, run, say};
use crate::{prices, root, target_dir};

/// Inputs of each campaign, unless the caller says otherwise.
const INPUTS: u64 = 20_000;

/// Between these lines of the page is the table.
const BEGIN: &str = "<!-- tally -->\n";
const END: &str = "<!-- end of the tally -->";

/// `./x campaign [INPUTS [SEED]]`
///
/// # Errors
/// When an input is mishandled.
pub fn all(arguments: &[String]) -> Result<()> {
    let number = |index: usize, otherwise: u64| match arguments.get(index) {
        Some(text) => text.parse().with_context(|| format!("`{text}` is no number")),
        None => Ok(otherwise),
    };
    if arguments.len() > 2 {
        bail!("`./x campaign [INPUTS [SEED]]`");
    }
    let (inputs, seed) = (number(0, INPUTS)?, number(1, 1)?);
    let folder = target_dir().join("campaign");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    // Signals and full disks take a process for each input.
    let simulator = prices::simulator()?;
    say(&format!("campaign: {inputs} inputs of each kind, seed {seed}"));
    let mut tests = cargo();
    tests.args([
        "test",
        "--quiet",
        "--locked",
        "-p",
        "cyclescope",
        "--test",
        "cli",
        "campaign::",
    ]);
    run(tests
        .env("CAMPAIGN_INPUTS", inputs.to_string())
        .env("CAMPAIGN_SEED", seed.to_string())
        .env("CAMPAIGN_BINARY", simulator)
        .env("CAMPAIGN_FOLDER", &folder))?;
    let table = table(&folder, seed)?;
    let page = root().join("docs/reliability.md");
    let text = fs::read_to_string(&page)?;
    let (before, rest) = text
        .split_once(BEGIN)
        .context("docs/reliability.md has no place for the tally")?;
    let (_, after) = rest
        .split_once(END)
        .context("docs/reliability.md has no end of the tally")?;
    fs::write(&page, format!("{before}{BEGIN}\n{table}\n{END}{after}"))?;
    say(&format!("{table}\nwritten to docs/reliability.md"));
    Ok(())
}

fn table(folder: &std::path::Path, seed: u64) -> Result<String> {
    let mut rows: Vec<PathBuf> = folder.read_dir()?.flatten().map(|row| row.path()).collect();
    rows.sort();
    let date = output(std::process::Command::new("date").args(["-u", "+%Y-%m-%d"]))?;
    let mut table = format!(
        "Run on {}, seed {seed}:\n\n| campaign | inputs | mishandled | what came of them | slowest |\n|---|--:|--:|---|--:|\n",
        date.trim()
    );
    for row in rows {
        table += &fs::read_to_string(row)?;
    }
    Ok(table)
}
