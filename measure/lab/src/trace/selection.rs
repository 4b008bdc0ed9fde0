//! Which events of a run a trace shows: those of some cycles, threads, functions and addresses.
//!
//! Functions, addresses and threads select instructions and their accesses. Other events, such as exceptions and switches, are always shown.

use std::ops::Range;

use events::{Event, Step};
use machine::image::{Symbol, SymbolKind};
use machine::{ExceptionNames, Image};

use crate::diagnostic::{Diagnostic, Result};
use crate::gate::matches;
use crate::timeline::Contexts;

/// What to show; each empty list shows all.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Only {
    /// The cycles from the first up to the second.
    pub cycles: Option<Range<u64>>,
    /// Addresses of instructions, from the first up to the second, those of functions included.
    pub addresses: Vec<Range<u32>>,
    /// Threads and interrupts by their names; `*` stands for anything.
    pub contexts: Vec<String>,
}

impl Only {
    /// Selects functions by their names too; `*` stands for anything.
    ///
    /// # Errors
    ///
    /// If no function has such a name.
    pub fn functions(mut self, patterns: &[String], image: &Image) -> Result<Only> {
        for pattern in patterns {
            let before = self.addresses.len();
            let named = |symbol: &&Symbol| {
                symbol.kind != SymbolKind::Object && symbol.size > 0 && matches(pattern, &symbol.name)
            };
            let functions = image.symbols().filter(named);
            self.addresses
                .extend(functions.map(|symbol| symbol.address..symbol.address.saturating_add(symbol.size)));
            if self.addresses.len() == before {
                let title = format!("no function is called `{pattern}`");
                let help = "write its name as a profile shows it; `*` stands for anything";
                return Err(Diagnostic::mistake(title).in_file(image.file()).help(help));
            }
        }
        Ok(self)
    }

    /// Parses `FROM..TO`, in decimal or hexadecimal.
    ///
    /// # Errors
    ///
    /// If the text is not such a range, or an empty one.
    pub fn range(text: &str) -> std::result::Result<Range<u64>, String> {
        let number = |text: &str| match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        let ends = text.split_once("..");
        let range = ends.and_then(|(from, to)| Some(number(from)?..number(to)?));
        match range {
            Some(range) if range.start < range.end => Ok(range),
            Some(_) => Err("it contains nothing: the first number must be less than the second".to_owned()),
            None => Err("write FROM..TO, such as 1000..2000 or 0x08000000..0x08000100".to_owned()),
        }
    }
}

/// Decides which events are shown.
pub(super) struct Selection<'a> {
    only: Only,
    contexts: Contexts<'a>,
}

impl<'a> Selection<'a> {
    pub(super) fn new(only: &Only, image: &'a Image, called: ExceptionNames) -> Selection<'a> {
        Selection {
            only: only.clone(),
            contexts: Contexts::new(image, called),
        }
    }

    /// Whether an instruction at this address may be shown.
    pub(super) fn has_code(&self, pc: u32) -> bool {
        let code = &self.only.addresses;
        code.is_empty() || code.iter().any(|range| range.contains(&pc))
    }

    /// Whether a thread or interrupt of this name is shown.
    pub(super) fn has_context(&self, name: &str) -> bool {
        let only = &self.only.contexts;
        // `works` selects `works (thread 4)`, and so does `thread 4`.
        let parts = || {
            let (function, thread) = name.split_once(" (").unwrap_or((name, name));
            [name, function, thread.trim_end_matches(')')]
        };
        only.is_empty()
            || only
                .iter()
                .any(|pattern| parts().iter().any(|part| matches(pattern, part)))
    }

    /// Whether an event is shown.
    pub(super) fn shows(&mut self, event: &Event) -> bool {
        self.contexts.before(event);
        let shown = match *event {
            Event::Retire(ref retire) => self.instruction(retire.pc),
            Event::Read { pc, .. }
            | Event::Write { pc, .. }
            | Event::Fetch { pc, .. }
            | Event::Breakpoint { pc, .. }
            | Event::Semihosting { pc, .. } => self.is_selected(pc),
            _ => true,
        };
        self.contexts.behind(event);
        shown
    }

    /// Whether an instruction is shown.
    pub(super) fn shows_step(&mut self, step: &Step<'_>) -> bool {
        self.instruction(step.pc)
    }

    fn instruction(&mut self, pc: u32) -> bool {
        if !self.only.contexts.is_empty() {
            self.contexts.executed(pc);
        }
        self.is_selected(pc)
    }

    fn is_selected(&self, pc: u32) -> bool {
        self.has_code(pc)
            && (self.only.contexts.is_empty()
                || self.has_context(self.contexts.name(self.contexts.current())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_from_a_number_up_to_a_greater_one() {
        assert_eq!(Only::range("10..0x20"), Ok(10..32));
        for wrong in ["", "10", "20..10", "10..10", "a..b", "-1..5", "..5"] {
            assert!(Only::range(wrong).is_err(), "{wrong}");
        }
    }
}
