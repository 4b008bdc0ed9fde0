//! `cyclescope why`: where the cycles around a point went.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lab::asked::Interruption;
use lab::batch::without_rules;
use lab::diagnostic::Result;
use lab::why::{Why, why};
use machine::board::Allow;

use super::chip::Chip;
use super::choices::Length;
use super::program::{Files, Inputs};
use super::{Ending, common};

/// Show the instructions around a point, and the rule behind each of their cycles.
///
/// Each line is a window: the cycles from the end of the previous one to where the next instruction can start. There are
/// no gaps between windows, and the costs listed for a window add up to its length.
#[derive(clap::Args, Debug)]
#[command(after_help = super::examples::WHY)]
pub(super) struct Args {
    /// The program.
    elf: PathBuf,
    /// A point: `symbol`, `symbol+0x4`, `file.rs:12`, `bkpt:N`, `bkpt:#N`, `exception:NAME`, `exception:NAME:exit`,
    /// `write:symbol`, or `raise:NAME` for an interrupt of `--raise`.
    point: String,
    /// The board: a name (`cyclescope boards` lists them) or a board file. Without this, a plain one with the core that the program was
    /// built for.
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// Show the N-th time the point is met.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..))]
    hit: u64,
    /// Show this many windows before the point, and as many after it.
    #[arg(long, value_name = "K", default_value = "8", value_parser = clap::value_parser!(u64).range(..=100_000))]
    around: u64,
    /// The limit is 100000000 cycles unless this or `--for` says otherwise.
    #[command(flatten)]
    length: Length,
    /// Raise an interrupt from outside, in this cycle since reset: IRQ6@1000.
    #[arg(long, value_name = "IRQ@CYCLE")]
    raise: Vec<Interruption>,
    #[command(flatten)]
    inputs: Inputs,
    /// Also write the answer as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Allow accesses to a range that the board does not describe, such as 0x40021000..0x40021400: reads give zero and
    /// writes are ignored. With `=fault` appended, accesses fault; `=held`, `=toggles` and `=0x12` say what reads give.
    #[arg(long, value_name = "RANGE")]
    allow: Vec<Allow>,
    #[command(flatten)]
    chip: Chip,
    /// Switch a timing rule off (`cyclescope rules` lists them), to see where its cycles go then.
    #[arg(long, value_name = "RULE")]
    without_rule: Vec<String>,
    #[command(flatten)]
    files_of_program: Files,
}

impl Args {
    pub(super) fn execute(&self) -> Result<Ending> {
        let mut read = vec![self.elf.as_path()];
        read.extend(self.board.as_deref().map(Path::new));
        read.extend(self.chip.files());
        read.extend(self.inputs.sent());
        read.extend(self.files_of_program.further());
        common::check_written(&[("--json", self.json.as_deref())], &read)?;
        let image = Arc::new(self.files_of_program.load(&self.elf, self.board.as_deref())?);
        let board = without_rules(
            self.chip.board(self.board.as_deref(), &image)?,
            &self.without_rule,
        )?;
        let answer = why(
            &image,
            &board,
            &Why {
                point: self.point.clone(),
                hit: self.hit,
                around: self.around as usize,
                horizon: self.length.horizon(),
                interrupts: self.raise.clone(),
                stimuli: self.inputs.stimuli()?,
                allow: self.allow.clone(),
            },
        )?;
        common::show(&answer.to_text(), &[self.json.as_deref()])?;
        let mut messages = common::write_each(&[(&self.json, &|| answer.to_json(common::TOOL))]);
        messages.extend(answer.missing);
        Ok(messages.into())
    }
}
