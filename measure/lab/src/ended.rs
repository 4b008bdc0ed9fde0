//! What the end of a run means to the user.

use machine::{Image, Outcome, ResetCause, StartError, TargetError, Waiting, reset_by};

use crate::cut;
use crate::diagnostic::Diagnostic;

/// The message if a program cannot be started.
pub(crate) fn not_started(error: &StartError) -> Diagnostic {
    Diagnostic::mistake(error.to_string()).maybe_help(error.hint())
}

/// The message if a target refuses what is asked of it.
pub(crate) fn refused(error: &TargetError) -> Diagnostic {
    let message = Diagnostic::mistake(error.to_string()).maybe_help(error.help.clone());
    match &error.file {
        Some(file) => message.in_file(file),
        None => message,
    }
}

/// The message if a run went wrong. A program that ended itself with an exit code other than 0 is told by that. `waits` is what it waits
/// for where the run ended ([`crate::backend::Bench::waits`]).
pub fn failure(outcome: &Outcome, limit: u64, image: &Image, waits: Option<Waiting>) -> Option<Diagnostic> {
    if let (Outcome::Limit { pc } | Outcome::Paused { pc }, Some(cut)) = (outcome, cut::asked()) {
        let message = cut.message("the results are from the run until then");
        let message = message.note(format!("the next instruction is at {}", place(image, *pc)));
        let lines = waits.map_or(Vec::new(), |waits| waits.lines);
        return Some(lines.into_iter().fold(message, Diagnostic::note));
    }
    match outcome {
        Outcome::Exit { code: 0 } | Outcome::Paused { .. } => None,
        Outcome::Exit { code } => Some(Diagnostic::firmware(format!(
            "the firmware ended with exit code {code}"
        ))),
        Outcome::Limit { pc } => {
            let message = Diagnostic::firmware(format!("the limit of {limit} cycles is reached"))
                .note(format!("the next instruction is at {}", place(image, *pc)));
            let Some(Waiting { lines, help }) = waits else {
                return Some(message.help("the program loops forever, or needs a higher limit"));
            };
            Some(lines.into_iter().fold(message, Diagnostic::note).maybe_help(help))
        }
        Outcome::Crash(report) => Some(with_body(&report.to_string())),
        Outcome::Trapped(report) => Some(with_body(&report.to_string()).maybe_help(report.hint())),
        Outcome::NotModelled(report) => Some(with_body(&report.to_string()).maybe_help(report.hint())),
        Outcome::Stuck(report) => Some(with_body(&report.to_string())),
        Outcome::Reset { pc, cause, count } => Some(reset(*cause, *count, &place(image, *pc))),
    }
}

/// The message if a reset of the chip ended the run, which was so many before.
fn reset(cause: ResetCause, count: u32, place: &str) -> Diagnostic {
    let title = match count {
        0 => format!("the chip was reset by {}", reset_by(cause)),
        _ => format!(
            "the chip was reset again, by {}, after {count} resets",
            reset_by(cause)
        ),
    };
    let message =
        Diagnostic::firmware(title).note(format!("the next instruction would have been at {place}"));
    match count {
        0 => message,
        _ => message.help("`--on-reset stop` ends the run at the first reset"),
    }
}

/// How a run ended, in a few words.
pub fn in_words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Exit { code } => format!("exit code {code}"),
        Outcome::Limit { .. } | Outcome::Paused { .. } if cut::asked().is_some() => "cut".to_owned(),
        Outcome::Limit { .. } | Outcome::Paused { .. } => "limit".to_owned(),
        Outcome::Crash(_) | Outcome::Trapped(_) => "crashed".to_owned(),
        Outcome::NotModelled(_) => "met what is not modelled".to_owned(),
        Outcome::Stuck(_) => "stands still".to_owned(),
        Outcome::Reset { .. } => "reset".to_owned(),
    }
}

/// The same, but nothing of one that ended by itself and in good order.
pub fn unusual(outcome: &Outcome) -> Option<String> {
    (!matches!(outcome, Outcome::Exit { code: 0 })).then(|| in_words(outcome))
}

/// The instruction that a run did not get past, if it crashed or reached its limit.
pub(crate) fn failed_at(outcome: &Outcome) -> Option<u32> {
    match outcome {
        Outcome::Limit { pc } | Outcome::Reset { pc, .. } => Some(*pc),
        Outcome::Crash(report) => report.backtrace.first().map(|frame| frame.site.pc),
        Outcome::Trapped(report) => report.backtrace.first().map(|frame| frame.site.pc),
        Outcome::NotModelled(report) => Some(report.site.pc),
        Outcome::Exit { .. } | Outcome::Paused { .. } | Outcome::Stuck(_) => None,
    }
}

/// `0x08000060, main+0x2 (src/main.rs:12:5)`, as far as it is known.
fn place(image: &Image, pc: u32) -> String {
    let symbol = image
        .describe(pc)
        .map_or(String::new(), |symbol| format!(", {symbol}"));
    let line = image
        .place_at(pc)
        .map_or(String::new(), |line| format!(" ({line})"));
    format!("{pc:#010x}{symbol}{line}")
}

/// The first line is the message, the rest what is known about it.
fn with_body(report: &str) -> Diagnostic {
    let (title, body) = report.split_once('\n').unwrap_or((report, ""));
    Diagnostic::firmware(title).body(body)
}
