//! `cyclescope`: what real-time firmware costs.

mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::execute()
}
