//! `rtl-compare compare`: the model and the Verilog, instruction by instruction, with all that each does.

use anyhow::Result;
use rtl::comparison::{Difference, Same, compare};
use rtl::model;

use super::Set;

/// Run a program on the model and on the Verilog of a core, and show the first instruction that does not retire in the
/// same cycle with the same value on both, or the first trap or write that is not the same. The exit code is 1 if there is one.
#[derive(clap::Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    set: Set,
}

impl Compare {
    /// Whether they are equal.
    pub(crate) fn execute(&self) -> Result<bool> {
        let core = self.set.core()?;
        let (config, job) = (model::config(core.name)?, self.set.job()?);
        let oracle = self.set.cache.oracle(core)?;
        match compare(&oracle, config, &job)? {
            Ok(Same {
                instructions,
                traps,
                writes,
                cycles,
            }) => {
                println!(
                    "{instructions} instructions, {traps} traps and {writes} writes in {cycles} cycles, each the same in the same cycle"
                );
                Ok(true)
            }
            Err(Difference(text)) => {
                print!("{text}");
                Ok(false)
            }
        }
    }
}
