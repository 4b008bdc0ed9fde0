//! `rtl-compare`: runs programs on the Verilog of a core, and compares our model with it.

mod commands;

use std::process::ExitCode;

use clap::Parser;

/// The Verilog of RV32 cores, as an oracle of cycles.
#[derive(Parser)]
enum Command {
    Run(commands::Run),
    Compare(commands::Compare),
    Golden(commands::Goldens),
}

/// Exit codes: 0 done (of `compare`: equal), 1 a difference, 2 it could not be done.
fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Run(run) => run.execute().map(|()| true),
        Command::Compare(compare) => compare.execute(),
        Command::Golden(goldens) => goldens.execute().map(|()| true),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("rtl-compare: {error:#}");
            ExitCode::from(2)
        }
    }
}
