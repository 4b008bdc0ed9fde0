//! Cancels all runs from outside: by a signal, or on a timeout.
//!
//! A signal handler or a timer thread requests the cancellation; runs poll for it. A cancelled run keeps its measurements and reports
//! that it was cut.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::diagnostic::{Diagnostic, Kind};

/// The reason for a cancellation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// A signal with this number.
    Signal(u8),
    /// `--timeout`.
    Time,
}

/// The request: 0 for none, a signal's number, or a greater value for the timeout.
static ASKED: AtomicU8 = AtomicU8::new(0);
const TIME: u8 = u8::MAX;

/// Whether a run has seen the request and is ending.
static NOTICED: AtomicBool = AtomicBool::new(false);

/// Whether a message has reported something left out.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Cancels all runs, including those not yet started. The first request counts.
pub fn ask(cut: Cut) {
    let number = match cut {
        Cut::Signal(number) => number.min(TIME - 1),
        Cut::Time => TIME,
    };
    let _ = ASKED.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
    machine::end_scripts();
}

/// The reason for a requested cancellation.
pub fn asked() -> Option<Cut> {
    match ASKED.load(Ordering::Relaxed) {
        0 => None,
        TIME => Some(Cut::Time),
        number => Some(Cut::Signal(number)),
    }
}

/// The message about runs that have not begun, if runs are cancelled.
pub fn leaves_out(what: impl FnOnce() -> String) -> Option<Diagnostic> {
    notice().map(|cut| cut.message(&what()))
}

/// As [`asked`], for a run that will end because of it.
pub(crate) fn notice() -> Option<Cut> {
    let cut = asked();
    if cut.is_some() {
        NOTICED.store(true, Ordering::Relaxed);
    }
    cut
}

/// Whether a run is ending because of a request.
pub fn is_noticed() -> bool {
    NOTICED.load(Ordering::Relaxed)
}

/// Whether a message reported something left out. Runs that completed or ended by themselves were not cut.
pub fn is_told() -> bool {
    TOLD.load(Ordering::Relaxed)
}

impl Cut {
    /// The process's exit code for a signal, 128 plus its number as in a shell; `None` if the messages decide it.
    pub fn exit_code(self) -> Option<u8> {
        match self {
            Cut::Signal(number) => Some(128 + (number & 127)),
            Cut::Time => None,
        }
    }

    /// `SIGINT`.
    pub fn name(self) -> String {
        match self {
            Cut::Signal(2) => "SIGINT".to_owned(),
            Cut::Signal(15) => "SIGTERM".to_owned(),
            Cut::Signal(number) => format!("signal {number}"),
            Cut::Time => "--timeout".to_owned(),
        }
    }

    /// The message about what was left out.
    pub(crate) fn message(self, what: &str) -> Diagnostic {
        TOLD.store(true, Ordering::Relaxed);
        Diagnostic::new(Kind::Firmware, format!("cut by {}: {what}", self.name()))
    }
}
