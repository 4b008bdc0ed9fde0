//! Runs a recording on the model.

use std::sync::Arc;

use anyhow::{Context, Result};
use events::Sink;
use machine::{Board, Image, Machine, Options};

use crate::image;
use crate::recording::{Dump, Recording};

/// Cycle limit; no recording needs more.
const LIMIT: u64 = 20_000_000;

/// The outcome of a recording.
#[derive(Debug)]
pub enum Outcome {
    /// It reached the recorded end, with these memory sections.
    Left(Vec<Dump>),
    /// It did not, for this reason.
    Failed(String),
}

/// Runs a recording on a board whose flash begins at `base`.
///
/// # Errors
/// If it cannot start there.
pub fn play(board: &Board, base: u32, recording: &Recording, sink: &mut dyn Sink) -> Result<Outcome> {
    let elf = image::elf(&recording.flash, base, recording.start).context("the flash is empty")?;
    let image = Arc::new(Image::parse("recording", &elf)?);
    let mut machine = Machine::new(board, &image, Options::default())?;
    let ended = machine.run(LIMIT, sink);
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

#[cfg(test)]
mod tests {
    use events::Silent;

    use super::*;

    const FLASH: u32 = 0x0800_0000;

    /// `ldr r0, [pc, #4]; ldr r1, [pc, #8]; str r1, [r0]; b .` after a vector table of two words, followed by an address in RAM and a
    /// number.
    fn recording(end: u32) -> Recording {
        let halves: [u16; 4] = [0x4801, 0x4902, 0x6001, 0xe7fe];
        let mut flash = vec![0, 0x10, 0, 0x20, 0, 0, 0, 0];
        flash.extend(halves.iter().flat_map(|half| half.to_le_bytes()));
        flash.extend([0x2000_0000_u32, 1234].iter().flat_map(|word| word.to_le_bytes()));
        let left = Dump {
            name: "times".into(),
            address: 0x2000_0000,
            content: 1234_u32.to_le_bytes().to_vec(),
        };
        Recording {
            number: 0,
            configuration: String::new(),
            start: FLASH + 8,
            end: FLASH + end,
            flash,
            left: vec![left],
        }
    }

    #[test]
    fn what_a_recording_left_is_read_where_it_ends() {
        let board = Board::find("stm32f100rb").unwrap();
        let Outcome::Left(left) = play(&board, FLASH, &recording(14), &mut Silent).unwrap() else {
            panic!("it ends");
        };
        assert_eq!(left[0].content, 1234_u32.to_le_bytes());
    }

    #[test]
    fn a_recording_that_ends_elsewhere_failed() {
        let board = Board::find("stm32f100rb").unwrap();
        let outcome = play(&board, FLASH, &recording(12), &mut Silent).unwrap();
        assert!(matches!(outcome, Outcome::Failed(_)));
    }
}
