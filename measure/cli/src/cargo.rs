//! `cargo cyclescope`: becomes the program `cyclescope` beside this one, or else the one in `PATH`.
//!
//! Nothing here depends on a core or on cargo, which keeps this program small.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut words: Vec<_> = std::env::args_os().skip(1).collect();
    // Cargo repeats the subcommand's name.
    if words.first().is_some_and(|word| word == "cyclescope") {
        words.remove(0);
    }
    let own = std::env::current_exe().unwrap_or_default();
    let beside = own.with_file_name(format!("cyclescope{}", std::env::consts::EXE_SUFFIX));
    let program = if beside.is_file() {
        beside
    } else {
        PathBuf::from("cyclescope")
    };
    become_it(Command::new(&program).arg("cargo").args(words)).unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "error: cannot start {}: {error}", program.display());
        ExitCode::from(2)
    })
}

/// Replaces this process, so that signals reach the program itself.
#[cfg(unix)]
fn become_it(command: &mut Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;
    Err(command.exec())
}

#[cfg(not(unix))]
fn become_it(command: &mut Command) -> io::Result<ExitCode> {
    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(u8::MAX)))
}
