//! `cyclescope`: what real-time firmware costs.

mod commands;

use std::process::ExitCode;
use std::thread;

use clap::Parser as _;

use commands::Cli;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let command = thread::Builder::new()
        .name("command".to_owned())
        .stack_size(lab::STACK)
        .spawn(move || cli.execute());
    match command {
        Ok(command) => command.join().unwrap_or(ExitCode::from(BUG)),
        Err(error) => {
            eprintln!("error: no thread can be started: {error}");
            ExitCode::from(2)
        }
    }
}

/// The exit code of a panic.
const BUG: u8 = 101;
