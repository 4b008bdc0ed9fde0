//! The subcommands, one file each: arguments, and what they do with the library.

mod boards;
mod choices;
mod common;
mod disasm;
mod measure;
mod prices;
mod rules;
mod run;

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use lab::diagnostic::{Diagnostic, Kind};

/// What real-time firmware costs, to the clock cycle.
#[derive(Parser, Debug)]
#[command(name = "cyclescope", version, about, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Run(run::Args),
    Measure(measure::Args),
    Prices(prices::Args),
    Disasm(disasm::Args),
    /// List the boards and their memories.
    Boards,
    Rules(rules::Args),
}

/// How a command ended.
#[derive(Debug, Default)]
struct Ending {
    /// What went wrong, in the order in which it is shown.
    messages: Vec<Diagnostic>,
    /// Exit code of firmware that ended by itself.
    firmware: u8,
}

impl Cli {
    /// Does what was asked for, and tells what went wrong on standard error.
    ///
    /// Exit codes: 0 done, 1 a limit failed or something is stale, 2 the user's mistake, 3 the firmware crashed or ran
    /// past its limit; `run` otherwise passes on the firmware's own.
    pub(crate) fn execute(&self) -> ExitCode {
        let ending = match &self.command {
            Command::Run(args) => args.execute(),
            Command::Measure(args) => args.execute(),
            Command::Prices(args) => args.execute(),
            Command::Disasm(args) => args.execute(),
            Command::Boards => boards::execute(),
            Command::Rules(args) => args.execute(),
        };
        let ending = ending.unwrap_or_else(|message| Ending {
            messages: vec![message],
            firmware: 0,
        });
        let styled = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let messages: Vec<String> = ending
            .messages
            .iter()
            .map(|message| message.render(styled))
            .collect();
        eprint!("{}", messages.join("\n"));
        ExitCode::from(ending.code())
    }
}

impl Ending {
    /// The gravest message decides.
    fn code(&self) -> u8 {
        let kinds = self.messages.iter().map(Diagnostic::kind);
        let gravest = kinds.filter(|kind| *kind != Kind::Skipped).max();
        gravest.map_or(self.firmware, |kind| kind as u8)
    }
}

impl From<Vec<Diagnostic>> for Ending {
    fn from(messages: Vec<Diagnostic>) -> Ending {
        Ending {
            messages,
            firmware: 0,
        }
    }
}
