//! Study 003 on its own core: `FreeRTOS` on Aquila's Verilog, which no package registry has.

use std::env;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::cross::Cross;
use crate::packages::{RV32_C_COMPILER, VERILATOR, ensure};
use crate::shell::{run, say};
use crate::{firmware, prices, root};

const TARGET: &str = "riscv32im-unknown-none-elf";
const PACKAGE: &str = "ticks-aquila";
/// The variable that names the folder with the Verilog (`rtl::VARIABLE`).
const VERILOG: &str = "CYCLESCOPE_VERILOG";

/// Builds the study's programs for Aquila and measures them. Reports the measurement as skipped if the Verilog or a tool is missing.
///
/// # Errors
/// If a build or run fails.
pub fn measure() -> Result<()> {
    if env::var_os(VERILOG).is_none_or(|folder| folder.is_empty()) {
        say(&format!(
            "aquila: skipped: its Verilog is in no package; {VERILOG} names a folder that has it (docs/rv32.md)"
        ));
        return Ok(());
    }
    for tool in [VERILATOR, RV32_C_COMPILER] {
        if let Err(error) = ensure(tool) {
            say(&format!("aquila: skipped: {error:#}"));
            return Ok(());
        }
    }
    let spec = root().join("firmware/scenarios/threads/ticks-aquila/spec.toml");
    let programs = programs()?;
    let folder = programs.first().and_then(|program| program.parent());
    let folder = folder.context("the package has no programs")?;
    run(Command::new(prices::simulator()?)
        .arg("prices")
        .arg(&spec)
        .args(["--backend", "rtl", "--rtl-cache"])
        .arg(root().join("target/rtl"))
        .arg("--firmware")
        .arg(folder)
        .arg("--json")
        .arg(folder.join("aquila.json")))
}

/// Builds the programs into a folder of their own.
fn programs() -> Result<Vec<std::path::PathBuf>> {
    let workspace = root().join("firmware/scenarios/threads");
    let build = firmware::folder().join("build");
    let built =
        firmware::build_workspace_for(Cross::choose()?, &workspace, TARGET, &["-p", PACKAGE], &build)?;
    let folder = root().join("target/aquila");
    std::fs::create_dir_all(&folder).context("target/aquila")?;
    built.iter().map(|program| collected(program, &folder)).collect()
}

fn collected(program: &Path, folder: &Path) -> Result<std::path::PathBuf> {
    let name = program.file_name().context("cargo named no file")?;
    let place = folder.join(name).with_extension("elf");
    std::fs::copy(program, &place).with_context(|| place.display().to_string())?;
    Ok(place)
}
