//! Runs other programs and prints progress.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::IsTerminal;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};

/// Prints one line about the command's own progress; all other terminal output comes from the programs that it runs.
pub fn say(line: &str) {
    if std::io::stderr().is_terminal() {
        eprintln!("\x1b[1m{line}\x1b[0m");
    } else {
        eprintln!("{line}");
    }
}

/// The cargo that `./x` chose (or that runs us), in the root of the checkout.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(crate::root());
    command
}

/// Runs a command that inherits our output streams.
///
/// # Errors
/// If it cannot be started or fails.
pub fn run(command: &mut Command) -> Result<()> {
    let name = printable(command);
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    if !status.success() {
        bail!("{name}: {status}");
    }
    Ok(())
}

/// Runs a command and returns its standard output; it inherits our standard error.
///
/// # Errors
/// If it cannot be started or fails.
pub fn output(command: &mut Command) -> Result<String> {
    let name = printable(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {name}"))?;
    if !output.status.success() {
        bail!("{name}: {}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// As [`output`], with standard error in a log file, for compiler warnings about others' sources. The log is printed if the command
/// fails.
///
/// # Errors
/// As [`output`], and if the log cannot be written.
pub fn output_logged(command: &mut Command, log: &Path) -> Result<String> {
    let name = printable(command);
    let output = command.output().with_context(|| format!("cannot start {name}"))?;
    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(log, &output.stderr).with_context(|| format!("cannot write {}", log.display()))?;
    if !output.status.success() {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        bail!("{name}: {}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command without output and returns whether it succeeded.
pub fn succeeds(command: &mut Command) -> bool {
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// Finds a program on the path.
pub fn find(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|dir| dir.join(program))
        .find(|path| path.is_file())
}

fn printable(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The exit code to pass on: the program's, or the shell's convention if a signal ended it.
pub fn exit_code(status: ExitStatus) -> i32 {
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}
