//! `cyclescope cost`: measures calls of functions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lab::asked::Interruption;
use lab::batch::without_rules;
use lab::calls::{Cost, cost};
use lab::diagnostic::Result;
use machine::board::Allow;

use super::chip::Chip;
use super::choices::{Choice, Length};
use super::program::{Files, Inputs};
use super::{Ending, common};

/// Measure every call of a function, from its first instruction to the one it returns to.
///
/// Shows the cycles, how many of them interrupts and other threads took, and the time, by the clock at which each call began. A call
/// of an interrupt handler ends with its return.
#[derive(clap::Args, Debug)]
#[command(after_help = super::examples::COST)]
pub(super) struct Args {
    /// The program.
    elf: PathBuf,
    /// Functions: symbols, mangled or not, the last segments of their paths, or `file.c:name` for one of several static
    /// functions.
    #[arg(value_name = "FUNCTION", required = true)]
    functions: Vec<String>,
    /// The board: a name (`cyclescope boards` lists them) or a board file. Without this, a plain one with the core that the program was
    /// built for.
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// Stop after this many calls of each function.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    #[command(flatten)]
    length: Length,
    /// Also show the most stack that a call used, with all that it called. Interrupts that come meanwhile do not count; a
    /// handler's own figure includes the frame that the core pushed for it. The run is slower: every instruction is looked at.
    #[arg(long)]
    stack: bool,
    /// Raise an interrupt from outside, in this cycle since reset: IRQ6@1000.
    #[arg(long, value_name = "IRQ@CYCLE")]
    raise: Vec<Interruption>,
    #[command(flatten)]
    inputs: Inputs,
    /// Also write the results as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Record the worst and the best call of each function, instruction by instruction, in the file of --json.
    #[arg(long, requires = "json")]
    timeline: bool,
    /// Allow accesses to a range that the board does not describe, such as 0x40021000..0x40021400: reads give zero and
    /// writes are ignored. With `=fault` appended, accesses fault; `=held`, `=toggles` and `=0x12` say what reads give.
    #[arg(long, value_name = "RANGE")]
    allow: Vec<Allow>,
    #[command(flatten)]
    chip: Chip,
    /// Switch a timing rule off (`cyclescope rules` lists them), to see how much of a figure comes from it.
    #[arg(long, value_name = "RULE")]
    without_rule: Vec<String>,
    #[command(flatten)]
    files_of_program: Files,
    #[command(flatten)]
    backend: Choice,
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
        let outcome = cost(
            &image,
            &board,
            &Cost {
                command: "cost",
                functions: self.functions.clone(),
                count: self.count,
                horizon: self.length.horizon(),
                stack: self.stack,
                timelines: self.timeline,
                interrupts: self.raise.clone(),
                stimuli: self.inputs.stimuli()?,
                allow: self.allow.clone(),
                backend: self.backend.backend(),
            },
        );
        common::show(&report::table(&outcome.rows), &[self.json.as_deref()])?;
        let mut messages = outcome.messages;
        messages.extend(common::write_json(self.json.as_deref(), &outcome.rows).err());
        Ok(messages.into())
    }
}
