//! `cyclescope list rules`: lists the timing rules of each core.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use lab::diagnostic::{Diagnostic, Result};
use machine::board::Core;
use machine::nearest;
use report::{WIDTH, beside, wrapped};

use super::super::{Ending, common};

/// List the timing rules of each core, or explain one of them.
#[derive(clap::Args, Debug)]
pub(super) struct RulesArgs {
    /// A rule to explain: what it says, its source, how well it is known, and which cores have it.
    #[arg(value_name = "ID")]
    rule: Option<String>,
    /// Only the rules of this core.
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(Core::all().map(Core::name)))]
    core: Option<String>,
}

impl RulesArgs {
    pub(super) fn execute(&self) -> Result<Ending> {
        let text = match &self.rule {
            Some(id) => self.one(id)?,
            None => self.all(),
        };
        common::print(&text)?;
        Ok(Ending::default())
    }

    fn cores(&self) -> impl Iterator<Item = Core> {
        Core::all().filter(|core| self.core.as_ref().is_none_or(|name| core.name() == name))
    }

    fn all(&self) -> String {
        let mut text = String::new();
        for core in self.cores() {
            // Writing to a string cannot fail; here and below.
            let _ = writeln!(text, "# {}\n", core.name());
            for rule in core.rule_book().rules() {
                let (id, mark) = (rule.id, rule.mark.name());
                let source = beside(&format!("{id}  "), &format!("[{mark}: {}]", rule.source), 0, "");
                let _ = writeln!(
                    text,
                    "{source}\n    {}",
                    wrapped(rule.text, WIDTH - 4).join("\n    ")
                );
            }
            text.push('\n');
        }
        text
    }

    /// A rule's text, once for all cores that share it.
    fn one(&self, id: &str) -> Result<String> {
        let mut told: Vec<(String, Vec<&str>)> = Vec::new();
        for core in self.cores() {
            let book = core.rule_book();
            let Some(rule) = book.named(id) else { continue };
            let text = format!("{} [{}: {}]", rule.text, rule.mark.name(), rule.source);
            match told.iter_mut().find(|(known, _)| *known == text) {
                Some((_, cores)) => cores.push(core.name()),
                None => told.push((text, vec![core.name()])),
            }
        }
        if told.is_empty() {
            return Err(self.unknown(id));
        }
        let mut text = format!("{id}\n");
        for (says, cores) in told {
            let _ = writeln!(text, "\n  {}", wrapped(&cores.join(", "), WIDTH - 2).join("\n  "));
            let _ = writeln!(text, "    {}", wrapped(&says, WIDTH - 4).join("\n    "));
        }
        Ok(text)
    }

    fn unknown(&self, id: &str) -> Diagnostic {
        let books: Vec<_> = self.cores().map(Core::rule_book).collect();
        let ids: BTreeSet<&str> = books
            .iter()
            .flat_map(events::RuleBook::rules)
            .map(|rule| rule.id)
            .collect();
        let of = self
            .core
            .as_ref()
            .map_or(String::new(), |core| format!(" of {core}"));
        let near = nearest(id, ids, 3);
        let hint = match near[..] {
            [] => "`cyclescope list rules` lists them".to_owned(),
            _ => format!("similar: {}", near.join(", ")),
        };
        Diagnostic::mistake(format!("no rule{of} is called `{id}`")).help(hint)
    }
}
