//! `cyclescope prices`: the whole price list.

use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use lab::batch::{Options, measure_spec};
use lab::diagnostic::{Diagnostic, Kind, Result};
use lab::spec::{Elsewhere, Spec};
use lab::{LeftOut, Outcome};
use report::{Results, Row};

use super::choices::Choice;
use super::results::Recording;
use super::{Ending, common};

/// The command that regenerates the page, shown on it.
const MADE_WITH: &str = "./x prices";

/// The command for the page of published figures.
const LEDGER_MADE_WITH: &str = "./x others checks";

/// Measure the project's own price list: every spec in `firmware/prices`
#[derive(clap::Args, Debug)]
pub(super) struct PricesArgs {
    /// The specs; by default, all in `DIR/prices`.
    specs: Vec<PathBuf>,
    /// The firmware's sources, with their specs in `prices`.
    #[arg(long, value_name = "DIR", default_value = "firmware")]
    dir: PathBuf,
    /// Where the programs were built.
    #[arg(long, value_name = "DIR", default_value = "target/firmware")]
    firmware: PathBuf,
    #[command(flatten)]
    recording: Recording,
    /// Also write the price list as a Markdown page, which leads to one for each group, in the folder `prices` beside it.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Also write a page of what was published: what is equal, what explains the rest, and what is open.
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Compare with the existing page (docs/PRICES.md, or those of --markdown and --ledger) instead of writing one.
    #[arg(long)]
    check: bool,
    /// Show a line for each group in place of the tables.
    #[arg(long)]
    summary: bool,
    #[command(flatten)]
    backend: Choice,
}

impl PricesArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let specs = self.specs()?;
        self.check_written(&specs)?;
        let Outcome {
            rows,
            mut messages,
            left_out,
        } = self.measure(&specs);
        // Each program left out has a message.
        let complete = messages.len() == left_out.len();
        let shown = if self.summary {
            groups(&rows)
        } else {
            report::table(&rows) + "\n"
        };
        common::print(&format!("{shown}{}\n", summary(&rows)))?;
        messages.extend(common::write_json(self.recording.json.as_deref(), &rows).err());
        let pages = self.files(rows, &elsewhere(&specs));
        let (whole, lacking): (Vec<Page>, Vec<Page>) = pages
            .into_iter()
            .partition(|page| page.lacks(&left_out).is_none());
        messages.extend(self.pages(&whole, complete).err());
        messages.extend(lacking.iter().filter_map(|page| page.left_out(&left_out)));
        Ok(messages.into())
    }

    /// Refuses to overwrite a spec, or to write both results to one file.
    fn check_written(&self, specs: &[Spec]) -> Result<()> {
        let page = self.markdown.as_deref().filter(|_| !self.check);
        let ledger = self.ledger.as_deref().filter(|_| !self.check);
        let written = [
            self.recording.written(),
            ("--markdown", page),
            ("--ledger", ledger),
        ];
        let read: Vec<&Path> = specs.iter().map(|spec| Path::new(&spec.source.path)).collect();
        common::check_written(&written, &read)
    }

    fn specs(&self) -> Result<Vec<Spec>> {
        if !self.specs.is_empty() {
            return self.specs.iter().map(|path| common::spec(path)).collect();
        }
        let folder = self.dir.join("prices");
        let unreadable = |error| {
            let title = format!("no price specs: {error}");
            let help = "run it at the top of the checkout, or name the specs or --dir";
            Diagnostic::mistake(title)
                .in_file(folder.display().to_string())
                .help(help)
        };
        let files = folder
            .read_dir()
            .map_err(unreadable)?
            .flatten()
            .map(|file| file.path());
        let mut files: Vec<PathBuf> = files
            .filter(|path| path.extension().is_some_and(|e| e == "toml"))
            .collect();
        // The price list's order must not depend on the file system's.
        files.sort();
        files.iter().map(|path| common::spec(path)).collect()
    }

    fn measure(&self, specs: &[Spec]) -> Outcome {
        let options = Options {
            backend: self.backend.backend(),
            timelines: self.recording.timeline,
            ..Options::built_in(self.firmware.clone())
        };
        let bar = progress(specs.iter().map(|spec| spec.programs.len()).sum());
        let mut all = Outcome::default();
        for spec in specs {
            all.append(measure_spec(spec, &options, || bar.inc(1)));
        }
        bar.finish_and_clear();
        all
    }

    /// Writes or checks pages. An incomplete list replaces none.
    fn pages(&self, pages: &[Page], complete: bool) -> Result<()> {
        for page in pages {
            if self.check {
                page.check()?;
            } else if complete {
                page.path.parent().map_or(Ok(()), common::create_folder)?;
                common::write(&page.path, &page.text)?;
            }
        }
        Ok(())
    }

    fn files(&self, rows: Vec<Row>, elsewhere: &str) -> Vec<Page> {
        let picture = report::wait_states(&rows);
        let results = Results::new(common::TOOL, rows);
        let usual = (self.check && self.ledger.is_none()).then(|| PathBuf::from("docs/PRICES.md"));
        let mut files = Vec::new();
        let mut page = |path: PathBuf, text: String, made_with, of: Of| {
            files.push(Page {
                path,
                text,
                made_with,
                of,
            });
        };
        if let Some(path) = self.markdown.clone().or(usual) {
            let text = report::markdown(&results, MADE_WITH) + elsewhere;
            let (index, chapters) = report::chapters(&text, &results);
            let folder = path.with_file_name(report::CHAPTERS);
            page(path.clone(), index, MADE_WITH, Of::All);
            for (name, text) in chapters {
                page(folder.join(&name), text, MADE_WITH, Of::Group(name));
            }
            if let Some(picture) = picture {
                page(
                    path.with_file_name(report::PICTURE),
                    picture,
                    MADE_WITH,
                    Of::Drawn,
                );
            }
        }
        if let Some(path) = self.ledger.clone() {
            let text = report::ledger(&results, LEDGER_MADE_WITH);
            page(path, text, LEDGER_MADE_WITH, Of::Published);
        }
        files
    }
}

