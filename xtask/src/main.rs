//! The commands of `./x`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use xtask::shell::say;
use xtask::{checks, firmware, fuzz, models, prices, rtl, shell, silicon, soak, speed, timing, xous};

/// A command: its name, what `./x help` says of it, and what it does with the words that follow.
type Entry = (&'static str, &'static str, fn(&[String]) -> Result<()>);

/// Every command there is; `help` is made from this list.
const COMMANDS: &[Entry] = &[
    (
        "prices",
        "measure the price list into docs/PRICES.md and target/prices.json; --check only compares",
        price_list,
    ),
    (
        "report",
        "measure the price list, and show it as one page with timelines: target/report.html",
        |_| prices::report(),
    ),
    (
        "test",
        "everything that must hold: style, tests, timing programs, prices up to date",
        |_| checks::test(),
    ),
    ("ci", "the tests, then the speed against its floor", |_| {
        checks::ci()
    }),
    (
        "speed",
        "this simulator against QEMU and the Verilog of RV32 cores, and what listening costs; --json FILE writes that;\n            \
         --count counts host instructions with callgrind into docs/speed.md",
        how_fast,
    ),
    (
        "timing",
        "run the timing programs and compare with what their headers expect",
        |_| timing::check(),
    ),
    (
        "firmware",
        "build every firmware program into target/firmware",
        |_| firmware::build().map(drop),
    ),
    (
        "rtl",
        "run our RV32 programs on the Verilog of the cores: figures and golden streams to compare with;\n            \
         --campaign [NUMBER] compares the model over so many instructions of each core, 10000000 if none is given",
        on_verilog,
    ),
    (
        "silicon",
        "run the recordings of silicon in CMEmu's repository again, into docs/silicon.md: `./x silicon PATH`, or CMEMU=PATH",
        |arguments| silicon::replay(arguments),
    ),
    (
        "messages",
        "ask Mainspring's kernel of processes for anything, at random: `./x messages [OPERATIONS]`, 1000000 if none is given",
        ask_for_anything,
    ),
    (
        "run",
        "run a firmware file: `./x run FILE [--board BOARD]`; cargo's runner in firmware/",
        run,
    ),
    (
        "fuzz",
        "fuzz what reads files and what executes: `./x fuzz [SECONDS]`, for each target",
        fuzz::all,
    ),
    (
        "soak",
        "the kernel's threads with random interrupts for so many cycles on each core: `./x soak [CYCLES]`, 1000000000 if\n            \
         no number is given; `--sweeps` also tries every cycle on every core",
        soak::run,
    ),
    (
        "models",
        "try every interleaving (loom) and look at every access (Miri) of the kernel's algorithms",
        |_| models::check().map(drop),
    ),
    (
        "xous",
        "build the real Xous and measure its messages on the board `precursor`",
        |_| xous::measure(),
    ),
    ("help", "this list", |_| {
        print!("{}", help());
        Ok(())
    }),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = arguments
        .split_first()
        .map_or(("help", &[][..]), |(name, rest)| (name.as_str(), rest));
    let Some((_, _, command)) = COMMANDS.iter().find(|(known, _, _)| *known == name) else {
        say(&format!("x: no command `{name}`\n\n{}", help()));
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

fn help() -> String {
    let lines = COMMANDS
        .iter()
        .map(|(name, what, _)| format!("  ./x {name:<9} {what}\n"));
    lines.collect()
}

fn price_list(arguments: &[String]) -> Result<()> {
    match arguments {
        [] => prices::measure(),
        [flag] if flag == "--check" => {
            let skipped = prices::check()?.map_or(String::new(), |what| format!(", but for {what}"));
            say(&format!("docs/PRICES.md is up to date{skipped}"));
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
        _ => bail!("`./x speed`, `./x speed --json FILE` or `./x speed --count`"),
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
