//! What the end of a run means to the user.

use machine::{Outcome, StartError};

use crate::diagnostic::Diagnostic;

/// The message if a program cannot be started.
pub fn not_started(error: &StartError) -> Diagnostic {
    Diagnostic::mistake(error.to_string()).maybe_help(error.hint())
}

/// The message if a run went wrong. A program that ended itself with an exit code other than 0 is told by that.
pub fn failure(outcome: &Outcome, limit: u64) -> Option<Diagnostic> {
    match outcome {
        Outcome::Exit { code: 0 } => None,
        Outcome::Exit { code } => Some(Diagnostic::firmware(format!(
            "the firmware ended with exit code {code}"
        ))),
        Outcome::Limit { pc } => Some(
            Diagnostic::firmware(format!("the limit of {limit} cycles is reached"))
                .note(format!("the next instruction is at {pc:#010x}"))
                .help("an endless loop, or a greater limit is needed"),
        ),
        Outcome::Crash(report) => Some(with_body(&report.to_string())),
        Outcome::NotModelled(report) => Some(with_body(&report.to_string())),
        Outcome::Stuck(report) => Some(with_body(&report.to_string())),
        Outcome::Reset { pc } => Some(
            Diagnostic::firmware("the firmware asked for a reset")
                .note(format!("SYSRESETREQ was written before {pc:#010x}")),
        ),
    }
}

/// The first line is the message, the rest what is known about it.
fn with_body(report: &str) -> Diagnostic {
    let (title, body) = report.split_once('\n').unwrap_or((report, ""));
    Diagnostic::firmware(title).body(body)
}
