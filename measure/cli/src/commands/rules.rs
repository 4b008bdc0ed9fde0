//! `cyclescope rules`: what the timing of each core is made of.

use std::fmt::Write as _;

use core_cortex_m::timing::CoreKind;

use super::{Ending, common};
use crate::diagnostic::Result;

/// List the timing rules of each core, with how well each is known.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Only those of this core.
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(CoreKind::ALL.map(CoreKind::name)))]
    core: Option<String>,
}

impl Args {
    pub(super) fn execute(&self) -> Result<Ending> {
        let asked = |core: &CoreKind| self.core.as_ref().is_none_or(|name| core.name() == name);
        let mut text = String::new();
        for core in CoreKind::ALL.into_iter().filter(asked) {
            // Writing to a string cannot fail; here and below.
            let _ = writeln!(text, "# {}\n", core.name());
            for known in core.rules() {
                let (id, mark) = (known.rule.id(), known.mark.letter());
                let _ = writeln!(text, "{id}  [{mark}: {}]\n    {}", known.source, known.text);
            }
            text.push('\n');
        }
        common::print(&text)?;
        Ok(Ending::default())
    }
}
