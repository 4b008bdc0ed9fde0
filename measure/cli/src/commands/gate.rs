//! `cyclescope gate`: measures, checks the results against limits and a baseline, and renews the baseline.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lab::batch::{files_of, measure_spec};
use lab::diagnostic::{Diagnostic, Kind, Result};
use lab::gate::{Against, Limits};
use lab::spec::Spec;
use report::gate::{Judgement, Verdict};
use report::{Obtained, Row};

use super::measure::How;
use super::{Ending, common};

/// The file of limits, unless the command line names another.
const LIMITS: &str = "cyclescope-limits.toml";
/// The baseline, unless the command line or the limits name another: a file beside the limits.
const BASELINE: &str = "cyclescope-baseline.json";

/// Measure, and check the results against limits and a baseline
///
/// With a baseline, a row that costs more than before fails, unless a limit allows it to grow, and the lines that cost more are shown. Exit
/// code 1 if a hard limit is exceeded.
#[derive(clap::Args, Debug)]
pub(super) struct GateArgs {
    /// Specs (TOML) to measure, or results that `--json` of another command wrote.
    #[arg(required = true, value_name = "SPEC|RESULTS")]
    from: Vec<PathBuf>,
    /// The limits [default: cyclescope-limits.toml; without such a file, no row may grow].
    #[arg(long, value_name = "FILE")]
    limits: Option<PathBuf>,
    /// The baseline, instead of the one that the limits name [default: cyclescope-baseline.json beside the limits, if there is one].
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Accept what differs from the baseline, and write the results into it: a file to check in. Rows that the results do not have stay.
    #[arg(long)]
    save: bool,
    /// With --save, drop the rows that the results do not have.
    #[arg(long, requires = "save")]
    only: bool,
    /// Also write the results as JSON, with their timelines.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    formats: Formats,
    /// Timelines are always recorded.
    #[arg(long, hide = true)]
    timeline: bool,
    #[command(flatten)]
    how: How,
}

