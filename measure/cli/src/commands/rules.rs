//! `cyclescope rules`: what the timing of a core is made of.

use std::fmt::Write as _;

use core_cortex_m::timing::Rule;

use super::{Ending, common};
use crate::diagnostic::Result;

pub(super) fn execute() -> Result<Ending> {
    let mut text = String::new();
    for rule in Rule::ALL {
        let (id, mark) = (rule.id(), rule.mark().letter());
        let _ = writeln!(text, "{id}  [{mark}: {}]\n    {}", rule.source(), rule.text());
    }
    common::print(&text)?;
    Ok(Ending::default())
}
