//! `silicon PATH [CHIP] [WORD]`: runs the recordings below `PATH` again and tells how many of their words are the same.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use machine::Board;
use silicon::{Chip, Outcome, Tally, archives, play, read};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let root = words.next().context("where is the repository of CMEmu?")?;
    let chip = words.next();
    let only = words.next();
    let verbose = std::env::var("SILICON_VERBOSE").is_ok();
    for chip in Chip::ALL.iter().filter(|known| chip.as_deref().is_none_or(|name| name == known.board)) {
        let board = Board::find(chip.board)?;
        let mut totals: BTreeMap<String, Tally> = BTreeMap::new();
        for folder in chip.folders {
            for archive in archives(&Path::new(&root).join(folder))? {
                let name = archive.strip_prefix(&root).unwrap_or(&archive).display().to_string();
                if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
                    continue;
                }
                let mut kinds: BTreeMap<String, Tally> = BTreeMap::new();
                let mut failed: BTreeMap<String, u32> = BTreeMap::new();
                for recording in read(&archive)? {
                    match play(&board, chip.flash, &recording)? {
                        Outcome::Failed(why) => {
                            let line: String = why.lines().take(3).collect::<Vec<_>>().join(" | ");
                            *failed.entry(line).or_default() += 1;
                        }
                        Outcome::Left(left) => {
                            for (expected, measured) in recording.left.iter().zip(&left) {
                                let tally = kinds.entry(expected.name.clone()).or_default();
                                let differences = tally.count(expected, measured);
                                if verbose && !differences.is_empty() {
                                    println!("#{} {} {}", recording.number, expected.name, recording.configuration);
                                    let text: Vec<String> = differences.iter().take(100_000).map(|d| format!("{}:{}/{}", d.index, d.expected as i32, d.measured as i32)).collect();
                                    println!("   {}", text.join(" "));
                                }
                            }
                        }
                    }
                }
                let line: Vec<String> = kinds.iter().map(|(kind, t)| format!("{kind} {}/{}", t.words - t.same, t.words)).collect();
                println!("{name}: {}", line.join(", "));
                for (why, times) in failed { println!("   {times} failed: {why}"); }
                for (kind, tally) in kinds { totals.entry(kind).or_default().add(tally); }
            }
        }
        println!("== {}", chip.board);
        for (kind, tally) in totals {
            println!("{kind}: {} of {} ({:.3} %)", tally.same, tally.words, 100.0 * tally.same as f64 / tally.words.max(1) as f64);
        }
    }
    Ok(())
}
