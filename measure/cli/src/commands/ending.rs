//! How a command ended: what is said, and the exit code.

use std::io::{self, IsTerminal as _, Write as _};

use lab::diagnostic::{Diagnostic, Kind};

/// How a command ended.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// What went wrong, in the order in which it is shown.
    pub(super) messages: Vec<Diagnostic>,
    /// Exit code of firmware that ended by itself.
    pub(super) firmware: u8,
}

impl Ending {
    /// Shows the messages on standard error.
    pub(super) fn tell(&self) {
        let styled = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let messages: Vec<String> = self
            .messages
            .iter()
            .map(|message| message.render(styled))
            .collect();
        // Who cannot be told still gets the exit code.
        let _ = io::stderr().write_all(messages.join("\n").as_bytes());
    }

    /// The gravest message decides.
    pub(super) fn code(&self) -> u8 {
        let kinds = self.messages.iter().map(Diagnostic::kind);
        let gravest = kinds.filter(|kind| *kind != Kind::Skipped).max();
        gravest.map_or(self.firmware, |kind| kind as u8)
    }
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