/// The forms in which the verdict is written.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Reports")]
struct Formats {
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

/// What there is to measure, or the results.
enum From {
    Spec(Spec),
    Results(PathBuf),
}

impl GateArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let limits = self.limits()?;
        let baseline = self.baseline(limits.as_ref());
        let sources = self.sources()?;
        let written = self.check_written(&sources, baseline.as_deref())?;
        let mut messages = Vec::new();
        let rows = self.rows(&sources, &mut messages)?;
        if sources.iter().any(|source| matches!(source, From::Spec(_))) {
            common::show(&format!("{}\n", report::table(&rows)), &written)?;
            messages.extend(common::write_json(self.json.as_deref(), &rows).err());
        }
        let grave = |message: &Diagnostic| !matches!(message.kind(), Kind::Skipped | Kind::Failed);
        if messages.iter().any(grave) {
            // Rows are missing, and the messages say why.
            return Ok(messages.into());
        }
        let before = baseline.as_deref().filter(|path| path.is_file() || !self.save);
        let before = before
            .map(common::results)
            .transpose()?
            .map(|results| results.results);
        let limits = match (limits, &baseline) {
            (Some(limits), _) => limits,
            (None, Some(baseline)) => Limits::of_baseline(&baseline.display().to_string()),
            (None, None) => return Err(nothing_to_hold()),
        };
        let against = match &before {
            Some(before) if self.save => Against::Replaced(before),
            Some(before) => Against::Baseline(before),
            None if self.save => Against::Replaced(&[]),
            None => Against::Nothing,
        };
        let judgement = limits.judge(&rows, against)?;
        common::show(&judgement.to_text(), &written)?;
        if self.formats.annotate {
            common::print(&judgement.to_annotations())?;
        }
        messages.extend(self.formats.write(&judgement));
        if judgement.verdict() == Verdict::Failed {
            let message = Diagnostic::new(Kind::Failed, "limit exceeded").in_file(limits.path());
            messages.push(message.help(remedy(&judgement)));
        }
        if let (true, Some(baseline)) = (self.save, &baseline) {
            messages.extend(
                self.save(baseline, before.unwrap_or_default(), rows, &written)
                    .err(),
            );
        }
        Ok(messages.into())
    }

    /// The limits: those that the command line names, or the usual file if there is one.
    fn limits(&self) -> Result<Option<Limits>> {
        let usual = Path::new(LIMITS);
        let path = self
            .limits
            .as_deref()
            .or_else(|| usual.is_file().then_some(usual));
        path.map(|path| Limits::parse(&path.display().to_string(), &common::read(path)?))
            .transpose()
    }

    /// The path of the baseline, which exists or is to be saved.
    fn baseline(&self, limits: Option<&Limits>) -> Option<PathBuf> {
        let beside = |name: &str| {
            self.limits
                .as_deref()
                .and_then(Path::parent)
                .unwrap_or(Path::new(""))
                .join(name)
        };
        let named = self.baseline.clone();
        let named = named.or_else(|| limits.and_then(Limits::baseline).map(beside));
        named.or_else(|| Some(beside(BASELINE)).filter(|usual| self.save || usual.is_file()))
    }

    fn sources(&self) -> Result<Vec<From>> {
        let source = |path: &PathBuf| {
            if path.extension().is_some_and(|end| end == "toml") {
                Ok(From::Spec(common::spec(path)?))
            } else {
                Ok(From::Results(path.clone()))
            }
        };
        let sources: Vec<From> = self.from.iter().map(source).collect::<Result<_>>()?;
        let is_measured = sources.iter().any(|source| matches!(source, From::Spec(_)));
        match self.how.chooses() {
            Some(option) if !is_measured => {
                let title = format!("{option} chooses what to measure, and only results are given");
                Err(Diagnostic::mistake(title).help("name a spec (TOML), or leave the option out"))
            }
            _ => Ok(sources),
        }
    }

    /// Refuses to write to a file that is read. The baseline is one that may be replaced.
    fn check_written<'a>(
        &'a self,
        sources: &[From],
        baseline: Option<&'a Path>,
    ) -> Result<Vec<Option<&'a Path>>> {
        let options = self.how.options(true);
        let mut read: Vec<PathBuf> = Vec::new();
        for source in sources {
            match source {
                From::Spec(spec) => read.extend(files_of(spec, &options)),
                From::Results(path) => read.push(path.clone()),
            }
        }
        read.extend(self.limits.clone());
        let saved = baseline.filter(|_| self.save);
        read.extend(baseline.filter(|_| !self.save).map(Path::to_owned));
        let mut written = self.formats.files().to_vec();
        written.extend([("--json", self.json.as_deref()), ("--save", saved)]);
        common::check_written(&written, &read.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
        Ok(written.into_iter().map(|(_, path)| path).collect())
    }

    /// The rows of all results and specs.
    fn rows(&self, sources: &[From], messages: &mut Vec<Diagnostic>) -> Result<Vec<Row>> {
        let mut all: Vec<Row> = Vec::new();
        for (source, path) in sources.iter().zip(&self.from) {
            let rows = match source {
                From::Spec(spec) => {
                    let outcome = measure_spec(spec, &self.how.options(true), || {});
                    messages.extend(outcome.messages);
                    outcome.rows
                }
                From::Results(path) => common::results(path)?.results,
            };
            common::join(&mut all, rows, path)?;
        }
        Ok(all)
    }

    /// Writes the baseline: rows by their names, whatever the order of the specs, so that only what changed differs.
    fn save(&self, path: &Path, before: Vec<Row>, rows: Vec<Row>, written: &[Option<&Path>]) -> Result<()> {
        let key = |row: &Row| (row.id.clone(), row.board.clone(), row.kernel.clone());
        let kept = before.into_iter().map(|row| (key(&row), row));
        let mut all: BTreeMap<_, Row> = kept.collect();
        let known = all.clone();
        if self.only {
            all.clear();
        }
        let (mut added, mut renewed) = (0, 0);
        for row in rows {
            match known.get(&key(&row)) {
                Some(old) => renewed += usize::from(!old.says_the_same(&row)),
                None => added += 1,
            }
            all.insert(key(&row), row);
        }
        let sums = |row: Row| Row {
            obtained: Obtained::sums(&row.obtained),
            ..row
        };
        let all: Vec<Row> = all.into_values().map(sums).collect();
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            common::create_folder(folder)?;
        }
        common::write_json(Some(path), &all)?;
        let count = if all.len() == 1 {
            "1 row".to_owned()
        } else {
            format!("{} rows", all.len())
        };
        common::show(
            &format!("{}: {count}, {added} new, {renewed} renewed\n", path.display()),
            written,
        )
    }
}

impl Formats {
    fn files(&self) -> [(&'static str, Option<&Path>); 4] {
        [
            ("--junit", self.junit.as_deref()),
            ("--markdown", self.markdown.as_deref()),
            ("--sarif", self.sarif.as_deref()),
            ("--bencher", self.bencher.as_deref()),
        ]
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

/// The message if there are neither limits nor a baseline.
fn nothing_to_hold() -> Diagnostic {
    Diagnostic::mistake(format!(
        "there are no limits ({LIMITS}) and no baseline ({BASELINE})"
    ))
    .help("`--save` writes the results as a baseline: from then on growth fails")
}

/// The help text for an exceeded limit that is intended.
fn remedy(judgement: &Judgement) -> &'static str {
    let mut failed = judgement.rows.iter().filter(|row| row.verdict == Verdict::Failed);
    if failed.any(|row| row.baseline.is_some() && row.baseline != row.value) {
        "if this is intended, renew the baseline: the same command with `--save`"
    } else {
        "no baseline decides this: if it is intended, change the limit in the file"
    }
}
