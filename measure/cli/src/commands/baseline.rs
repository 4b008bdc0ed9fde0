//! `cyclescope baseline`: the old name of `cyclescope gate --save`.

use clap::Parser as _;
use lab::diagnostic::{Diagnostic, Kind, Result};

use super::{Cli, Ending};

/// The old name of `gate --save`.
#[derive(clap::Args, Debug)]
#[command(hide = true)]
pub(super) struct Args {
    /// The words of `gate`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    words: Vec<String>,
}

impl Args {
    pub(super) fn execute(&self) -> Result<Ending> {
        let words = ["cyclescope", "gate", "--save"].into_iter().map(str::to_owned);
        let cli =
            Cli::try_parse_from(words.chain(self.words.iter().cloned())).unwrap_or_else(|error| error.exit());
        let mut ending = cli.command.execute()?;
        let renamed = Diagnostic::new(Kind::Skipped, "`baseline` is called `gate --save` now");
        ending.messages.insert(0, renamed);
        Ok(ending)
    }
}
