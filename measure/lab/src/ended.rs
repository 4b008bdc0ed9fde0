//! Reports how a run ended.

use machine::{Image, Outcome, ResetCause, StartError, TargetError, Waiting, reset_by};

use crate::cut;
use crate::diagnostic::Diagnostic;

/// The message for a program that cannot start.
pub(crate) fn not_started(error: &StartError) -> Diagnostic {
    Diagnostic::mistake(error.to_string()).maybe_help(error.hint())
}

/// The message for a request that a target refused.
pub(crate) fn refused(error: &TargetError) -> Diagnostic {
    let message = Diagnostic::mistake(error.to_string()).maybe_help(error.help.clone());
    match &error.file {
        Some(file) => message.in_file(file),
        None => message,
    }
}

/// The message if a run failed. A program that exited with a code other than 0 counts as failed. `waits` is what it waited for at the end
/// ([`crate::backend::Bench::waits`]).
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

/// The message for a run ended by a chip reset, the `count`-th of the run.
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

/// As [`in_words`]; `None` for a run that exited with code 0.
pub fn unusual(outcome: &Outcome) -> Option<String> {
    (!matches!(outcome, Outcome::Exit { code: 0 })).then(|| in_words(outcome))
}

/// The instruction at which a run crashed or reached its limit.
pub(crate) fn failed_at(outcome: &Outcome) -> Option<u32> {
    match outcome {
        Outcome::Limit { pc } | Outcome::Reset { pc, .. } => Some(*pc),
        Outcome::Crash(report) => report.backtrace.first().map(|frame| frame.site.pc),
        Outcome::Trapped(report) => report.backtrace.first().map(|frame| frame.site.pc),
        Outcome::NotModelled(report) => Some(report.site.pc),
        Outcome::Exit { .. } | Outcome::Paused { .. } | Outcome::Stuck(_) => None,
    }
}

/// A place such as `0x08000060, main+0x2 (src/main.rs:12:5)`, as far as known.
fn place(image: &Image, pc: u32) -> String {
    let symbol = image
        .describe(pc)
        .map_or(String::new(), |symbol| format!(", {symbol}"));
    let line = image
        .place_at(pc)
        .map_or(String::new(), |line| format!(" ({line})"));
    format!("{pc:#010x}{symbol}{line}")
}

/// Makes the first line the title and the rest the body.
fn with_body(report: &str) -> Diagnostic {
    let (title, body) = report.split_once('\n').unwrap_or((report, ""));
    Diagnostic::firmware(title).body(body)
}
