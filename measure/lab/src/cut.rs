//! Ending all runs from outside: by a signal, or when the time for them is over.
//!
//! What asks is a signal's handler or a clock, in another thread; what is asked looks every now and then. A run that is ended so keeps
//! all that it has measured, and says that it was cut.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::diagnostic::{Diagnostic, Kind};

/// What ends the runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// A signal of this number.
    Signal(u8),
    /// `--timeout`.
    Time,
}

/// 0: nothing. More than any signal's number: the time is over.
static ASKED: AtomicU8 = AtomicU8::new(0);
const TIME: u8 = u8::MAX;

/// Somebody has seen it, and comes to an end.
static NOTICED: AtomicBool = AtomicBool::new(false);

/// Something was left out for it, which a message says.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Ends all runs, those that have not begun too. The first to ask is the one that is told.
pub fn ask(cut: Cut) {
    let number = match cut {
        Cut::Signal(number) => number.min(TIME - 1),
        Cut::Time => TIME,
    };
    let _ = ASKED.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
    machine::end_scripts();
}

/// Whether the runs are to end, and why.
pub fn asked() -> Option<Cut> {
    match ASKED.load(Ordering::Relaxed) {
        0 => None,
        TIME => Some(Cut::Time),
        number => Some(Cut::Signal(number)),
    }
}

/// The message about what is left out, if the runs are to end: for those that have not begun.
pub fn leaves_out(what: impl FnOnce() -> String) -> Option<Diagnostic> {
    notice().map(|cut| cut.message(&what()))
}

/// As [`asked`], by a run that ends for it.
pub(crate) fn notice() -> Option<Cut> {
    let cut = asked();
    if cut.is_some() {
        NOTICED.store(true, Ordering::Relaxed);
    }
    cut
}

/// Whether a run comes to its end since it was asked to.
pub fn is_noticed() -> bool {
    NOTICED.load(Ordering::Relaxed)
}

/// Whether something was left out for it. What was complete all the same, or ended by itself, was not cut.
pub fn is_told() -> bool {
    TOLD.load(Ordering::Relaxed)
}

impl Cut {
    /// What the process's exit code says of it, where that is not said by its messages: 128 and the signal's number, as a shell has it.
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
