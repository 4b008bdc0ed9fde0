//! `cyclescope`: what real-time firmware costs.

mod commands;

use std::process::ExitCode;

use clap::Parser as _;

use commands::Cli;

fn main() -> ExitCode {
    Cli::parse().execute()
}
