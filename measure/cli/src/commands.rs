//! The subcommands, one file each: their arguments and their calls of the library.
//!
//! A command is a file with a struct `Args`, whose documentation is the help text, a method `execute`, and a row in the table below.

mod baseline;
mod bench;
mod beside;
mod board;
mod boards;
mod chip;
mod choices;
mod closed;
mod common;
mod compare;
mod completions;
mod cores;
mod cost;
mod diff;
mod disasm;
mod ending;
mod examples;
mod gate;
mod gdb;
mod man;
mod measure;
mod output;
mod prices;
mod profile;
mod program;
mod progress;
mod report;
mod rules;
mod run;
mod test;
mod verilog;
mod watch;
mod why;

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::{Parser, Subcommand};
use lab::diagnostic::Result;

use ending::Ending;

/// Generates the subcommands from the table of their files, in the order of the help.
macro_rules! commands {
    ($($name:ident => $file:ident,)*) => {
        #[derive(Subcommand, Debug)]
        enum Command {
            $($name($file::Args),)*
        }

        impl Command {
            fn execute(&self) -> Result<Ending> {
                match self {
                    $(Command::$name(args) => args.execute(),)*
                }
            }
        }
    };
}

impl Command {
    /// Whether the command shows nothing until it ends, or until the program that it runs prints something. The price list shows its own
    /// progress.
    fn is_silent(&self) -> bool {
        !matches!(self, Command::Test(_) | Command::Gdb(_) | Command::Prices(_))
    }
}

commands! {
    Run => run,
    Test => test,
    Cost => cost,
    Why => why,
    Profile => profile,
    Measure => measure,
    Bench => bench,
    Compare => compare,
    Gdb => gdb,
    Report => report,
    Diff => diff,
    Gate => gate,
    Baseline => baseline,
    Prices => prices,
    Disasm => disasm,
    Board => board,
    Boards => boards,
    Cores => cores,
    Rules => rules,
    Completions => completions,
    Man => man,
}

/// The exit code after a panic.
const BUG: u8 = 101;

/// What real-time firmware costs, to the clock cycle.
#[derive(Parser, Debug)]
#[command(name = "cyclescope", version, about, max_term_width = 80)]
pub(crate) struct Cli {
    /// End after this much time of this computer, with what was measured by then: 30s, 5min.
    #[arg(long, global = true, value_name = "TIME", value_parser = choices::duration)]
    timeout: Option<Duration>,
    #[command(subcommand)]
    command: Command,
}

impl Cli {
    /// Executes the command and reports errors on standard error.
    ///
    /// Exit codes: 0 done, 1 a limit failed or something is stale, 2 the user's mistake, 3 the firmware crashed or ran
    /// past its limit, 130 and 143 cut by SIGINT and SIGTERM; `run` otherwise passes on the firmware's own.
    pub(crate) fn execute(&self) -> ExitCode {
        // In the first thread, before another one could take a signal.
        watch::begin(self.timeout);
        let command = || self.in_thread();
        thread::scope(|scope| {
            let thread = thread::Builder::new()
                .name("command".to_owned())
                .stack_size(lab::STACK);
            match thread.spawn_scoped(scope, command) {
                Ok(thread) => thread.join().unwrap_or(ExitCode::from(BUG)),
                // Without another thread, run in this one.
                Err(_) => command(),
            }
        })
    }

    fn in_thread(&self) -> ExitCode {
        if self.command.is_silent() {
            progress::begin();
        }
        let ending = self.command.execute().unwrap_or_else(Ending::from);
        progress::end();
        ending.tell();
        ExitCode::from(ending.code())
    }
}