/// The last part of the page: figures that no program here measures.
fn elsewhere(specs: &[Spec]) -> String {
    let figures = specs.iter().flat_map(|spec| &spec.elsewhere);
    let lines = figures.map(|other| {
        let Elsewhere {
            id,
            kernel,
            figure,
            unit,
            on,
            source,
        } = other;
        format!("| {id} | {kernel} | {figure} | {unit} | {on} | {source} |\n")
    });
    let lines: String = lines.collect();
    if lines.is_empty() {
        return lines;
    }
    format!(
        "\n## Measured elsewhere\n\nNo row is compared with these: their programs and machines are not those above.\n\n\
         | measurement | of | figure | unit | on | source |\n| --- | --- | --: | --- | --- | --- |\n{lines}"
    )
}

/// A progress bar on standard error, if that is a terminal.
fn progress(programs: usize) -> ProgressBar {
    let bar = ProgressBar::new(programs as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} programs") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// One line for each group, in their order.
fn groups(rows: &[Row]) -> String {
    let group = |row: &Row| row.id.split('/').next().unwrap_or_default().to_owned();
    let stretches = rows.chunk_by(|a, b| group(a) == group(b));
    let line = |rows: &[Row]| format!("{:<9} {}\n", group(&rows[0]), summary(rows));
    stretches.map(line).collect()
}

fn summary(rows: &[Row]) -> String {
    report::Compared::of(rows).to_string()
}

/// A file that the price list generates.
struct Page {
    path: PathBuf,
    text: String,
    /// The command that regenerates it.
    made_with: &'static str,
    /// The rows that it shows.
    of: Of,
}

/// Which rows a page shows.
enum Of {
    /// All rows.
    All,
    /// The rows of the group that has this page.
    Group(String),
    /// Rows with a published figure.
    Published,
    /// Rows that are points of a plot.
    Drawn,
}

impl Page {
    /// The first program that the page needs and that was left out.
    fn lacks<'a>(&self, left_out: &'a [LeftOut]) -> Option<&'a LeftOut> {
        left_out.iter().find(|program| match &self.of {
            Of::All => true,
            Of::Group(name) => program.groups.iter().any(|group| report::chapter(group) == *name),
            Of::Published => program.is_published,
            Of::Drawn => program.is_drawn,
        })
    }

    /// A message that the page was neither written nor checked, because a program it needs was left out.
    fn left_out(&self, left_out: &[LeftOut]) -> Option<Diagnostic> {
        let title = format!(
            "left out: it needs `{}`, which was not built",
            self.lacks(left_out)?.program
        );
        Some(Diagnostic::new(Kind::Skipped, title).in_file(self.path.display().to_string()))
    }

    /// Checks that the file holds what would be written.
    fn check(&self) -> Result<()> {
        let kept = common::read(&self.path)?;
        if kept == self.text {
            return Ok(());
        }
        let line = kept
            .lines()
            .zip(self.text.lines())
            .position(|(kept, new)| kept != new);
        let line = line.unwrap_or_else(|| kept.lines().count().min(self.text.lines().count()));
        let show = |text: &str| {
            text.lines()
                .nth(line)
                .map_or("nothing".to_owned(), |line| format!("`{line}`"))
        };
        Err(Diagnostic::new(Kind::Failed, "the price list is stale")
            .in_file(self.path.display().to_string())
            .note(format!(
                "line {} is {}, now measured: {}",
                line + 1,
                show(&kept),
                show(&self.text)
            ))
            .help(format!("`{}` renews it", self.made_with)))
    }
}
