//! `cyclescope report`: renders results as one page.

use std::path::{Path, PathBuf};

use lab::batch::{Options, measure_spec};
use lab::diagnostic::{Diagnostic, Result};
use lab::rules_of;
use report::page::{page, title_of};
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
    #[arg(required = true, value_name = "RESULTS|SPEC")]
    from: Vec<PathBuf>,
    /// The page.
    #[arg(long, short, value_name = "FILE", default_value = "cyclescope.html")]
    output: PathBuf,
    /// The page's heading; without this, the names of the programs that were measured.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
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
        let title = self.title.clone().unwrap_or_else(|| title_of(&results));
        match common::write(&self.output, &page(&results, &rules, &title)) {
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
