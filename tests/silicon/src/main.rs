//! `silicon PATH [--only WORD] [--differences] [--write FILE]`: runs the recordings of CMEmu's repository at `PATH` again, and
//! tells how many of the words that silicon left the model leaves too. Exit code 2 where that is not possible.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use machine::Board;
use silicon::{Chip, Kind, Outcome, Row, archives, page, play, read};

struct Arguments {
    root: PathBuf,
    /// Only archives in whose path this stands.
    only: String,
    /// Whether each differing word is told.
    differences: bool,
    /// Where the page goes.
    write: Option<PathBuf>,
}

fn main() -> ExitCode {
    match arguments().and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn arguments() -> Result<Arguments> {
    let mut words = std::env::args().skip(1);
    let usage = "silicon PATH [--only WORD] [--differences] [--write FILE]";
    let root = words
        .next()
        .with_context(|| format!("where is the repository of CMEmu? `{usage}`"))?;
    let mut arguments = Arguments {
        root: root.into(),
        only: String::new(),
        differences: false,
        write: None,
    };
    while let Some(word) = words.next() {
        let mut value = || {
            words
                .next()
                .with_context(|| format!("{word} needs a value: `{usage}`"))
        };
        match word.as_str() {
            "--only" => arguments.only = value()?,
            "--differences" => arguments.differences = true,
            "--write" => arguments.write = Some(value()?.into()),
            _ => bail!("no option {word}: `{usage}`"),
        }
    }
    Ok(arguments)
}

fn run(arguments: &Arguments) -> Result<()> {
    let mut rows = Vec::new();
    for chip in Chip::ALL {
        let board = Board::find(chip.board)?;
        for folder in chip.folders {
            let folder = arguments.root.join(folder);
            for archive in archives(&folder)? {
                let path = archive.strip_prefix(&arguments.root)?.display().to_string();
                if path.contains(&arguments.only) {
                    rows.push(row(chip, &board, &archive, path, arguments.differences)?);
                }
            }
        }
    }
    if rows.is_empty() {
        bail!("no recording has `{}` in its path", arguments.only);
    }
    let text = page(&rows);
    if let Some(file) = &arguments.write {
        return std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()));
    }
    print!("{text}");
    Ok(())
}

/// What became of the recordings of one archive.
fn row(chip: &Chip, board: &Board, archive: &Path, path: String, tell: bool) -> Result<Row> {
    let mut row = Row::new(chip.board, path, archive)?;
    for recording in read(archive)? {
        let outcome = play(board, chip.flash, &recording)?;
        let left = match outcome {
            Outcome::Left(left) => left,
            Outcome::Failed(why) => {
                row.fail(&recording);
                eprintln!("{} #{}: {}", row.path, recording.number, first_lines(&why));
                continue;
            }
        };
        for (expected, measured) in recording.left.iter().zip(&left) {
            let kind = Kind::of(&expected.name);
            let differences = row.tally(kind).count(expected, measured);
            if tell && !differences.is_empty() {
                let mut line = String::new();
                for one in &differences {
                    let _ = write!(
                        line,
                        " {}:{}/{}",
                        one.index, one.expected as i32, one.measured as i32
                    );
                }
                println!(
                    "{} #{} {} {}:{line}",
                    row.path, recording.number, expected.name, recording.configuration
                );
            }
        }
    }
    Ok(row)
}

fn first_lines(text: &str) -> String {
    text.lines().take(2).collect::<Vec<_>>().join(" | ")
}
