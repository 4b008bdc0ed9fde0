//! `cyclescope completions`: writes completion scripts for shells.

use clap_complete::Shell;
use lab::diagnostic::Result;

use super::{Ending, command, common};

/// Print a script that lets a shell complete command lines of this program.
#[derive(clap::Args, Debug)]
pub(super) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

impl CompletionsArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command(), "cyclescope", &mut script);
        common::print(&String::from_utf8_lossy(&script))?;
        Ok(Ending::default())
    }
}
