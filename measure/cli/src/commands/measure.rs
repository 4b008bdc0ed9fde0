//! `cyclescope measure`: measures the items of a spec.

use std::path::PathBuf;

use lab::batch::{Options, measure_spec};
use lab::diagnostic::Result;
use machine::board::Allow;

use super::chip::Chip;
use super::choices::{Choice, Length, View};
use super::program::Files;
use super::{Ending, common};

/// Measure what a spec names.
#[derive(clap::Args, Debug)]
#[command(after_help = super::examples::MEASURE)]
pub(super) struct Args {
    /// The spec, a TOML file.
    spec: PathBuf,
    /// Also write the results as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Record the worst and the best sample of each row, instruction by instruction: `report` shows them, `diff` and `gate` say
    /// by them why a figure changed. They are in the file of --json.
    #[arg(long, requires = "json")]
    timeline: bool,
    #[command(flatten)]
    how: How,
}

/// How a spec is measured.
#[derive(clap::Args, Debug)]
pub(super) struct How {
    /// The program to measure, in place of the spec's.
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,
    /// The board, in place of the spec's: a name (`cyclescope boards` lists them) or a board file.
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// Where the programs were built that a spec refers to by name.
    #[arg(long, value_name = "DIR", default_value = "target/firmware")]
    firmware: PathBuf,
    /// Allow accesses to a range that the board does not describe, such as 0x40021000..0x40021400: reads give zero and
    /// writes are ignored. With `=fault` appended, accesses fault; `=held`, `=toggles` and `=0x12` say what reads give.
    #[arg(long, value_name = "RANGE")]
    allow: Vec<Allow>,
    #[command(flatten)]
    chip: Chip,
    /// Switch a timing rule off (`cyclescope rules` lists them), to see how much of a figure comes from it.
    #[arg(long, value_name = "RULE")]
    without_rule: Vec<String>,
    /// When a point in code is met: when its instruction retires, or when its address is fetched, even if it is never
    /// executed (RV32 cores only).
    #[arg(long, value_name = "VIEW", default_value = "retire")]
    view: View,
    #[command(flatten)]
    length: Length,
    #[command(flatten)]
    files_of_program: Files,
    #[command(flatten)]
    backend: Choice,
}

impl How {
    /// The same options for the library.
    pub(super) fn options(&self, timelines: bool) -> Options {
        Options {
            elf: self.elf.clone(),
            base: self.files_of_program.base(),
            further: self.files_of_program.others(),
            board: self.board.clone(),
            firmware: self.firmware.clone(),
            allow: self.allow.clone(),
            described: self.chip.described(),
            without_rules: self.without_rule.clone(),
            backend: self.backend.backend(),
            view: self.view.into(),
            horizon: self.length.horizon(),
            timelines,
        }
    }

    /// The option that chooses a program or a board, if one does.
    pub(super) fn chooses(&self) -> Option<&'static str> {
        let elf = self.elf.as_ref().map(|_| "--elf");
        elf.or(self.board.as_ref().map(|_| "--board"))
    }
}

impl Args {
    pub(super) fn execute(&self) -> Result<Ending> {
        let spec = common::spec(&self.spec)?;
        let options = self.how.options(self.timeline);
        common::check_written_by(&[("--json", self.json.as_deref())], &spec, &options)?;
        let outcome = measure_spec(&spec, &options, || {});
        common::show(&report::table(&outcome.rows), &[self.json.as_deref()])?;
        let mut messages = outcome.messages;
        messages.extend(common::write_json(self.json.as_deref(), &outcome.rows).err());
        Ok(messages.into())
    }
}
