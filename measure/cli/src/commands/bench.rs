//! `cyclescope bench`: measures a program's benchmarks.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lab::batch::without_rules;
use lab::calls::{Cost, benchmarks, cost};
use lab::classes;
use lab::diagnostic::{Diagnostic, Kind, Result};
use machine::board::Allow;
use report::difference::Differences;
use report::origin::changed;
use report::{Results, Row};

use super::chip::Chip;
use super::choices::{Choice, Length};
use super::program::Files;
use super::{Ending, common};

/// Measure the benchmarks of a program that was made with the crate `cyclescope-bench`.
///
/// Each call of each benchmark is measured, from its first instruction to the one after the call. `cargo cyclescope bench` builds
/// the benchmarks of a package, and says what became dearer since the last time.
#[derive(clap::Args, Debug)]
#[command(after_help = super::examples::BENCH)]
pub(super) struct Args {
    /// The program.
    elf: PathBuf,
    /// Only the benchmarks whose ids contain one of these.
    #[arg(value_name = "FILTER")]
    filters: Vec<String>,
    /// Show their ids, and measure none.
    #[arg(long)]
    list: bool,
    /// The board: a name (`cyclescope boards` lists them) or a board file. Without this, a plain one with the core that the program was
    /// built for.
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    #[command(flatten)]
    length: Length,
    /// Also show the most stack that a call used, with all that it called.
    #[arg(long)]
    stack: bool,
    /// Also write the results as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Results of the last time, with timelines: shows what changed since, and puts the new results there.
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Record the worst and the best call of each benchmark, instruction by instruction, in the file of --json.
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
        read.extend(self.files_of_program.further());
        common::check_written(
            &[("--json", self.json.as_deref()), ("--keep", self.keep.as_deref())],
            &read,
        )?;
        let before = self.before()?;
        let image = Arc::new(self.files_of_program.load(&self.elf, self.board.as_deref())?);
        let board = without_rules(
            self.chip.board(self.board.as_deref(), &image)?,
            &self.without_rule,
        )?;
        let functions = self.chosen(&benchmarks(&image))?;
        if self.list {
            let mut ids = String::new();
            for (_, id) in &functions {
                // Writing to a string cannot fail.
                let _ = writeln!(ids, "{id}");
            }
            common::print(&ids)?;
            return Ok(Vec::new().into());
        }
        let outcome = cost(
            &image,
            &board,
            &Cost {
                command: "bench",
                functions: functions.into_iter().map(|(symbol, _)| symbol).collect(),
                count: None,
                horizon: self.length.horizon(),
                stack: self.stack,
                timelines: self.timeline || self.keep.is_some(),
                interrupts: Vec::new(),
                stimuli: Vec::new(),
                allow: self.allow.clone(),
                backend: self.backend.backend(),
            },
        );
        common::show(&report::table(&outcome.rows), &[self.json.as_deref()])?;
        let mut messages = outcome.messages;
        messages.extend(not_at_its_end(&outcome.rows));
        messages.extend(common::write_json(self.json.as_deref(), &outcome.rows).err());
        if let Some(path) = &self.keep {
            messages.extend(self.compare(path, before, &outcome.rows).err());
        }
        Ok(messages.into())
    }

    /// The previous results; none the first time.
    fn before(&self) -> Result<Vec<Row>> {
        match &self.keep {
            Some(path) if path.exists() => Ok(common::results(path)?.results),
            _ => Ok(Vec::new()),
        }
    }

    /// Reports changes and updates the rows that were measured.
    fn compare(&self, path: &Path, before: Vec<Row>, rows: &[Row]) -> Result<()> {
        let (old, others): (Vec<Row>, Vec<Row>) = before
            .into_iter()
            .partition(|old| rows.iter().any(|new| old.is_of(new)));
        if !old.is_empty() {
            let differences = Differences::between(&old, rows, &classes);
            let mut text = format!("\nsince the last time:\n{}", differences.to_text());
            for change in changed(&old, rows, common::TOOL) {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "note: {change}");
            }
            common::show(&text, &[self.json.as_deref()])?;
        }
        let kept = [rows.to_vec(), others].concat();
        common::write(path, &Results::new(common::TOOL, kept).to_json())
    }

    /// The benchmarks that the filters select.
    fn chosen(&self, all: &[(String, String)]) -> Result<Vec<(String, String)>> {
        let file = || self.elf.display().to_string();
        if all.is_empty() {
            let help = "a benchmark is a function with `#[bench]` of the crate `cyclescope-bench` that `main!` names; \
                        `cyclescope cost` measures any function";
            return Err(Diagnostic::mistake("there is no benchmark in it")
                .in_file(file())
                .help(help));
        }
        let is_wanted = |(_, id): &&(String, String)| {
            self.filters.is_empty() || self.filters.iter().any(|filter| id.contains(filter.as_str()))
        };
        let chosen: Vec<_> = all.iter().filter(is_wanted).cloned().collect();
        if chosen.is_empty() {
            let ids: Vec<&str> = all.iter().map(|(_, id)| id.as_str()).collect();
            return Err(Diagnostic::mistake("no benchmark has such a name")
                .in_file(file())
                .help(format!("there are {}", ids.join(", "))));
        }
        Ok(chosen)
    }
}

/// A message if the program did not end by `cyclescope_bench::end`: usually a benchmark panicked.
fn not_at_its_end(rows: &[Row]) -> Option<Diagnostic> {
    let ended = rows.iter().find_map(|row| row.ended.as_deref())?;
    let is_exit = ended.starts_with("exit code");
    let title = format!("the benchmarks did not run to their end: {ended}");
    is_exit.then(|| {
        Diagnostic::new(Kind::Firmware, title).help("`cyclescope run` shows what the program says of it")
    })
}
