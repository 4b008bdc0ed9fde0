//! `cyclescope completions`: writes completion scripts for shells.

use clap::CommandFactory as _;
use clap_complete::Shell;
use lab::diagnostic::Result;

use super::{Cli, Ending, common};

/// Print a script that lets a shell complete command lines of this program.
#[derive(clap::Args, Debug)]
#[command(after_help = super::examples::COMPLETIONS)]
pub(super) struct Args {
    /// The shell.
    shell: Shell,
}

impl Args {
    pub(super) fn execute(&self) -> Result<Ending> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "cyclescope", &mut script);
        common::print(&String::from_utf8_lossy(&script))?;
        Ok(Ending::default())
    }
}
