//! The subcommands, one file each: their arguments and their calls of the library.
//!
//! A command is a file with a struct `Args`, whose documentation is the help text, a method `execute`, and a row in the table below.

mod benchmarks;
mod beside;
mod board;
mod cargo;
mod choices;
mod closed;
mod common;
mod compare;
mod completions;
mod cost;
mod dap;
mod diff;
mod disasm;
mod ending;
mod gate;
mod gdb;
mod help;
mod inputs;
mod list;
mod man;
mod measure;
mod output;
mod prices;
mod profile;
mod progress;
mod renamed;
mod report;
mod results;
mod run;
mod target;
mod test;
mod verilog;
mod watch;
mod why;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use lab::diagnostic::Result;

use ending::Ending;

/// Generates the subcommands from the table of their arguments. The help lists them in the order of `help.rs`.
macro_rules! commands {
    ($($(#[$attribute:meta])* $name:ident => $file:ident::$arguments:ident,)*) => {
        #[derive(Subcommand, Debug)]
        enum Command {
            $($(#[$attribute])* $name($file::$arguments),)*
        }

        impl Command {
            fn execute(&self) -> Result<Ending> {
                match self {
                    $(Command::$name(arguments) => arguments.execute(),)*
                }
            }
        }
    };
}

impl Command {
    /// Whether the command shows nothing until it ends, or until the program that it runs prints something. The price list shows its own
    /// progress.
    fn is_silent(&self) -> bool {
        !matches!(
            self,
            Command::Test(_) | Command::Gdb(_) | Command::Dap(_) | Command::Prices(_)
        )
    }

    /// Executes the command, at most for this much time of this computer.
    fn run(&self, timeout: Option<Duration>) -> Result<Ending> {
        watch::limit(timeout);
        if self.is_silent() {
            progress::begin();
        }
        self.execute()
    }
}

commands! {
    Run => run::RunArgs,
    Test => test::TestArgs,
    Cost => cost::CostArgs,
    Measure => measure::MeasureArgs,
    Compare => compare::CompareArgs,
    Why => why::WhyArgs,
    Profile => profile::ProfileArgs,
    Report => report::ReportArgs,
    Disasm => disasm::DisasmArgs,
    Gdb => gdb::GdbArgs,
    Dap => dap::DapArgs,
    Diff => diff::DiffArgs,
    Gate => gate::GateArgs,
    List => list::ListArgs,
    Board => board::BoardArgs,
    #[command(hide = true)]
    Prices => prices::PricesArgs,
    #[command(hide = true)]
    Completions => completions::CompletionsArgs,
    #[command(hide = true)]
    Man => man::ManArgs,
}

/// The exit code after a panic.
const BUG: u8 = 101;

/// What real-time firmware costs, to the clock cycle.
#[derive(Parser, Debug)]
#[command(name = "cyclescope", version, about, max_term_width = help::width())]
struct Cli {
    /// End after this much time of this computer, with what was measured by then: 30s, 5min.
    #[arg(long, global = true, value_name = "TIME", value_parser = choices::duration)]
    timeout: Option<Duration>,
    #[command(subcommand)]
    command: Command,
}

/// The whole command line, with its help.
fn command() -> clap::Command {
    help::complete(Cli::command())
}

/// The first word of a command line that comes from `cargo cyclescope`.
const CARGO: &str = "cargo";

/// Executes the command line of this process and reports errors on standard error.
///
/// Exit codes: 0 done, 1 a limit failed or something is stale, 2 the user's mistake, 3 the firmware crashed or ran
/// past its limit, 130 and 143 cut by SIGINT and SIGTERM; `run` otherwise passes on the firmware's own.
pub(crate) fn execute() -> ExitCode {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let is_of_cargo = words.get(1).is_some_and(|word| word == CARGO);
    let command = if is_of_cargo {
        words.remove(1);
        cargo::command()
    } else {
        command()
    };
    let (words, told) = renamed::current(words, &command);
    if let Some(told) = told {
        // A write error must not keep the command from running.
        let _ = writeln!(io::stderr(), "note: {told}");
    }
    let matches = command.get_matches_from(words);
    if is_of_cargo {
        return in_thread(|| cargo::execute(&matches));
    }
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    in_thread(|| cli.command.run(cli.timeout))
}

/// Runs the job in a thread with enough stack, and shows its messages.
fn in_thread(job: impl Fn() -> Result<Ending> + Sync) -> ExitCode {
    // In the first thread, before another one could take a signal.
    watch::signals();
    let job = || {
        let ending = job().unwrap_or_else(Ending::from);
        progress::end();
        ending.tell();
        ExitCode::from(ending.code())
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .name("command".to_owned())
            .stack_size(lab::STACK);
        match thread.spawn_scoped(scope, job) {
            Ok(thread) => thread.join().unwrap_or(ExitCode::from(BUG)),
            // Without another thread, run in this one.
            Err(_) => job(),
        }
    })
}
