//! `cyclescope rules`: what the timing of each core is made of.

use std::fmt::Write as _;

use lab::diagnostic::Result;
use machine::board::Core;

use super::{Ending, common};

/// List the timing rules of each core, with how well each is known.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Only those of this core.
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(Core::all().map(Core::name)))]
    core: Option<String>,
}

impl Args {
    pub(super) fn execute(&self) -> Result<Ending> {
        let asked = |core: &Core| self.core.as_ref().is_none_or(|name| core.name() == name);
        let mut text = String::new();
        for core in Core::all().filter(asked) {
            // Writing to a string cannot fail; here and below.
            let _ = writeln!(text, "# {}\n", core.name());
            for rule in core.rule_book().rules() {
                let (id, mark) = (rule.id, rule.mark.name());
                let _ = writeln!(text, "{id}  [{mark}: {}]\n    {}", rule.source, rule.text);
            }
            text.push('\n');
        }
        common::print(&text)?;
        Ok(Ending::default())
    }
}
