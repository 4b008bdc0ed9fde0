//! Running a recording on the model.

use std::sync::Arc;

use anyhow::{Context, Result};
use machine::{Board, Image, Machine, Options};

use crate::image;
use crate::recording::{Dump, Recording};

/// No recording needs more.
const LIMIT: u64 = 20_000_000;

/// How it ended.
#[derive(Debug)]
pub enum Outcome {
    /// Where the recorded one did, with this in memory.
    Left(Vec<Dump>),
    /// Otherwise.
    Failed(String),
}

/// Runs a recording on a board whose flash begins at `base`.
///
/// # Errors
/// If it cannot start there.
pub fn play(board: &Board, base: u32, recording: &Recording) -> Result<Outcome> {
    let elf = image::elf(&recording.flash, base, recording.start).context("the flash is empty")?;
    let image = Arc::new(Image::parse("recording", &elf)?);
    let options = Options {
        allow: Vec::new(),
        ..Options::default()
    };
    let mut machine = Machine::new(board, &image, options)?;
    let ended = machine.run(LIMIT, &mut events::Silent);
    if machine.pc() & !1 != recording.end & !1 {
        return Ok(Outcome::Failed(describe(&ended)));
    }
    let left = recording.left.iter().map(|dump| {
        let mut content = vec![0; dump.content.len()];
        machine.bus().peek(dump.address, &mut content);
        Dump {
            content,
            ..dump.clone()
        }
    });
    Ok(Outcome::Left(left.collect()))
}

fn describe(ended: &machine::Outcome) -> String {
    use machine::Outcome::{Crash, NotModelled, Stuck};
    match ended {
        NotModelled(report) => report.to_string(),
        Stuck(report) => report.to_string(),
        Crash(report) => report.to_string(),
        other => format!("{other:?}").chars().take(200).collect(),
    }
}
