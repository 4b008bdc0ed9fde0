//! `cargo cyclescope`: builds a program with cargo, and gives it to `cyclescope`.
//!
//! What is cargo's on the command line goes to cargo, and the rest to `cyclescope`. The board, and where spec and limits are, may stand in
//! `[package.metadata.cyclescope]` of the manifest. Nothing here knows a core: this program is small.

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
