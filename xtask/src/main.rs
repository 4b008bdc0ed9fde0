//! The commands of `./x`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use xtask::shell::say;
use xtask::{
    aquila, archive, campaign, checks, compatibility, firmware, formats, fuzz, models, prices, published,
    random, rtl, shell, silicon, site, soak, speed, streams, timing, wheel, xous,
};

/// A command: its name, and what it does with the words that follow. What `./x help` says of it is in `help.txt`, for the shell too.
type Entry = (&'static str, fn(&[String]) -> Result<()>);

/// Every command there is.
const COMMANDS: &[Entry] = &[
    ("prices", price_list),
    ("checks", |_| prices::checks()),
    ("published", |arguments| published::measure(arguments)),
    ("compatibility", |arguments| compatibility::make(arguments)),
    ("report", |_| prices::report()),
    ("test", |_| checks::test()),
    ("speed", how_fast),
    ("timing", |arguments| match arguments {
        [] => timing::check(),
        _ => streams::compare(arguments),
    }),
    ("firmware", |_| firmware::build().map(drop)),
    ("rtl", on_verilog),
    ("silicon", |arguments| silicon::replay(arguments)),
    ("messages", ask_for_anything),
    ("run", run),
    ("fuzz", fuzz::all),
    ("soak", soak::run),
    ("campaign", campaign::all),
    ("random", random::all),
    ("models", |_| models::check().map(drop)),
    ("wheel", |_| wheel::make()),
    ("archive", |_| archive::make()),
    ("formats", |_| formats::check()),
    ("site", |_| site::make()),
    ("xous", |_| xous::measure()),
    ("aquila", |_| aquila::measure()),
    ("help", |_| {
        print!("{HELP}");
        Ok(())
    }),
];

/// What there is, in words: `x` shows it where nothing is built yet.
const HELP: &str = include_str!("../help.txt");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = arguments
        .split_first()
        .map_or(("help", &[][..]), |(name, rest)| (name.as_str(), rest));
    let name = if matches!(name, "-h" | "--help") {
        "help"
    } else {
        name
    };
    let Some((_, command)) = COMMANDS.iter().find(|(known, _)| *known == name) else {
        say(&format!("x: no command `{name}`\n\n{HELP}"));
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

fn price_list(arguments: &[String]) -> Result<()> {
    match arguments {
        [] => prices::measure(),
        [flag] if flag == "--check" => {
            let left_out = prices::check()?.left_out();
            say(&format!("docs/PRICES.md is up to date{left_out}"));
            Ok(())
        }
        _ => bail!("`./x prices` or `./x prices --check`"),
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
    let usage = "`./x rtl` or `./x rtl --campaign [NUMBER]`";
    match arguments {
        [] => rtl::measure(),
        [flag] if flag == "--campaign" => rtl::campaign(10_000_000),
        [flag, number] if flag == "--campaign" => match number.parse() {
            Ok(number) => rtl::campaign(number),
            Err(_) => bail!("{number:?} is no number of instructions: {usage}"),
        },
        _ => bail!("{usage}"),
    }
}

/// The test that asks the kernel of processes for anything, with so many operations, optimised.
fn ask_for_anything(arguments: &[String]) -> Result<()> {
    let usage = "`./x messages [OPERATIONS]`";
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

/// Runs a firmware file in the simulator, from the caller's folder; the exit code is the program's.
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
    use super::{COMMANDS, HELP};

    #[test]
    fn the_help_has_every_command_once() {
        let told: Vec<&str> = HELP
            .lines()
            .filter_map(|line| line.strip_prefix("  ./x ")?.split_whitespace().next())
            .collect();
        let there: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
        assert_eq!(told, there);
    }
}
