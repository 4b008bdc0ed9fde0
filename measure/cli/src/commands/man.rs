//! `cyclescope man`: writes the manual pages.

use std::path::PathBuf;

use clap_mangen::Man;
use lab::diagnostic::Result;

use super::{Ending, command, common};

/// Write manual pages: this program's and one for each command
#[derive(clap::Args, Debug)]
pub(super) struct ManArgs {
    /// The folder to write them to.
    #[arg(long, value_name = "DIR", default_value = "man")]
    dir: PathBuf,
}

impl ManArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        common::create_folder(&self.dir)?;
        let mut program = command();
        program.build();
        self.pages(&program)?;
        Ok(Ending::default())
    }

    /// The page of a command, and those of the commands in it.
    fn pages(&self, command: &clap::Command) -> Result<()> {
        let name = command
            .get_display_name()
            .unwrap_or(command.get_name())
            .to_owned();
        let mut page = Vec::new();
        // Writing to memory does not fail.
        let _ = Man::new(command.clone()).render(&mut page);
        common::write_bytes(&self.dir.join(format!("{name}.1")), &page)?;
        command.get_subcommands().try_for_each(|inner| self.pages(inner))
    }
}
