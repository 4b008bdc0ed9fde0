//! `cyclescope test`: runs firmware tests, also as a cargo runner.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use lab::batch::without_rules;
use lab::diagnostic::{Diagnostic, Kind, Result};
use lab::suite::{self, Ran, Test};
use machine::board::Allow;
use machine::{Board, Console, FileAccess, Image, Options};
use report::libtest::{Ended, Tests};

use super::chip::Chip;
use super::choices::Length;
use super::output::{BROKEN_PIPE, Lost};
use super::program::{Files, Ways};
use super::{Ending, common};

/// Run the tests of firmware that is built with `embedded-test`, each from reset, and report them as Rust's own harness does.
///
/// As a cargo runner: `runner = "cyclescope test --board BOARD"`, and then `cargo test`. `cyclescope run` does the same with such a program, so
/// that one runner serves `cargo run` and `cargo test`.
#[derive(clap::Args, Debug)]
#[command(after_help = super::examples::TEST)]
pub(super) struct Args {
    /// The program, an ELF file.
    elf: PathBuf,
    #[command(flatten)]
    chosen: Chosen,
    /// The board: a name (`cyclescope boards` lists them) or a board file. Without this, a plain one with the core that the program was
    /// built for.
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// For each test; without it, the chip's time that the test itself asks for, or 60 s.
    #[command(flatten)]
    length: Length,
    /// Allow accesses to a range that the board does not describe, such as 0x40021000..0x40021400: reads give zero and
    /// writes are ignored. With `=fault` appended, accesses fault; `=held`, `=toggles` and `=0x12` say what reads give.
    #[arg(long, value_name = "RANGE")]
    allow: Vec<Allow>,
    #[command(flatten)]
    chip: Chip,
    /// Switch a timing rule off (`cyclescope rules` lists them).
    #[arg(long, value_name = "RULE")]
    without_rule: Vec<String>,
    #[command(flatten)]
    files_of_program: Files,
    /// Let the tests open files in this directory by semihosting. Names and links that lead out of it are refused.
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
}

/// Which tests, and how they are told: the words of Rust's own harness.
#[derive(clap::Parser, Clone, Debug)]
#[command(no_binary_name = true)]
#[allow(clippy::struct_excessive_bools)] // one for each option
pub(super) struct Chosen {
    /// Only tests with one of these in their names.
    #[arg(value_name = "FILTER")]
    filters: Vec<String>,
    /// Filters are whole names.
    #[arg(long)]
    exact: bool,
    /// Leave out tests with this in their names.
    #[arg(long, value_name = "FILTER")]
    skip: Vec<String>,
    /// Only tests that are ignored.
    #[arg(long)]
    ignored: bool,
    /// Tests that are ignored, too.
    #[arg(long)]
    include_ignored: bool,
    /// List the tests, and run none.
    #[arg(long)]
    list: bool,
    /// Show what tests print while they run; without it, only that of those that fail.
    #[arg(long, alias = "no-capture")]
    nocapture: bool,
    /// Show one sign for each test.
    #[arg(short, long)]
    quiet: bool,
    /// `pretty`, or `terse` as `--quiet`.
    #[arg(long, value_name = "FORMAT", default_value = "pretty", value_parser = ["pretty", "terse"])]
    format: String,
    /// Show the chip's time that each test took.
    #[arg(long)]
    report_time: bool,
    /// Accepted, without effect: tests run one after the other.
    #[arg(long, value_name = "COUNT", hide = true)]
    test_threads: Option<usize>,
    /// Accepted, without effect.
    #[arg(long, value_name = "WHEN", hide = true)]
    color: Option<String>,
    /// Accepted, without effect.
    #[arg(long, hide = true)]
    show_output: bool,
    /// Accepted, without effect.
    #[arg(short = 'Z', value_name = "OPTION", hide = true)]
    unstable: Vec<String>,
}

/// The environment in which tests run.
pub(super) struct Setup<'a> {
    pub(super) image: &'a Arc<Image>,
    pub(super) board: &'a Board,
    pub(super) length: Length,
    pub(super) allow: &'a [Allow],
    pub(super) files: Option<&'a PathBuf>,
}

