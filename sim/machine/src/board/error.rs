//! What can be wrong with a board.

use std::io;

use thiserror::Error;

use super::Board;
use crate::families::{RequestedChip, nearest_boards};
use crate::nearest::{did_you_mean, nearest};

/// Why there is no such board.
#[derive(Debug, Error)]
pub enum BoardError {
    /// No built-in board of that name.
    #[error("no board `{name}`")]
    Unknown {
        /// What was asked for.
        name: String,
        /// Boards that resemble it.
        nearest: Vec<String>,
        /// Which core a chip of its name has, in words, if that is known.
        core: Option<String>,
        /// Every built-in board.
        known: Vec<String>,
    },
    /// No rule of that name that the board's core has and that can be switched off.
    #[error("no rule `{name}` of the {core} can be switched off")]
    NoRule {
        /// What was asked for.
        name: String,
        /// The board's core.
        core: &'static str,
        /// Those that can be.
        known: Vec<&'static str>,
    },
    /// The core has the rule, and always needs it.
    #[error("rule `{name}` of the {core} cannot be switched off")]
    AlwaysOn {
        /// What was asked for.
        name: String,
        /// The board's core.
        core: &'static str,
        /// Those that can be.
        known: Vec<&'static str>,
    },
    /// The board file cannot be read.
    #[error("{file}: cannot be read: {error}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        error: io::Error,
    },
    /// A stub that no SVD file describes.
    #[error("{message}")]
    Stub {
        /// What is wrong.
        message: String,
        /// What to write instead.
        hint: Option<String>,
    },
    /// Something in the board file is wrong.
    #[error("{file}:{line}: {message}")]
    Wrong {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        message: String,
        /// What to write instead.
        hint: Option<String>,
    },
}

impl BoardError {
    /// That there is no built-in board of this name, and which ones come nearest.
    pub(super) fn unknown(name: &str) -> BoardError {
        let meant = RequestedChip::by_name(name);
        let by_core = meant.as_ref().map(|meant| {
            let core = |name| Some((name, Board::find(name).ok()?.core()));
            nearest_boards(meant, &Board::names().filter_map(core).collect::<Vec<_>>())
        });
        let near = by_core.unwrap_or_else(|| nearest(name, Board::names(), 2));
        BoardError::Unknown {
            name: name.into(),
            nearest: near.into_iter().map(str::to_owned).collect(),
            core: meant.and_then(|meant| meant.core_in_words()),
            known: Board::names().map(str::to_owned).collect(),
        }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            BoardError::Unknown { nearest, .. } => {
                let list = self.hint_of_built_in()?;
                let like = nearest.first().map_or("stm32f407", String::as_str);
                Some(format!(
                    "{list}; for another chip give a board file, `./myboard.toml`: `cyclescope board new --svd FILE` makes one of the \
                     chip's SVD file, and one with `like = \"{like}\"` says only what is different (docs/boards.md)"
                ))
            }
            BoardError::NoRule { name, known, .. } => {
                let question = did_you_mean(&nearest(name, known.iter().copied(), 2));
                Some(question.unwrap_or_else(|| switchable(known)))
            }
            BoardError::AlwaysOn { known, .. } => Some(switchable(known)),
            BoardError::Unreadable { .. } => None,
            BoardError::Stub { hint, .. } | BoardError::Wrong { hint, .. } => hint.clone(),
        }
    }

    /// What the user can do where no file would do instead of a built-in board.
    pub(super) fn hint_of_built_in(&self) -> Option<String> {
        let BoardError::Unknown {
            nearest, core, known, ..
        } = self
        else {
            return None;
        };
        let list = format!("the boards are {}", known.join(", "));
        let core = core.as_ref().map(|core| format!("{core};"));
        let parts = [did_you_mean(nearest), core, Some(list)];
        Some(parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }

    /// From an error of the TOML parser, with its place and the nearest word for a misspelt one.
    pub(super) fn from_toml(file: &str, text: &str, error: &toml::de::Error) -> BoardError {
        let at = error.span().map_or(0, |span| span.start);
        let message = error.message().lines().next().unwrap_or_default();
        BoardError::unreadable_at(file, text, at, message)
    }

    /// From a message as serde writes it.
    pub(super) fn unreadable_at(file: &str, text: &str, at: usize, message: &str) -> BoardError {
        let hint = suggestion(message);
        // With the right word at hand, the list of all words is only in the way.
        let message = if hint.is_some() {
            message.split(", expected").next().unwrap_or(message)
        } else {
            message
        };
        BoardError::Wrong {
            file: file.into(),
            line: line_of(text, at),
            message: message.into(),
            hint,
        }
    }
}

/// The line, from 1, of a byte offset.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()
        .iter()
        .take(at)
        .filter(|&&byte| byte == b'\n')
        .count()
        + 1
}

/// serde writes "unknown field `size_`, expected one of `base`, `size`": the nearest of the words that it lists.
fn suggestion(message: &str) -> Option<String> {
    let known = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let mut words = message.split('`').skip(1).step_by(2);
    let found = words.next().filter(|_| known)?;
    did_you_mean(&nearest(found, words, 1))
}

/// Which rules can be switched off.
fn switchable(known: &[&str]) -> String {
    if known.is_empty() {
        return "no rule of this core can be switched off".into();
    }
    format!("those that can are {}", known.join(", "))
}
