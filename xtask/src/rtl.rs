//! Measures RV32 cores on their own Verilog: the price list's reference figures, and the golden streams.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::checks::Outcome;
use crate::packages::{RV32_C_COMPILER, VERILATOR, ensure};
use crate::shell::{cargo, output};
use crate::{firmware, prices, root, shell};

const SPEC: &str = "firmware/prices/rv32.toml";

/// The kept figures of the Verilog, as `SPEC` names them.
fn kept() -> PathBuf {
    root().join("firmware/prices/rv32.rtl.json")
}

/// Runs our programs on the Verilog and writes the price list's reference figures and the golden streams.
///
/// # Errors
/// If a tool is missing, the Verilog cannot be fetched, or a run fails.
pub fn measure() -> Result<()> {
    ensure(VERILATOR)?;
    run(&kept())?;
    let mut golden = cargo();
    golden.args([
        "run",
        "--release",
        "--locked",
        "-p",
        "rtl-compare",
        "--",
        "golden",
    ]);
    shell::run(golden.arg("--cache").arg(root().join("target/rtl"))).context("the golden streams")
}

/// Compares the model with the Verilog over this many instructions of each core, and prints the counts by kind of program.
///
/// # Errors
/// If a tool is missing, or a result differs.
pub fn campaign(instructions: u64) -> Result<()> {
    ensure(VERILATOR)?;
    ensure(RV32_C_COMPILER)?;
    let mut command = cargo();
    command.env("RTL_INSTRUCTIONS", instructions.to_string());
    command.args([
        "test",
        "--release",
        "--locked",
        "-p",
        "rtl-tests",
        "--test",
        "suite",
    ]);
    command.args(["campaign::", "--", "--ignored", "--nocapture"]);
    shell::run(&mut command).context("the model and the Verilog")
}

/// Measures on the Verilog again and compares with the kept figures.
///
/// # Errors
/// If the figures differ.
pub(crate) fn check() -> Result<Outcome> {
    if let Err(error) = ensure(VERILATOR) {
        return Ok(Outcome::skipped(format!("{error:#}")));
    }
    let fresh = root().join("target/rtl/rv32.rtl.json");
    fs::create_dir_all(root().join("target/rtl"))?;
    if let Err(error) = run(&fresh) {
        // Without a network the Verilog cannot be fetched, which counts as skipped; other errors are failures.
        let text = format!("{error:#}");
        let unreachable = text.contains("cannot be fetched with pip");
        return if unreachable {
            Ok(Outcome::skipped(text))
        } else {
            Err(error)
        };
    }
    let (old, new) = (fs::read_to_string(kept())?, fs::read_to_string(&fresh)?);
    // The file names Verilator's version, which does not affect the figures.
    let figures = |text: &str| {
        let lines = text.lines().filter(|line| line.contains("\"id\""));
        let figures = lines.map(|line| line.split(",\"source\"").next().unwrap_or(line).to_owned());
        figures.collect::<Vec<_>>()
    };
    let (old, new) = (figures(&old), figures(&new));
    let differing = old.iter().zip(&new).find(|(old, new)| old != new);
    match differing {
        Some((old, new)) => bail!(
            "the Verilog takes other times now; ./x rtl writes them\n  kept      {old}\n  measured  {new}"
        ),
        None if old.len() != new.len() => bail!(
            "{} figures are kept, {} measured; ./x rtl writes them",
            old.len(),
            new.len()
        ),
        None => Ok(Outcome::default()),
    }
}

fn run(json: &Path) -> Result<String> {
    let simulator = prices::simulator()?;
    firmware::build()?;
    let mut command = Command::new(simulator);
    command
        .current_dir(root())
        .args(["prices", SPEC, "--backend", "rtl"]);
    command.arg("--firmware").arg(firmware::folder());
    command.arg("--rtl-cache").arg(root().join("target/rtl"));
    command.arg("--json").arg(json);
    output(&mut command).context("the price list on the Verilog")
}
