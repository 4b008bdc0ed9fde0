//! `silicon PATH [--only WORD] [--differences] [--trace NUMBER] [--write FILE]`: replays the recordings of CMEmu's repository at `PATH`
//! and prints how many words match. Exits with code 2 if that is not possible.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use events::{Event, Flow, Interest, Silent, Sink};
use machine::Board;
use silicon::{Chip, Kind, Outcome, Row, archives, page, play, read};

struct Arguments {
    root: PathBuf,
    /// Limits the run to archives whose path contains this text.
    only: String,
    /// Prints each differing word.
    differences: bool,
    /// The recording to trace.
    trace: Option<u32>,
    /// The file for the page.
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
    let usage = "silicon PATH [--only WORD] [--differences] [--trace NUMBER] [--write FILE]";
    let root = words
        .next()
        .with_context(|| format!("where is the repository of CMEmu? `{usage}`"))?;
    let mut arguments = Arguments {
        root: root.into(),
        only: String::new(),
        differences: false,
        trace: None,
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
            "--trace" => arguments.trace = Some(value()?.parse().context("--trace needs a number")?),
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
                    rows.push(row(chip, &board, &archive, path, arguments)?);
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

/// Replays the recordings of one archive.
fn row(chip: &Chip, board: &Board, archive: &Path, path: String, arguments: &Arguments) -> Result<Row> {
    let mut row = Row::new(chip.board, path, archive)?;
    for recording in read(archive)? {
        let outcome = match arguments.trace {
            Some(number) if number != recording.number => continue,
            Some(_) => play(board, chip.flash, &recording, &mut Teller)?,
            None => play(board, chip.flash, &recording, &mut Silent)?,
        };
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
            if arguments.differences && !differences.is_empty() {
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

/// Prints each instruction: issue cycle, window, address and encoding; and its reads and writes.
struct Teller;

impl Sink for Teller {
    fn interest(&self) -> Interest {
        Interest {
            fetch: false,
            ..Interest::everything()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        match event {
            Event::Retire(one) => println!(
                "{:6} {:6}..{:<6} {:08x} {:0width$x}",
                one.issued,
                one.at.from,
                one.at.to,
                one.pc,
                one.raw,
                width = 2 * usize::from(one.size)
            ),
            Event::Read { address, value, .. } => println!("  read {address:08x} {value:08x}"),
            Event::Write { address, value, .. } => println!("  write {address:08x} {value:08x}"),
            Event::Enter(one) => println!("entry {:?} {:?}", one.exception, one.at),
            Event::Exit(one) => println!("exit {:?} {:?}", one.exception, one.at),
            _ => {}
        }
        Flow::On
    }
}

fn first_lines(text: &str) -> String {
    text.lines().take(2).collect::<Vec<_>>().join(" | ")
}
