//! A command's result: its messages and the exit code.

use std::io::{self, IsTerminal as _, Write as _};

use lab::diagnostic::{Diagnostic, Kind};

/// The most messages shown; each one searches a file for its position.
const MOST: usize = 100;

/// A command's result.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// Messages in the order in which they are shown.
    pub(super) messages: Vec<Diagnostic>,
    /// Exit code of firmware that exited by itself.
    pub(super) firmware: u8,
}

impl Ending {
    /// Shows the messages on standard error.
    pub(super) fn tell(&self) {
        let styled = is_coloured(io::stderr().is_terminal(), |name| std::env::var(name).ok());
        let shown = self.messages.iter().take(MOST);
        let mut messages: Vec<String> = shown.map(|message| message.render(styled)).collect();
        if let Some(more) = self.messages.len().checked_sub(MOST).filter(|more| *more > 0) {
            messages.push(format!("error: and {more} more like these\n"));
        }
        // A write error must not lose the exit code.
        let _ = io::stderr().write_all(messages.join("\n").as_bytes());
    }

    /// The exit code: of the signal that stopped the runs, otherwise of the most severe message.
    pub(super) fn code(&self) -> u8 {
        let cut = lab::cut::asked().filter(|_| lab::cut::is_told());
        if let Some(code) = cut.and_then(lab::cut::Cut::exit_code) {
            return code;
        }
        let kinds = self.messages.iter().map(Diagnostic::kind);
        let gravest = kinds.filter(|kind| *kind != Kind::Skipped).max();
        gravest.map_or(self.firmware, |kind| kind as u8)
    }
}

/// Whether to use colours. `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR` and `TERM` decide in this order.
fn is_coloured(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if set("NO_COLOR").is_some() {
        return false;
    }
    if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    let refused =
        set("CLICOLOR").is_some_and(|value| value == "0") || set("TERM").is_some_and(|term| term == "dumb");
    is_terminal && !refused
}

impl From<Vec<Diagnostic>> for Ending {
    fn from(messages: Vec<Diagnostic>) -> Ending {
        Ending {
            messages,
            firmware: 0,
        }
    }
}

impl From<Diagnostic> for Ending {
    fn from(message: Diagnostic) -> Ending {
        vec![message].into()
    }
}

#[cfg(test)]
mod tests {
    use super::is_coloured;

    #[test]
    fn colours_are_for_who_wants_them() {
        let asked = |terminal, set: &[(&str, &str)]| {
            is_coloured(terminal, |name| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(asked(true, &[("TERM", "xterm"), ("NO_COLOR", "")]) && !asked(false, &[]));
        assert!(!asked(true, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]));
        assert!(asked(false, &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")]));
        assert!(!asked(true, &[("CLICOLOR", "0")]) && !asked(true, &[("TERM", "dumb")]));
    }
}
