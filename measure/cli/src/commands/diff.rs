//! `cyclescope diff`: shows what became slower, and why.

use std::path::{Path, PathBuf};

use lab::batch::{Options, measure_spec};
use lab::classes;
use lab::diagnostic::{Diagnostic, Kind, Result};
use report::Row;
use report::difference::Differences;
use report::origin::changed;

use super::target::Further;
use super::{Ending, common};

/// Show what became slower or faster between two builds, and why
///
/// The reasons are told by instruction, line and rule. Each build is a file of results (those of `--timeline` have the reasons), or an ELF file that is measured by --spec. A run on the
/// model has no noise: any difference is one of the program, and the reasons add up to it.
#[derive(clap::Args, Debug)]
pub(super) struct DiffArgs {
    /// Results, or an ELF file.
    old: PathBuf,
    /// Results, or an ELF file.
    new: PathBuf,
    /// What to measure in ELF files.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
    /// The board, in place of the spec's.
    #[arg(long, value_name = "BOARD", requires = "spec")]
    board: Option<String>,
    /// Also write it as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also write a page for a pull request.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    #[command(flatten)]
    further: Further,
}

impl DiffArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let written = [
            ("--json", self.json.as_deref()),
            ("--markdown", self.markdown.as_deref()),
        ];
        let mut read = vec![self.old.as_path(), &self.new];
        read.extend(self.spec.as_deref());
        common::check_written(&written, &read)?;
        let mut messages = Vec::new();
        let old = self.rows(&self.old, &mut messages)?;
        let new = self.rows(&self.new, &mut messages)?;
        let changed = changed(&old, &new, common::TOOL);
        messages.extend(
            changed
                .into_iter()
                .map(|change| Diagnostic::new(Kind::Skipped, change)),
        );
        let differences = Differences::between(&old, &new, &classes);
        common::show(&differences.to_text(), &written.map(|(_, path)| path))?;
        messages.extend(common::write_each(&[
            (&self.json, &|| differences.to_json(common::TOOL)),
            (&self.markdown, &|| differences.to_markdown()),
        ]));
        Ok(messages.into())
    }

    fn rows(&self, path: &Path, messages: &mut Vec<Diagnostic>) -> Result<Vec<Row>> {
        if !common::is_elf(path) {
            return Ok(common::results(path)?.results);
        }
        let Some(spec) = &self.spec else {
            let message =
                Diagnostic::mistake("nothing says what to measure in it").in_file(path.display().to_string());
            return Err(message.help("`--spec SPEC.toml` says what to measure in both files"));
        };
        let options = Options {
            elf: Some(path.to_owned()),
            board: self.board.clone(),
            timelines: true,
            further: self.further.files().collect(),
            ..Options::built_in(PathBuf::new())
        };
        let outcome = measure_spec(&common::spec(spec)?, &options, || {});
        messages.extend(outcome.messages);
        Ok(outcome.rows)
    }
}
