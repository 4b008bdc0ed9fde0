//! `cyclescope compare`: compares the model with a board.

use std::path::PathBuf;

use lab::backend::Backend;
use lab::batch::{Options, measure_spec};
use lab::diagnostic::{Diagnostic, Kind, Result};
use machine::board::Core;
use report::Row;

use super::measure::How;
use super::{Ending, common};

/// Measure what a spec names on the model and on a board, and show where they differ
///
/// Shows the rules that may be to blame, too. The board is behind a GDB server (`--backend gdb:HOST:PORT`: `OpenOCD`, `probe-rs gdb`, `pyOCD`,
/// J-Link), with the program in its flash; of an RV32 core, its Verilog (`--backend rtl`) can take its place.
#[derive(clap::Args, Debug)]
pub(super) struct CompareArgs {
    /// The spec, a TOML file.
    spec: PathBuf,
    /// Also write the model's rows as JSON, with the board's figures as published ones.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fail (exit code 1) if a row differs by more cycles.
    #[arg(long, value_name = "CYCLES")]
    within: Option<u32>,
    #[command(flatten)]
    how: How,
}

impl CompareArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let on_board = self.how.options(false);
        if on_board.backend.is_model() {
            let message = Diagnostic::mistake("the model is not compared with itself");
            return Err(message.help("`--backend gdb:localhost:3333` measures the board behind a GDB server"));
        }
        let spec = common::spec(&self.spec)?;
        let on_model = Options {
            backend: Backend::Model,
            ..self.how.options(true)
        };
        common::check_written_by(&[("--json", self.json.as_deref())], &spec, &on_model)?;
        let board = measure_spec(&spec, &on_board, || {});
        let model = measure_spec(&spec, &on_model, || {});
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
