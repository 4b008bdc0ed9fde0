//! `./x campaign soak`: the kernel's threads under random interrupts, for long.

use anyhow::{Result, bail};

use crate::shell::{cargo, run as execute};

/// Cycles on each core if no number is given.
const CYCLES: u64 = 1_000_000_000;

/// Runs the campaign, with what `arguments` say.
///
/// # Errors
/// When something is found, or the arguments are none.
pub fn run(arguments: &[String]) -> Result<()> {
    let (mut cycles, mut sweeps) = (CYCLES, false);
    for argument in arguments {
        if argument == "--sweeps" {
            sweeps = true;
        } else if let Ok(number) = argument.parse() {
            cycles = number;
        } else {
            bail!("{argument:?} is no number of cycles: `./x campaign soak [CYCLES] [--sweeps]`");
        }
    }
    let mut command = cargo();
    command
        .args([
            "test",
            "--release",
            "-p",
            "every-cycle",
            "--test",
            "mainspring",
            "--",
        ])
        .args(["--ignored", "--nocapture", "soaks"])
        .env("SOAK_CYCLES", cycles.to_string());
    if sweeps {
        command.env("SOAK_SWEEPS", "1");
    }
    execute(&mut command)
}
