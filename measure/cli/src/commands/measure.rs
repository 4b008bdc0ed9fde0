//! `cyclescope measure`: measures what a spec names, or the benchmarks of a program.

use std::path::PathBuf;

use lab::batch::{Options, measure_spec};
use lab::diagnostic::{Diagnostic, Result};

use super::benchmarks::Benchmarks;
use super::choices::{Choice, Length, View};
use super::results::Recording;
use super::target::Target;
use super::{Ending, common};

/// Measure what a spec names, or the benchmarks of a program
///
/// Benchmarks are functions with `#[bench]` of the crate `cyclescope-bench`. Each call is measured, from its first instruction to the one
/// after the call. `cargo cyclescope bench` builds the benchmarks of a package, and says what became slower since the last time.
#[derive(clap::Args, Debug)]
pub(super) struct MeasureArgs {
    /// A spec (TOML), or an ELF file with benchmarks.
    #[arg(value_name = "SPEC|ELF")]
    pub(super) from: PathBuf,
    #[command(flatten)]
    pub(super) benchmarks: Benchmarks,
    #[command(flatten)]
    pub(super) recording: Recording,
    #[command(flatten)]
    pub(super) how: How,
}

/// How to measure what a spec names, where that is not as the spec says.
#[derive(clap::Args, Debug)]
pub(super) struct How {
    /// The program to measure, in place of the spec's.
    #[arg(long, value_name = "FILE")]
    pub(super) elf: Option<PathBuf>,
    /// Where the programs were built that a spec refers to by name.
    #[arg(long, value_name = "DIR", default_value = "target/firmware")]
    firmware: PathBuf,
    /// When a point in code is met: when its instruction retires, or when its address is fetched, even if it is never
    /// executed (RV32 cores only).
    #[arg(long, value_name = "VIEW", default_value = "retire")]
    view: View,
    #[command(flatten)]
    pub(super) length: Length,
    #[command(flatten)]
    pub(super) target: Target,
    #[command(flatten)]
    pub(super) backend: Choice,
}

impl How {
    /// The same options for the library.
    pub(super) fn options(&self, timelines: bool) -> Options {
        Options {
            elf: self.elf.clone(),
            view: self.view.into(),
            horizon: self.length.horizon(),
            backend: self.backend.backend(),
            timelines,
            ..self.target.options(&self.firmware)
        }
    }

    /// The option that chooses a program or a board, if one is given.
    pub(super) fn chooses(&self) -> Option<&'static str> {
        let elf = self.elf.as_ref().map(|_| "--elf");
        elf.or(self.target.board.as_ref().map(|_| "--board"))
    }

    /// An option that only a spec's measurement takes, if it is given.
    fn given(&self) -> Option<&'static str> {
        let fetch = (self.view == View::Fetch).then_some("--view fetch");
        self.elf.is_some().then_some("--elf").or(fetch)
    }
}

impl MeasureArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let is_program = common::is_elf(&self.from);
        let (given, what, is) = if is_program {
            (self.how.given(), "a spec", "a program")
        } else {
            (self.benchmarks.given(), "a program with benchmarks", "a spec")
        };
        if let Some(option) = given {
            let title = format!("{option} is for {what}, and this is {is}");
            return Err(Diagnostic::mistake(title).in_file(self.from.display().to_string()));
        }
        if is_program {
            return self.benchmarks.measure(&self.from, &self.how, &self.recording);
        }
        let spec = common::spec(&self.from)?;
        let options = self.how.options(self.recording.timeline);
        common::check_written_by(&[self.recording.written()], &spec, &options)?;
        let outcome = measure_spec(&spec, &options, || {});
        Ok(self.recording.show(outcome)?.into())
    }
}
