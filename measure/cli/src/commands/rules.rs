//! `cyclescope rules`: what the timing of each core is made of.

use std::fmt::Write as _;

use core_cortex_m::timing::CoreKind;
use core_rv32::Config;
use core_rv32::timing::rules;
use lab::diagnostic::Result;

use super::{Ending, common};

/// List the timing rules of each core, with how well each is known.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Only those of this core.
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(cores()))]
    core: Option<String>,
}

/// The cores whose rules are told.
fn cores() -> Vec<&'static str> {
    let rv32 = rv32().map(|(name, _)| name);
    CoreKind::ALL
        .into_iter()
        .map(CoreKind::name)
        .chain(rv32)
        .collect()
}

/// RV32 cores, with the rules for which their instructions wait.
fn rv32() -> impl Iterator<Item = (&'static str, Vec<rules::Known>)> {
    let known = |config: Config| (config.name, rules::of(&config));
    Config::all().map(known).filter(|(_, rules)| !rules.is_empty())
}

impl Args {
    pub(super) fn execute(&self) -> Result<Ending> {
        let asked = |core: &str| self.core.as_ref().is_none_or(|name| core == name);
        let mut text = String::new();
        for core in CoreKind::ALL.into_iter().filter(|core| asked(core.name())) {
            // Writing to a string cannot fail; here and below.
            let _ = writeln!(text, "# {}\n", core.name());
            for known in core.rules() {
                let (id, mark) = (known.rule.id(), known.mark.letter());
                let _ = writeln!(text, "{id}  [{mark}: {}]\n    {}", known.source, known.text);
            }
            text.push('\n');
        }
        for (core, rules) in rv32().filter(|(core, _)| asked(core)) {
            let _ = writeln!(text, "# {core}\n");
            for known in rules {
                let _ = writeln!(
                    text,
                    "{}  [RTL: {}]\n    {}",
                    known.rule.id(),
                    known.source,
                    known.text
                );
            }
            text.push('\n');
        }
        common::print(&text)?;
        Ok(Ending::default())
    }
}
