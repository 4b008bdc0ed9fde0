//! `cyclescope list`: lists boards, cores and timing rules.

mod boards;
mod cores;
mod rules;

use lab::diagnostic::Result;

use super::Ending;

/// List boards, cores or timing rules, or explain a rule
#[derive(clap::Args, Debug)]
pub(super) struct ListArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    Boards(boards::BoardsArgs),
    Cores(cores::CoresArgs),
    Rules(rules::RulesArgs),
}

impl ListArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        match &self.what {
            What::Boards(_) => boards::BoardsArgs::execute(),
            What::Cores(cores) => cores.execute(),
            What::Rules(rules) => rules.execute(),
        }
    }
}
