//! Golden streams of the Cortex-M cores: what each instruction and exception of random programs costs, and by which rules.
//!
//! A [`Trial`] is a random [program](program), with interrupts or without, on one of the boards of [`setup`]: a core, and memories of a
//! certain speed. Its [stream](stream::of) is text, a line for each event. `golden/` keeps a digest of each stream, and the
//! beginning of a few ([`kept`]); [`saved`] writes all of many. So a change of the model that moves a cycle, or gives it to another rule, fails a test, which shows the
//! program, its first instruction that differs, and what it costs now.
//!
//! Text refers to rules by their names, and to nothing else of the model: boards are board files, programs are ELF files. So
//! the streams outlive any change inside the model.

pub mod kept;
pub mod program;
pub mod saved;
pub mod setup;
pub mod stream;
mod suspects;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use anyhow::Result;
use fastrand::Rng;

use crate::program::Program;
use crate::setup::{Core, Setup};

/// One program in one surrounding.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The core.
    pub core: Core,
    /// The memories around it.
    pub setup: &'static Setup,
    /// Whether interrupts arrive.
    pub interrupted: bool,
    /// Its number among the trials of this core, setup and kind.
    pub number: u32,
}

impl Trial {
    /// Every trial of a core, so many of each group; the trials of a group follow each other.
    pub fn of(core: Core, each: u32) -> impl Iterator<Item = Trial> {
        core.setups().flat_map(move |setup| {
            [false, true].into_iter().flat_map(move |interrupted| {
                (0..each).map(move |number| Trial {
                    core,
                    setup,
                    interrupted,
                    number,
                })
            })
        })
    }

    /// What all trials of its group have in common.
    pub fn group(&self) -> String {
        let kind = if self.interrupted { "interrupts" } else { "quiet" };
        format!("{} {kind}", self.setup.name)
    }

    /// Its program. It depends on the names of its core and setup and on its number, and on no other trial.
    pub fn program(&self) -> Program {
        let name = format!("{} {} {}", self.core.name(), self.group(), self.number);
        let seed = digest(name.as_bytes());
        let mut rng = Rng::with_seed(u64::from(seed) << 32 | u64::from(self.number));
        Program::random(self.core, self.setup, self.interrupted, &mut rng)
    }
}

/// A trial that was run.
#[derive(Debug)]
pub struct Ran {
    /// The trial.
    pub trial: Trial,
    /// The hash of its program.
    pub program: u32,
    /// Its stream.
    pub stream: String,
}

/// Runs so many trials of each group of a core.
///
/// # Errors
/// For a trial that cannot be run, or ends otherwise with nobody listening.
pub fn run(core: Core, each: u32) -> impl Iterator<Item = Result<Ran>> {
    let mut boards = BTreeMap::new();
    Trial::of(core, each).map(move |trial| {
        let board = match boards.entry(trial.setup.name) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(stream::board(&trial)?),
        };
        let program = trial.program();
        Ok(Ran {
            trial,
            program: program.digest(),
            stream: stream::of(&trial, &program, board)?,
        })
    })
}

/// A hash of 32 bits: FNV-1a of 64 bits, folded.
pub fn digest(bytes: &[u8]) -> u32 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    (hash >> 32) as u32 ^ hash as u32
}
