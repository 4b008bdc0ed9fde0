//! Results of a measurement on their way to the user: options that several commands share.

use std::path::{Path, PathBuf};

use lab::Outcome;
use lab::diagnostic::{Diagnostic, Result};

use super::common;

/// Where results go beside the table.
#[derive(clap::Args, Debug)]
pub(super) struct Recording {
    /// Also write the results as JSON.
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Record the worst and the best sample of each row, instruction by instruction, in the file of --json: `report` shows them, `diff` and
    /// `gate` say by them why a figure changed.
    #[arg(long, requires = "json")]
    pub(super) timeline: bool,
}

impl Recording {
    /// The file to write, with its option.
    pub(super) fn written(&self) -> (&'static str, Option<&Path>) {
        ("--json", self.json.as_deref())
    }

    /// Shows the rows as a table and writes them; returns all messages.
    pub(super) fn show(&self, outcome: Outcome) -> Result<Vec<Diagnostic>> {
        common::show(&report::table(&outcome.rows), &[self.json.as_deref()])?;
        let mut messages = outcome.messages;
        messages.extend(common::write_json(self.json.as_deref(), &outcome.rows).err());
        Ok(messages)
    }
}
