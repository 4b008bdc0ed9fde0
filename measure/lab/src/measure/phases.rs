//! The phases of an interrupt: their runs, and messages about those that failed or gave no sample.

use machine::Exception;

use super::Plan;
use super::rows::Maker;
use crate::backend::Bench;
use crate::diagnostic::{Diagnostic, Kind, Result};
use crate::session::Pass;
use crate::watch::Watcher;

impl Plan<'_> {
    /// Runs each phase of the interrupt, or once if there are no phases.
    pub(super) fn run_phases(&self, raises: &[(u64, Exception)]) -> Result<(Pass, Bench)> {
        // A figure that the program measures itself exists only at the program's end.
        let to_the_end = self.values.iter().any(Option::is_some);
        let stop = |watcher: &Watcher<'_>| !to_the_end && watcher.is_done();
        let (session, collector) = (self.session(), self.collector());
        match (self.phases(), raises) {
            // A spec allows no other interrupt next to one with phases.
            (phases @ 2.., &[raise]) => session.run_phases(&self.watch, collector, raise, phases, stop),
            _ => session.run(&self.watch, collector, raises, stop),
        }
    }

    /// Number of runs, each with the interrupt a cycle later.
    pub(super) fn phases(&self) -> u64 {
        let phases = self.setup.program.raises.iter().map(|raise| raise.phases);
        phases.max().unwrap_or(1)
    }

    /// Messages about how the runs ended.
    pub(super) fn ends(&self, pass: &Pass, raises: &[(u64, Exception)]) -> Vec<Diagnostic> {
        if self.phases() == 1 {
            return self.end(pass).into_iter().collect();
        }
        let phases = self.phases();
        let failed = pass.phases.failed.as_ref().map(|failed| {
            let message = failed.message.clone();
            let mut message = message.note(format!("in {}", phase(failed.first, raises)));
            if failed.count > 1 {
                message = message.note(format!(
                    "{} of {phases} phases failed, this one first",
                    failed.count
                ));
            }
            match pass.phases.left {
                0 => message,
                left => message.note(format!("{left} of {phases} phases were not run")),
            }
        });
        failed.into_iter().chain(pass.phases.cut.clone()).collect()
    }
}

impl Maker<'_> {
    /// A warning about phases without a sample.
    pub(super) fn missed(&self, raises: &[(u64, Exception)]) -> Option<Diagnostic> {
        let missed = self.missed?;
        let phases = self.run.runs;
        let have = if missed.count == 1 { "has" } else { "have" };
        let title = format!(
            "{} of {phases} phases {have} no sample of `{}`",
            missed.count, self.span.id.value
        );
        let first = phase(missed.first, raises);
        let warning = Diagnostic::new(Kind::Skipped, title);
        let warning = warning.at(&self.setup.spec.source, self.span.id.range.clone(), "");
        Some(warning.note(format!("the first is {first}: {}", self.reason(missed.why))))
    }
}

/// A phase in words, counted from 1.
pub(super) fn phase(number: u64, raises: &[(u64, Exception)]) -> String {
    match raises {
        [(first, _), ..] => format!(
            "phase {number}, with the interrupt in cycle {}",
            first + number - 1
        ),
        [] => format!("phase {number}"),
    }
}
