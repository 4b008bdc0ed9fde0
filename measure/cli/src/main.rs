//! `cyclescope`: what real-time firmware costs.

use std::process::ExitCode;

use clap::Parser as _;
use cyclescope::commands::Cli;

fn main() -> ExitCode {
    Cli::parse().execute()
}
