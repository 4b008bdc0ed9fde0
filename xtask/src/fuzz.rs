//! Runs each fuzz target for a while. `docs/reliability.md` states the property that each target checks.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::shell::{run, say};

/// Default run time of each target, in seconds.
const SECONDS: u32 = 60;
/// Time limit for a single input, in seconds.
const ONE_INPUT: u32 = 10;
/// Limit of a single allocation, in MiB.
const ONE_ALLOCATION: u32 = 1024;

/// `./x campaign fuzz [SECONDS]`
///
/// # Errors
/// If a tool is missing, or a target finds something.
pub fn all(arguments: &[String]) -> Result<()> {
    let seconds = match arguments {
        [] => SECONDS,
        [seconds] => seconds
            .parse()
            .with_context(|| format!("`{seconds}` is no number of seconds"))?,
        _ => bail!("`./x campaign fuzz [SECONDS]`"),
    };
    check_tools()?;
    for target in targets()? {
        say(&format!("fuzz {target}: {seconds} s"));
        run(&mut fuzz(&target, seconds)?)
            .context("the input is in fuzz/artifacts; docs/reliability.md says how to go on")?;
    }
    Ok(())
}

/// Nightly cargo: stable Rust has no sanitizers.
fn nightly() -> Command {
    let mut command = Command::new("rustup");
    command
        .args(["run", "nightly", "cargo"])
        .current_dir(crate::root());
    command.env_remove("CARGO").env_remove("RUSTC");
    command
}

fn check_tools() -> Result<()> {
    let mut probe = nightly();
    probe.args(["fuzz", "--version"]);
    let found = probe.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    bail!(
        "needs nightly Rust and cargo-fuzz: `rustup toolchain install nightly`, then \
         `cargo install cargo-fuzz --locked`"
    )
}

/// The names of all targets, from their files.
fn targets() -> Result<Vec<String>> {
    let folder = crate::root().join("fuzz/fuzz_targets");
    let files = std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let names = files.filter_map(|file| Some(file.ok()?.path().file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}

fn fuzz(target: &str, seconds: u32) -> Result<Command> {
    let corpus = Path::new("fuzz/corpus").join(target);
    std::fs::create_dir_all(crate::root().join(&corpus))?;
    let mut command = nightly();
    command
        .args(["fuzz", "run", "--target-dir"])
        .arg(crate::target_dir().join("fuzz"))
        .arg(target)
        .arg(corpus)
        .arg(Path::new("fuzz/seeds").join(target))
        .arg("--")
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={ONE_INPUT}"))
        .arg(format!("-malloc_limit_mb={ONE_ALLOCATION}"));
    if matches!(target, "spec" | "board") {
        command.arg("-dict=fuzz/dictionaries/toml.dict");
    }
    Ok(command)
}
