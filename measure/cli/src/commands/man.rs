//! `cyclescope man`: writes the manual pages.

use std::path::PathBuf;

use clap::CommandFactory as _;
use clap_mangen::Man;
use lab::diagnostic::Result;

use super::{Cli, Ending, common};

/// Write manual pages: this program's and one for each command.
#[derive(clap::Args, Debug)]
#[command(after_help = super::examples::MAN)]
pub(super) struct Args {
    /// The folder to write them to.
    #[arg(long, value_name = "DIR", default_value = "man")]
    dir: PathBuf,
}

impl Args {
    pub(super) fn execute(&self) -> Result<Ending> {
        common::create_folder(&self.dir)?;
        let mut program = Cli::command();
        program.build();
        self.page(&program)?;
        program
            .get_subcommands()
            .try_for_each(|command| self.page(command))?;
        Ok(Ending::default())
    }

    fn page(&self, command: &clap::Command) -> Result<()> {
        let name = command
            .get_display_name()
            .unwrap_or(command.get_name())
            .to_owned();
        let mut page = Vec::new();
        // Writing to memory does not fail.
        let _ = Man::new(command.clone()).render(&mut page);
        common::write_bytes(&self.dir.join(format!("{name}.1")), &page)
    }
}
