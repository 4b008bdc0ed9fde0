//! `cargo cyclescope`: builds a program with cargo and passes it to `cyclescope`.
//!
//! Cargo's words of the command line go to cargo, the rest to `cyclescope`. `[package.metadata.cyclescope]` of the manifest may set the
//! board and the paths of spec and limits. Nothing here depends on a core, which keeps this program small.

mod subcommand;

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    // Cargo repeats the subcommand's name.
    if words.first().is_some_and(|word| word == "cyclescope") {
        words.remove(0);
    }
    match subcommand::execute(&words) {
        Ok(code) => ExitCode::from(code),
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "error: {message}");
            ExitCode::from(2)
        }
    }
}
