//! Benchmarks of a program that was made with the crate `cyclescope-bench`: `cyclescope measure benches.elf`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use lab::calls::{Cost, benchmarks, cost};
use lab::classes;
use lab::diagnostic::{Diagnostic, Kind, Result};
use report::difference::Differences;
use report::origin::changed;
use report::{Results, Row};

use super::measure::How;
use super::results::Recording;
use super::{Ending, common};

/// Which benchmarks to measure, and what else to show of them.
#[derive(clap::Args, Debug)]
pub(super) struct Benchmarks {
    /// Only the benchmarks whose ids contain one of these.
    #[arg(value_name = "FILTER")]
    filters: Vec<String>,
    /// Show the ids of the benchmarks, and measure none.
    #[arg(long)]
    list: bool,
    /// Also show the most stack that a benchmark's call used, with all that it called.
    #[arg(long)]
    stack: bool,
    /// Results of the last time, with timelines: shows which benchmarks changed since, and puts the new results there.
    #[arg(long, value_name = "FILE")]
    pub(super) keep: Option<PathBuf>,
}

impl Benchmarks {
    /// One of these options, if it is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let options = [
            (!self.filters.is_empty(), "FILTER"),
            (self.list, "--list"),
            (self.stack, "--stack"),
            (self.keep.is_some(), "--keep"),
        ];
        options
            .into_iter()
            .find_map(|(is_given, option)| is_given.then_some(option))
    }

    /// Measures the benchmarks of a program.
    pub(super) fn measure(&self, elf: &Path, with: &How, recording: &Recording) -> Result<Ending> {
        let written = [recording.written(), ("--keep", self.keep.as_deref())];
        let (image, board) = with.target.load(elf, &written, &[])?;
        let before = self.before()?;
        let functions = self.chosen(elf, &benchmarks(&image))?;
        if self.list {
            let mut ids = String::new();
            for (_, id) in &functions {
                // Writing to a string cannot fail.
                let _ = writeln!(ids, "{id}");
            }
            common::print(&ids)?;
            return Ok(Ending::default());
        }
        let mut outcome = cost(
            &image,
            &board,
            &Cost {
                command: "bench",
                functions: functions.into_iter().map(|(symbol, _)| symbol).collect(),
                count: None,
                horizon: with.length.horizon(),
                stack: self.stack,
                timelines: recording.timeline || self.keep.is_some(),
                interrupts: Vec::new(),
                stimuli: Vec::new(),
                allow: with.target.allow.clone(),
                backend: with.backend.backend(),
            },
        );
        outcome.messages.extend(not_at_its_end(&outcome.rows));
        let rows = outcome.rows.clone();
        let mut messages = recording.show(outcome)?;
        if let Some(path) = &self.keep {
            messages.extend(Self::compare(path, before, &rows, recording).err());
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
    fn compare(path: &Path, before: Vec<Row>, rows: &[Row], recording: &Recording) -> Result<()> {
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
            common::show(&text, &[recording.json.as_deref()])?;
        }
        let kept = [rows.to_vec(), others].concat();
        common::write(path, &Results::new(common::TOOL, kept).to_json())
    }

    /// The benchmarks that the filters select.
    fn chosen(&self, elf: &Path, all: &[(String, String)]) -> Result<Vec<(String, String)>> {
        let file = || elf.display().to_string();
        if all.is_empty() {
            let help = format!(
                "it is a program: `cyclescope cost {} FUNCTION` measures a function of it, and `measure SPEC.toml` what a spec names; \
                 a benchmark is a function with `#[bench]` of the crate `cyclescope-bench` that `main!` names",
                elf.display()
            );
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