impl Args {
    pub(super) fn execute(&self) -> Result<Ending> {
        let image = Arc::new(self.files_of_program.load(&self.elf, self.board.as_deref())?);
        let board = without_rules(
            self.chip.board(self.board.as_deref(), &image)?,
            &self.without_rule,
        )?;
        let setup = Setup {
            image: &image,
            board: &board,
            length: self.length,
            allow: &self.allow,
            files: self.files.as_ref(),
        };
        let tests = suite::tests(&image)?.ok_or_else(|| {
            let help = "tests are those of the crate embedded-test; `cyclescope run` runs any program";
            Diagnostic::mistake("there is no test in it")
                .in_file(image.file())
                .help(help)
        })?;
        self.chosen.execute(&tests, &setup)
    }
}

impl Chosen {
    /// Runs the selected tests.
    pub(super) fn execute(&self, tests: &[Test], setup: &Setup<'_>) -> Result<Ending> {
        let (chosen, others): (Vec<&Test>, Vec<&Test>) = tests.iter().partition(|test| self.chooses(test));
        if self.list {
            return self.listed(&chosen);
        }
        let mut results = Tests::new(
            chosen.len(),
            self.quiet || self.format == "terse",
            self.report_time,
        );
        common::print(&results.head())?;
        let (mut done, mut messages, mut overclocked) = (0, Vec::new(), None);
        let (all, lost) = (chosen.len(), Lost::default());
        for test in chosen {
            let name = if test.should_panic {
                format!("{} - should panic", test.name)
            } else {
                test.name.clone()
            };
            common::print(&results.begin(&name))?;
            // Flush a line that is not finished yet.
            let _ = std::io::stdout().flush();
            let (ended, nanoseconds) = if test.ignored && !self.ignored && !self.include_ignored {
                (Ended::Ignored, 0)
            } else {
                let (ended, ran) = self.run(test, setup, &lost)?;
                overclocked = overclocked.or(ran.overclocked);
                (ended, ran.nanoseconds)
            };
            if lost.is_any() {
                messages.extend(lost.message());
                return Ok(Ending {
                    messages,
                    firmware: BROKEN_PIPE,
                });
            }
            common::print(&results.end(&test.name, ended, nanoseconds))?;
            done += 1;
            if done < all {
                messages.extend(lab::cut::leaves_out(|| {
                    format!("{} of {all} tests were not run", all - done)
                }));
            }
            if !messages.is_empty() {
                break;
            }
        }
        let failed = !results.is_ok();
        common::print(&results.tail(others.len()))?;
        messages.extend(overclocked);
        messages.extend(failed.then(|| Diagnostic::new(Kind::Failed, "a test failed")));
        Ok(messages.into())
    }

    fn chooses(&self, test: &Test) -> bool {
        let meets = |filter: &String| {
            if self.exact {
                test.name == *filter
            } else {
                test.name.contains(filter.as_str())
            }
        };
        (self.filters.is_empty() || self.filters.iter().any(meets))
            && !self.skip.iter().any(meets)
            && (test.ignored || !self.ignored)
    }

    fn listed(&self, tests: &[&Test]) -> Result<Ending> {
        let mut text = String::new();
        for test in tests {
            text.push_str(&test.name);
            text.push_str(": test\n");
        }
        if !self.quiet && self.format != "terse" {
            let tests_word = if tests.len() == 1 { "test" } else { "tests" };
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{} {tests_word}, 0 benchmarks\n", tests.len());
        }
        common::print(&text)?;
        Ok(Ending::default())
    }

    fn run(&self, test: &Test, setup: &Setup<'_>, lost: &Lost) -> Result<(Ended, Ran)> {
        let (mut console, captured) = Console::captured();
        if self.nocapture {
            console = Console::new(lost.standard(), lost.error(), std::io::empty());
        }
        Ways::decode(&mut console, setup.image);
        let options = Options {
            allow: setup.allow.to_vec(),
            console,
            files: setup.files.cloned().map_or(FileAccess::None, FileAccess::within),
            ..Options::default()
        };
        let ran = suite::run(test, setup.image, setup.board, setup.length.horizon(), options)?;
        let ended = match &ran.failed {
            None => Ended::Ok,
            Some(why) => {
                let mut told = captured.text();
                if !told.is_empty() && !told.ends_with('\n') {
                    told.push('\n');
                }
                // With `--nocapture` they were shown as they came.
                for note in ran.notes.iter().filter(|_| !self.nocapture) {
                    // Writing to a string cannot fail.
                    let _ = writeln!(told, "note: {note}");
                }
                Ended::Failed(told + why)
            }
        };
        Ok((ended, ran))
    }
}
