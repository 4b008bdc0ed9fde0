//! `cyclescope report`: renders results as one page.

use std::path::{Path, PathBuf};

use lab::batch::{Options, measure_spec};
use lab::diagnostic::{Diagnostic, Result};
use lab::{classes, rules_of};
use report::page::page;
use report::trend::{Kept, trend};
use report::{Results, Row};

use super::target::Further;
use super::{Ending, common};

/// Show results as one page: an HTML file that needs nothing else
///
/// It has the figures side by side with filters, how each was obtained, and, for what was recorded with `--timeline`, where its
/// cycles went, down to the instruction and the rule. A spec is measured first, with its timelines.
#[derive(clap::Args, Debug)]
pub(super) struct ReportArgs {
    /// Results that `--json` of another command wrote, or specs (TOML).
    #[arg(required_unless_present = "trend", value_name = "RESULTS|SPEC")]
    from: Vec<PathBuf>,
    /// Show how figures changed over commits instead: a folder with a file of results for each commit, in the order of their names, such
    /// as 20261128T150300-1a2b3c4.json. Each step shows its commit and the lines that caused it.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["from", "without_timelines"])]
    trend: Option<PathBuf>,
    /// The page.
    #[arg(long, short, value_name = "FILE", default_value = "cyclescope.html")]
    output: PathBuf,
    /// What was measured, for the head of the page.
    #[arg(long, value_name = "TEXT", default_value = "price list")]
    title: String,
    /// Leave the timelines out, for a page that is much smaller.
    #[arg(long)]
    without_timelines: bool,
    /// Where the programs were built that a spec refers to by name.
    #[arg(long, value_name = "DIR", default_value = "target/firmware")]
    firmware: PathBuf,
    #[command(flatten)]
    further: Further,
}

impl ReportArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        if let Some(folder) = &self.trend {
            return self.trend(folder);
        }
        let read: Vec<&Path> = self.from.iter().map(PathBuf::as_path).collect();
        common::check_written(&[("--output", Some(self.output.as_path()))], &read)?;
        let (mut rows, mut messages) = self.rows()?;
        if self.without_timelines {
            for row in &mut rows {
                (row.obtained.worst, row.obtained.best) = (None, None);
            }
        }
        let rules = rules_of(&rows);
        let results = Results::new(common::TOOL, rows);
        match common::write(&self.output, &page(&results, &rules, &self.title)) {
            Ok(()) => {
                let done = format!(
                    "{}: {} measurements\n",
                    self.output.display(),
                    results.results.len()
                );
                common::show(&done, &[Some(&self.output)])?;
            }
            Err(message) => messages.push(message),
        }
        Ok(messages.into())
    }

    /// Writes the page of the results in a folder.
    fn trend(&self, folder: &Path) -> Result<Ending> {
        let unreadable = |error: std::io::Error| {
            Diagnostic::mistake(format!("cannot be read: {error}")).in_file(folder.display().to_string())
        };
        let entries = folder
            .read_dir()
            .and_then(Iterator::collect::<std::io::Result<Vec<_>>>)
            .map_err(unreadable)?;
        let files = entries.iter().map(std::fs::DirEntry::path);
        let mut files: Vec<PathBuf> = files
            .filter(|path| path.extension().is_some_and(|end| end == "json"))
            .collect();
        files.sort();
        if files.is_empty() {
            let message =
                Diagnostic::mistake("there are no results in it").in_file(folder.display().to_string());
            return Err(message.help(
                "`cyclescope gate SPEC --save --only --baseline DIR/NAME.json` adds those of a commit",
            ));
        }
        let read: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
        common::check_written(&[("--output", Some(self.output.as_path()))], &read)?;
        let mut all = Vec::new();
        for file in &files {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            all.push(Kept {
                commit: commit(&name),
                rows: common::results(file)?.results,
            });
        }
        common::write(&self.output, &trend(&all, &classes))?;
        let done = format!("{}: {} results\n", self.output.display(), all.len());
        common::show(&done, &[Some(&self.output)])?;
        Ok(Ending::default())
    }

    fn rows(&self) -> Result<(Vec<Row>, Vec<Diagnostic>)> {
        let (mut all, mut messages): (Vec<Row>, Vec<Diagnostic>) = (Vec::new(), Vec::new());
        for path in &self.from {
            let rows = if path.extension().is_some_and(|extension| extension == "toml") {
                let options = Options {
                    timelines: true,
                    further: self.further.files().collect(),
                    ..Options::built_in(self.firmware.clone())
                };
                let spec = common::spec(path)?;
                common::check_written_by(&[("--output", Some(&self.output))], &spec, &options)?;
                let outcome = measure_spec(&spec, &options, || {});
                messages.extend(outcome.messages);
                outcome.rows
            } else {
                common::results(path)?.results
            };
            common::join(&mut all, rows, path)?;
        }
        Ok((all, messages))
    }
}

/// The commit that a file is named after: `1a2b3c4 (2026-11-28)` of `20261128T150300-1a2b3c4`, else the whole name.
fn commit(name: &str) -> String {
    let dated = name.split_once('-').filter(|(time, _)| {
        let (date, clock) = time.split_at_checked(8).unwrap_or(("", ""));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
        is_number(date) && clock.strip_prefix('T').is_some_and(is_number)
    });
    match dated {
        Some((time, commit)) => format!("{commit} ({}-{}-{})", &time[..4], &time[4..6], &time[6..8]),
        None => name.to_owned(),
    }
}
