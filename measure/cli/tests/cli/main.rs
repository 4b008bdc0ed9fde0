//! The real command line, on tiny programs: what it prints, and how it ends.
//!
//! Messages are kept in `golden/`; `SNAPSHOTS=overwrite cargo test` writes them anew.

mod action;
mod bad_input;
mod bench;
mod bounds;
mod campaign;
mod chip;
mod cost;
mod diff;
mod docs;
mod embedded;
mod ends;
mod gate;
mod gdb;
mod help;
mod hostile;
mod measure;
mod mistakes;
mod other;
mod phases;
mod pipes;
mod prices;
mod profile;
mod refused;
mod renamed;
mod report;
mod resets;
mod run;
mod rv32;
mod shown;
mod subcommand;
mod suite;
mod target;
mod traces;
mod tutorial;
mod waits;
mod wheel;
mod why;
mod written;

use std::fs;
use std::path::{Path, PathBuf};

use programs as firmware;
use snapbox::Data;
use snapbox::cmd::{Command, OutputAssert};
use tempfile::TempDir;

/// A directory with the files of one test, in which the program runs: messages hold no other path.
struct Desk {
    dir: TempDir,
}

impl Desk {
    fn new() -> Desk {
        Desk {
            dir: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    fn with(self, name: &str, content: impl AsRef<[u8]>) -> Desk {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("inside the directory")).expect("a directory");
        fs::write(path, content).expect("a file");
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect(name)
    }

    /// Runs `cyclescope` with these words; the lines that tell the board are left out.
    fn run(&self, command: &str) -> OutputAssert {
        let mut output = self.run_whole(command).get_output().clone();
        output.stderr = without_boards(&output.stderr);
        OutputAssert::new(output)
    }

    /// Runs `cyclescope` with these words.
    fn run_whole(&self, command: &str) -> OutputAssert {
        Command::new(snapbox::cmd::cargo_bin!("cyclescope"))
            .current_dir(self.dir.path())
            .args(command.split_whitespace())
            .assert()
    }
}

/// Standard error without the lines that tell the board of a program.
fn without_boards(stderr: &[u8]) -> Vec<u8> {
    let lines = stderr.split_inclusive(|byte| *byte == b'\n');
    let others = lines.filter(|line| !line.starts_with(b"board "));
    others.flatten().copied().collect()
}

/// A kept text.
fn golden(name: &str) -> Data {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/golden");
    Data::read_from(&folder.join(name), None)
}
