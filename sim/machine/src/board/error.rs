//! Errors in board files and board names.

use std::io;

use thiserror::Error;

use super::Board;
use crate::families::{RequestedChip, nearest_boards};
use crate::nearest::{did_you_mean, nearest};

/// Why a board cannot be built.
#[derive(Debug, Error)]
pub enum BoardError {
    /// No built-in board of that name.
    #[error("no board `{name}`")]
    Unknown {
        /// The requested name.
        name: String,
        /// Boards with similar names.
        nearest: Vec<String>,
        /// The core of a chip with this name, as text, if known.
        core: Option<String>,
    },
    /// The board's core has no such rule that can be switched off.
    #[error("no rule `{name}` of the {core} can be switched off")]
    NoRule {
        /// The requested rule.
        name: String,
        /// The board's core.
        core: &'static str,
        /// The rules that can be switched off.
        known: Vec<&'static str>,
    },
    /// The core has the rule but always needs it.
    #[error("rule `{name}` of the {core} cannot be switched off")]
    AlwaysOn {
        /// The requested rule.
        name: String,
        /// The board's core.
        core: &'static str,
        /// The rules that can be switched off.
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
        /// The message.
        message: String,
        /// The suggested correction.
        hint: Option<String>,
    },
    /// A mistake in the board file.
    #[error("{file}:{line}: {message}")]
    Wrong {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The message.
        message: String,
        /// The suggested correction.
        hint: Option<String>,
    },
}

impl BoardError {
    /// The error for an unknown board, with the nearest names.
    pub(super) fn unknown(name: &str) -> BoardError {
        let meant = RequestedChip::by_name(name);
        let by_core = meant.as_ref().map(|meant| {
            let core = |name| Some((name, Board::built_in(name).ok()?.core()));
            nearest_boards(meant, &Board::names().filter_map(core).collect::<Vec<_>>())
        });
        let near = by_core.unwrap_or_else(|| nearest(name, Board::names(), 2));
        BoardError::Unknown {
            name: name.into(),
            nearest: near.into_iter().map(str::to_owned).collect(),
            core: meant.and_then(|meant| meant.core_in_words()),
        }
    }

    /// The suggested remedy.
    pub fn hint(&self) -> Option<String> {
        match self {
            BoardError::Unknown { name, nearest, .. } => {
                let list = self.hint_of_built_in()?;
                let like = nearest.first().map_or("stm32f407", String::as_str);
                let is_name = name
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
                let mine = if is_name { name } else { "myboard" };
                Some(format!(
                    "{list}; for another chip write a board file: `--board ./{mine}.toml`, with the lines `name = \"{mine}\"`, \
                     `like = \"{like}\"` and what is different (docs/boards.md), or as `cyclescope board new --svd FILE` makes it of the \
                     chip's SVD file"
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

    /// The suggested remedy where a board file cannot replace a built-in board.
    pub(super) fn hint_of_built_in(&self) -> Option<String> {
        let BoardError::Unknown { nearest, core, .. } = self else {
            return None;
        };
        let core = core.as_ref().map(|core| format!("{core};"));
        let parts = [
            did_you_mean(nearest),
            core,
            Some("`cyclescope list boards` lists all".to_owned()),
        ];
        Some(parts.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }

    /// Converts an error of the TOML parser, with its place and a suggestion for a misspelt word.
    pub(super) fn from_toml(file: &str, text: &str, error: &toml::de::Error) -> BoardError {
        let at = error.span().map_or(0, |span| span.start);
        let message = error.message().lines().next().unwrap_or_default();
        BoardError::unreadable_at(file, text, at, message)
    }

    /// Converts a message of serde.
    pub(super) fn unreadable_at(file: &str, text: &str, at: usize, message: &str) -> BoardError {
        let hint = suggestion(message);
        // With a suggestion, the list of all words only distracts.
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

/// The line of a byte offset, from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()
        .iter()
        .take(at)
        .filter(|&&byte| byte == b'\n')
        .count()
        + 1
}

/// The nearest of the words that a message of serde lists: "unknown field `size_`, expected one of `base`, `size`".
fn suggestion(message: &str) -> Option<String> {
    let known = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let mut words = message.split('`').skip(1).step_by(2);
    let found = words.next().filter(|_| known)?;
    did_you_mean(&nearest(found, words, 1))
}

/// Lists the rules that can be switched off.
fn switchable(known: &[&str]) -> String {
    if known.is_empty() {
        return "no rule of this core can be switched off".into();
    }
    format!("those that can are {}", known.join(", "))
}
