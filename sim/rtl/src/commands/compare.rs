//! `rtl-oracle compare`: the model and the Verilog, instruction by instruction.

use anyhow::Result;
use rtl_oracle::comparison::{context, first_difference};
use rtl_oracle::{Step, model};

use super::Set;

/// Run a program on the model and on the Verilog of a core, and show the first instruction that does not retire in the
/// same cycle on both. The exit code is 1 if there is one.
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
        let outcome = self.set.cache.oracle(core)?.run(&job)?;
        let theirs: Vec<Step> = outcome.stream.iter().map(Step::from).collect();
        let ours = model::run(config, &job, theirs.len())?;
        let count = theirs.len();
        let Some(at) = first_difference(&ours, &theirs) else {
            let cycles = outcome.cycles;
            println!("{count} instructions in {cycles} cycles, each retires in the same cycle");
            return Ok(true);
        };
        println!("instruction {at} of {count} differs");
        print!("{}", context(&job, &ours, &theirs, at));
        Ok(false)
    }
}
