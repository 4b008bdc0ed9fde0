//! `cyclescope list cores`: lists the modelled cores.

use std::fmt::Write as _;
use std::path::PathBuf;

use machine::board::Core;
use serde_json::{Value, json};

use super::super::{Ending, common};
use lab::diagnostic::Result;

/// List the cores: the targets to build for, and how well their timing is known
#[derive(clap::Args, Debug)]
pub(super) struct CoresArgs {
    /// Also write the list as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl CoresArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let mut text = String::new();
        let width = Core::all().map(|core| core.name().len()).max().unwrap_or(0);
        for core in Core::all() {
            let known = match core {
                _ if core.has_verilog() => "in step with its Verilog",
                Core::CortexM(_) => "by rules marked A to D",
                Core::Rv32(_) => "estimated",
            };
            let target = core.targets().first().unwrap_or(&"");
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{:<width$}  {target:<28}  {known}", core.name());
        }
        common::show(&text, &[self.json.as_deref()])?;
        if let Some(file) = &self.json {
            common::write(file, &format!("{:#}\n", list()))?;
        }
        Ok(Ending::default())
    }
}

fn list() -> Value {
    let cores = Core::all().map(|core| {
        json!({
            "name": core.name(),
            "architecture": core.architecture().name(),
            "targets": core.targets(),
            "verilog": core.has_verilog(),
        })
    });
    json!({ "format": "cyclescope-cores/1", "cores": cores.collect::<Vec<_>>() })
}
