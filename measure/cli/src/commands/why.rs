//! `cyclescope why`: where the cycles around a point went.

use std::path::PathBuf;

use lab::diagnostic::Result;
use lab::why::{Why, why};

use super::choices::{Length, count};
use super::inputs::Inputs;
use super::target::Program;
use super::{Ending, common};

/// Show the instructions around a point, and the rule behind each cycle
///
/// Each line is a window: the cycles from the end of the previous one to where the next instruction can start. There are
/// no gaps between windows, and the costs listed for a window add up to its length.
#[derive(clap::Args, Debug)]
pub(super) struct WhyArgs {
    #[command(flatten)]
    pub(super) program: Program,
    /// A point: `symbol`, `symbol+0x4`, `file.rs:12`, `bkpt:N`, `bkpt:#N`, `exception:NAME`, `exception:NAME:exit`,
    /// `write:symbol`, or `raise:NAME` for an interrupt of `--raise`.
    point: String,
    /// Show the N-th time the point is met.
    #[arg(long, value_name = "N", default_value = "1", value_parser = count)]
    hit: u64,
    /// Show this many windows before the point, and as many after it.
    #[arg(long, value_name = "K", default_value = "8", value_parser = clap::value_parser!(u64).range(..=100_000))]
    around: u64,
    /// Also write the answer as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    length: Length,
    #[command(flatten)]
    inputs: Inputs,
}

impl WhyArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let written = [("--json", self.json.as_deref())];
        let (image, board) = self.program.load(&written, &self.inputs.sent())?;
        let answer = why(
            &image,
            &board,
            &Why {
                point: self.point.clone(),
                hit: self.hit,
                around: self.around as usize,
                horizon: self.length.horizon(),
                interrupts: self.inputs.raise.clone(),
                stimuli: self.inputs.stimuli()?,
                allow: self.program.target.allow.clone(),
            },
        )?;
        common::show(&answer.to_text(), &[self.json.as_deref()])?;
        let mut messages = common::write_each(&[(&self.json, &|| answer.to_json(common::TOOL))]);
        messages.extend(answer.missing);
        Ok(messages.into())
    }
}
