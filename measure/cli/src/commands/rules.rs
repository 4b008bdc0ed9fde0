//! `cyclescope rules`: what the timing of a core is made of.

use std::fmt::Write as _;

use core_cortex_m::timing::Rule;

use super::{Ending, common};
use crate::diagnostic::Result;

/// List the timing rules, with how well each is known.
#[derive(clap::Args, Debug)]
pub(super) struct Args {}

impl Args {
    pub(super) fn execute(&self) -> Result<Ending> {
        let mut text = String::new();
        for rule in Rule::ALL {
            let (id, mark) = (rule.id(), rule.mark().letter());
            let _ = writeln!(text, "{id}  [{mark}: {}]\n    {}", rule.source(), rule.text());
        }
        common::print(&text)?;
        Ok(Ending::default())
    }
}
