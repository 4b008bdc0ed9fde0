//! `cyclescope compare`: compares the model with a board.

use std::path::PathBuf;

use lab::backend::Backend;
use lab::batch::{Options, measure_spec};
use lab::diagnostic::{Diagnostic, Kind, Result};
use machine::board::{Allow, Core};
use report::Row;

use super::chip::Chip;
use super::choices::{Choice, Length};
use super::program::Files;
use super::{Ending, common};

/// Measure what a spec names on the model and on a board, and show both: where they differ, with the rules that may be to blame.
///
/// The board is behind a GDB server (`--backend gdb:HOST:PORT`: `OpenOCD`, `probe-rs gdb`, `pyOCD`, J-Link), with the program in its flash; of an RV32
/// core, its Verilog (`--backend rtl`) can take its place.
#[derive(clap::Args, Debug)]
#[command(after_help = super::examples::COMPARE)]
pub(super) struct Args {
    /// The spec, a TOML file.
    spec: PathBuf,
    /// The program to measure, in place of the spec's.
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,
    /// The board, in place of the spec's: a name (`cyclescope boards` lists them) or a board file.
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// Where the programs were built that a spec refers to by name.
    #[arg(long, value_name = "DIR", default_value = "target/firmware")]
    firmware: PathBuf,
    /// Also write the model's rows as JSON, with the board's figures as published ones.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fail (exit code 1) if a row differs by more cycles.
    #[arg(long, value_name = "CYCLES")]
    within: Option<u32>,
    /// Allow accesses to a range that the board does not describe, such as 0x40021000..0x40021400: reads give zero and
    /// writes are ignored. With `=fault` appended, accesses fault; `=held`, `=toggles` and `=0x12` say what reads give.
    #[arg(long, value_name = "RANGE")]
    allow: Vec<Allow>,
    #[command(flatten)]
    chip: Chip,
    #[command(flatten)]
    length: Length,
    #[command(flatten)]
    files_of_program: Files,
    #[command(flatten)]
    backend: Choice,
}

impl Args {
    pub(super) fn execute(&self) -> Result<Ending> {
        let backend = self.backend.backend();
        if backend.is_model() {
            let message = Diagnostic::mistake("the model is not compared with itself");
            return Err(message.help("`--backend gdb:localhost:3333` measures the board behind a GDB server"));
        }
        let spec = common::spec(&self.spec)?;
        let options = |backend: Backend| Options {
            elf: self.elf.clone(),
            base: self.files_of_program.base(),
            further: self.files_of_program.others(),
            board: self.board.clone(),
            allow: self.allow.clone(),
            described: self.chip.described(),
            timelines: backend.is_model(),
            backend,
            horizon: self.length.horizon(),
            ..Options::built_in(self.firmware.clone())
        };
        common::check_written_by(
            &[("--json", self.json.as_deref())],
            &spec,
            &options(Backend::Model),
        )?;
        let board = measure_spec(&spec, &options(backend), || {});
        let model = measure_spec(&spec, &options(Backend::Model), || {});
        let mut rows = model.rows;
        lab::reference::beside(&mut rows, &board.rows);
        if !rows.is_empty() {
            common::show(&report::compared(&rows, &known), &[self.json.as_deref()])?;
        }
        let mut messages = board.messages;
        messages.extend(model.messages);
        messages.extend(common::write_json(self.json.as_deref(), &rows).err());
        messages.extend(self.beyond(&rows));
        Ok(messages.into())
    }

    /// The message for a row outside its tolerance.
    fn beyond(&self, rows: &[Row]) -> Option<Diagnostic> {
        let within = f64::from(self.within?);
        let differs = |row: &&Row| {
            row.difference()
                .is_none_or(|difference| difference.abs() > within)
        };
        let row = rows.iter().find(differs)?;
        let title = match row.difference() {
            Some(_) => format!("`{}` differs by more than {within} cycles", row.id),
            None => format!("`{}` was not measured on the board", row.id),
        };
        Some(Diagnostic::new(Kind::Failed, title))
    }
}

/// The evidence mark of a rule on a row's core.
fn known(row: &Row, rule: &str) -> Option<(u8, &'static str)> {
    let book = Core::named(&row.core)?.rule_book();
    let mark = book.named(rule)?.mark;
    Some((mark as u8, mark.name()))
}
