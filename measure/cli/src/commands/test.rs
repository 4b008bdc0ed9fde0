//! `cyclescope test`: runs firmware tests, also as a cargo runner.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use lab::diagnostic::{Diagnostic, Kind, Result};
use lab::suite::{self, Ran, Test};
use machine::board::Allow;
use machine::{Board, Console, Image, Options};
use report::libtest::{Ended, Tests};

use super::choices::Length;
use super::inputs::{Channels, Semihosting};
use super::output::{BROKEN_PIPE, Lost};
use super::target::Program;
use super::{Ending, common};

/// Run the tests of firmware that is built with `embedded-test`
///
/// Each runs from reset, and they are reported as Rust's own harness does. As a cargo runner: `runner = "cyclescope test --board BOARD"`, and then `cargo test`. `cyclescope run` does the same with such a program, so
/// that one runner serves `cargo run` and `cargo test`.
#[derive(clap::Args, Debug)]
pub(super) struct TestArgs {
    #[command(flatten)]
    pub(super) program: Program,
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    pub(super) length: Length,
    #[command(flatten)]
    pub(super) semihosting: Semihosting,
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
    pub(super) semihosting: &'a Semihosting,
}

impl TestArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        self.tests()?.ok_or_else(|| {
            let help = "tests are those of the crate embedded-test; `cyclescope run` runs any program";
            Diagnostic::mistake("there is no test in it")
                .in_file(self.program.elf.display().to_string())
                .help(help)
        })
    }

    /// Runs the tests of the program; `None` if it has no table of tests.
    pub(super) fn tests(&self) -> Result<Option<Ending>> {
        let (image, board) = self.program.load(&[], &[])?;
        let Some(tests) = suite::tests(&image)? else {
            return Ok(None);
        };
        let setup = Setup {
            image: &image,
            board: &board,
            length: self.length,
            allow: &self.program.target.allow,
            semihosting: &self.semihosting,
        };
        self.chosen.execute(&tests, &setup).map(Some)
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
        Channels::decode(&mut console, setup.image);
        let options = Options {
            allow: setup.allow.to_vec(),
            console,
            files: setup.semihosting.access()?,
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
