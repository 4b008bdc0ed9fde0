//! `cyclescope gate`: checks results against limits.

use std::path::{Path, PathBuf};

use lab::diagnostic::{Diagnostic, Kind, Result};
use lab::gate::Limits;
use report::Row;
use report::gate::{Judgement, Verdict};

use super::{Ending, common};

/// Check results against limits, and against a baseline
///
/// The limits are in a file that is checked in. Exit code 1 if a hard one is not kept.
#[derive(clap::Args, Debug)]
pub(super) struct GateArgs {
    /// Results that `--json` of another command wrote.
    #[arg(required = true, value_name = "RESULTS")]
    results: Vec<PathBuf>,
    /// The limits.
    #[arg(long, value_name = "FILE", default_value = "cyclescope-limits.toml")]
    limits: PathBuf,
    /// The baseline, instead of the one that the file of limits names.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write test cases as `JUnit` has them.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a page for a pull request or the summary of a step.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write a log of SARIF 2.1.0.
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Write what Bencher reads.
    #[arg(long, value_name = "FILE")]
    bencher: Option<PathBuf>,
    /// Print annotations for GitHub's workflows.
    #[arg(long)]
    annotate: bool,
}

impl GateArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let path = self.limits.display().to_string();
        let limits = Limits::parse(&path, &common::read(&self.limits)?)?;
        let beside = |name: &str| self.limits.parent().unwrap_or(Path::new("")).join(name);
        let baseline = self.baseline.clone().or(limits.baseline().map(beside));
        let read = self.results.iter().chain([&self.limits]).chain(&baseline);
        let written = [
            ("--junit", self.junit.as_deref()),
            ("--markdown", self.markdown.as_deref()),
            ("--sarif", self.sarif.as_deref()),
            ("--bencher", self.bencher.as_deref()),
        ];
        common::check_written(&written, &read.map(PathBuf::as_path).collect::<Vec<_>>())?;
        let rows = rows(&self.results)?;
        let before = baseline.as_deref().map(common::results).transpose()?;
        let judgement = limits.judge(&rows, before.as_ref().map(|results| &results.results[..]))?;
        common::show(&judgement.to_text(), &written.map(|(_, path)| path))?;
        if self.annotate {
            common::print(&judgement.to_annotations())?;
        }
        let mut messages = self.write(&judgement);
        if judgement.verdict() == Verdict::Failed {
            let message = Diagnostic::new(Kind::Failed, "limit exceeded").in_file(path);
            messages.push(message.help(remedy(&judgement)));
        }
        Ok(messages.into())
    }

    fn write(&self, judgement: &Judgement) -> Vec<Diagnostic> {
        common::write_each(&[
            (&self.junit, &|| judgement.to_junit()),
            (&self.markdown, &|| judgement.to_markdown()),
            (&self.sarif, &|| judgement.to_sarif(env!("CARGO_PKG_VERSION"))),
            (&self.bencher, &|| judgement.to_bencher()),
        ])
    }
}

/// The help text for an exceeded limit that is intended.
fn remedy(judgement: &Judgement) -> &'static str {
    let mut failed = judgement.rows.iter().filter(|row| row.verdict == Verdict::Failed);
    if failed.any(|row| row.baseline.is_some() && row.baseline != row.value) {
        "if this is intended, update the baseline: `cyclescope baseline`"
    } else {
        "no baseline decides this: if it is intended, change the limit in the file"
    }
}

/// The rows of all files.
pub(super) fn rows(paths: &[PathBuf]) -> Result<Vec<Row>> {
    let mut all: Vec<Row> = Vec::new();
    for path in paths {
        common::join(&mut all, common::results(path)?.results, path)?;
    }
    Ok(all)
}
