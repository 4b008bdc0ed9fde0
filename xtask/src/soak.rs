//! `./x campaign soak`: runs the kernel's threads under random interrupts for a long time.

use anyhow::{Result, bail};

use crate::shell::{cargo, run as execute};

/// Default number of cycles on each core.
const CYCLES: u64 = 1_000_000_000;

/// Runs the campaign with the given arguments.
///
/// # Errors
/// If it finds something, or the arguments are invalid.
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
