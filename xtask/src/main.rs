//! The commands of `./x`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use xtask::shell::say;
use xtask::{
    aquila, archive, campaign, checks, compatibility, firmware, formats, fuzz, models, prices, published,
    random, rtl, shape, shell, silicon, site, soak, speed, streams, timing, vscode, wheel, xous,
};

/// A command: its name, of one or two words, and its function, which receives the remaining arguments. The help text is in `help.txt`,
/// which the shell script reads too.
type Entry = (&'static str, fn(&[String]) -> Result<()>);

/// All commands.
const COMMANDS: &[Entry] = &[
    ("prices", price_list),
    ("test", |_| checks::test()),
    ("ci", |_| checks::ci()),
    ("timing", |arguments| match arguments {
        [] => timing::check(),
        _ => streams::compare(arguments),
    }),
    ("speed", how_fast),
    ("firmware", |_| firmware::build().map(drop)),
    ("run", run),
    ("rtl", |_| rtl::measure()),
    ("shape", |_| shape::measure()),
    ("others checks", |_| prices::checks()),
    ("others published", |arguments| published::measure(arguments)),
    ("others silicon", |arguments| silicon::replay(arguments)),
    ("others compatibility", |arguments| compatibility::make(arguments)),
    ("others xous", |_| xous::measure()),
    ("others aquila", |_| aquila::measure()),
    ("campaign inputs", campaign::all),
    ("campaign random", random::all),
    ("campaign rtl", on_verilog),
    ("campaign fuzz", fuzz::all),
    ("campaign soak", soak::run),
    ("campaign messages", ask_for_anything),
    ("campaign models", |_| models::check().map(drop)),
    ("package wheel", |_| wheel::make()),
    ("package archive", |_| archive::make()),
    ("package formats", |_| formats::check()),
    ("package vscode", |_| vscode::make()),
    ("package site", |_| site::make()),
    ("help", |_| {
        print!("{HELP}");
        Ok(())
    }),
];

/// The help text; `x` prints the file itself before anything is built.
const HELP: &str = include_str!("../help.txt");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(((name, command), rest)) = find(&arguments) else {
        say(&format!("x: no command `{}`\n\n{HELP}", arguments.join(" ")));
        return ExitCode::from(2);
    };
    match command(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("x {name}: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Finds the command that the arguments name, and its remaining arguments; without arguments, the help.
fn find(arguments: &[String]) -> Option<(Entry, &[String])> {
    let entry = |name: &str| COMMANDS.iter().find(|(known, _)| *known == name).copied();
    match arguments {
        [] => Some((entry("help")?, arguments)),
        [flag, ..] if flag == "-h" || flag == "--help" => Some((entry("help")?, &[])),
        [group, name, rest @ ..] if entry(group).is_none() => {
            Some((entry(&format!("{group} {name}"))?, rest))
        }
        [name, rest @ ..] => Some((entry(name)?, rest)),
    }
}

fn price_list(arguments: &[String]) -> Result<()> {
    match arguments {
        [] => prices::measure(),
        [flag] if flag == "--check" => {
            let left_out = prices::check()?.left_out();
            say(&format!("docs/PRICES.md is up to date{left_out}"));
            Ok(())
        }
        [flag] if flag == "--page" => prices::report(),
        _ => bail!("`./x prices`, `./x prices --check` or `./x prices --page`"),
    }
}

fn how_fast(arguments: &[String]) -> Result<()> {
    match arguments {
        [] => speed::compare(None),
        [flag, file] if flag == "--json" => speed::compare(Some(Path::new(file))),
        [flag] if flag == "--count" => speed::count(),
        [flag] if flag == "--check" => speed::check(),
        _ => bail!("`./x speed`, `./x speed --json FILE`, `./x speed --check` or `./x speed --count`"),
    }
}

fn on_verilog(arguments: &[String]) -> Result<()> {
    let usage = "`./x campaign rtl [NUMBER]`";
    match arguments {
        [] => rtl::campaign(10_000_000),
        [number] => match number.parse() {
            Ok(number) => rtl::campaign(number),
            Err(_) => bail!("{number:?} is no number of instructions: {usage}"),
        },
        _ => bail!("{usage}"),
    }
}

/// Runs the random-operations test of the process kernel in release mode, with the given number of operations.
fn ask_for_anything(arguments: &[String]) -> Result<()> {
    let usage = "`./x campaign messages [OPERATIONS]`";
    let calls = match arguments {
        [] => "1000000",
        [number] if number.parse::<u32>().is_ok() => number,
        _ => bail!("{usage}"),
    };
    let test = "messages::no_operation_does_harm_to_others";
    shell::run(
        shell::cargo()
            .args([
                "test",
                "--release",
                "--locked",
                "-p",
                "every-cycle",
                "--test",
                "mainspring",
                test,
            ])
            .args(["--", "--nocapture"])
            .env("MESSAGES_CALLS", calls),
    )
}

/// Runs a firmware file in the simulator from the caller's folder. Exits with the program's exit code.
fn run(arguments: &[String]) -> Result<()> {
    if arguments.is_empty() {
        bail!("which file? `./x run FILE [--board BOARD]`");
    }
    let simulator = prices::simulator()?;
    let status = std::process::Command::new(simulator)
        .arg("run")
        .args(arguments)
        .status()?;
    std::process::exit(shell::exit_code(status));
}

#[cfg(test)]
mod tests {
    use super::{COMMANDS, HELP, find};

    #[test]
    fn a_command_of_two_words_is_found_with_what_follows() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let found = |text: &str| {
            let words = words(text);
            find(&words).map(|((name, _), rest)| (name, rest.len()))
        };
        assert_eq!(found("campaign soak 5 --sweeps"), Some(("campaign soak", 2)));
        assert_eq!(found("prices --check"), Some(("prices", 1)));
        assert_eq!(found("--help"), Some(("help", 0)));
        assert_eq!(found("campaign"), None);
        assert_eq!(found("soak"), None);
    }

    #[test]
    fn the_help_has_every_command_once() {
        let told: Vec<&str> = HELP
            .lines()
            .filter_map(|line| line.strip_prefix("  ./x ")?.split("  ").next())
            .collect();
        let there: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
        assert_eq!(told, there);
    }
}
