//! Whether a program takes the interrupts that arrive.

use events::{Event, Flow, Interest, Sink, Step};
use machine::{Exception, ExceptionNames};

use crate::diagnostic::{Diagnostic, Kind};

/// Forwards events to a sink and records which external interrupts are taken.
pub(crate) struct Noting<'a> {
    /// The interrupts.
    pub(crate) arrivals: &'a mut Arrivals,
    /// The receiver of the events.
    pub(crate) sink: &'a mut dyn Sink,
}

impl Sink for Noting<'_> {
    fn interest(&self) -> Interest {
        let interest = self.sink.interest();
        Interest {
            control: interest.control || !self.arrivals.is_empty(),
            ..interest
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.arrivals.event(event);
        self.sink.event(event)
    }

    fn step(&mut self, step: &Step<'_>) -> Flow {
        self.sink.step(step)
    }
}

/// External interrupts, and whether the program took them.
#[derive(Clone, Debug)]
pub struct Arrivals {
    all: Vec<Arrival>,
}

#[derive(Clone, Debug)]
struct Arrival {
    cycle: u64,
    exception: Exception,
    taken: bool,
}

impl Arrivals {
    /// Expects these interrupts.
    pub fn new(raises: &[(u64, Exception)]) -> Arrivals {
        let arrival = |&(cycle, exception): &(u64, Exception)| Arrival {
            cycle,
            exception,
            taken: false,
        };
        Arrivals {
            all: raises.iter().map(arrival).collect(),
        }
    }

    /// Whether no interrupt is expected.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Processes an event of the run.
    pub fn event(&mut self, event: &Event) {
        let Event::Enter(enter) = event else { return };
        for arrival in self.all.iter_mut().filter(|arrival| arrival.cycle <= enter.at.to) {
            arrival.taken |= enters(arrival.exception, enter.exception);
        }
    }

    /// Warnings about interrupts that arrived before the run stopped in cycle `end` and were not taken.
    pub(crate) fn missing_by(&self, end: u64, called: &ExceptionNames) -> Vec<Diagnostic> {
        let missing = self
            .all
            .iter()
            .filter(|arrival| !arrival.taken && arrival.cycle <= end);
        let warning = |arrival: &Arrival| {
            let (name, cycle) = (called.name(arrival.exception), arrival.cycle);
            let title = format!("{name} was raised in cycle {cycle}, and not taken by cycle {end}");
            let help = "the program had not enabled it, or masked it, or it had to wait";
            Diagnostic::new(Kind::Skipped, title).help(help)
        };
        missing.map(warning).collect()
    }

    /// Warnings about interrupts that were not taken, after a run that ended in cycle `end`.
    pub fn missing(&self, end: u64, called: &ExceptionNames) -> Vec<Diagnostic> {
        let missing = self.all.iter().filter(|arrival| !arrival.taken);
        let warning = |arrival: &Arrival| {
            let (name, cycle) = (called.name(arrival.exception), arrival.cycle);
            if cycle > end {
                let title = format!("{name} should have been raised in cycle {cycle}, and never was");
                return too_late(title, end);
            }
            let title = format!("{name} was raised in cycle {cycle}, and never taken");
            let help = "the program had not enabled it, masked it, or ended before it could be taken";
            Diagnostic::new(Kind::Skipped, title).help(help)
        };
        missing.map(warning).collect()
    }
}

/// The warning about an input that would have come after a run ended in cycle `end`.
pub(crate) fn too_late(title: String, end: u64) -> Diagnostic {
    Diagnostic::new(Kind::Skipped, title).note(format!("the run was over in cycle {end}"))
}

/// Whether an interrupt at this input has this exception: RV32 has one for all external interrupts of a mode.
fn enters(raised: Exception, entered: Exception) -> bool {
    let external = matches!(
        entered,
        Exception::MACHINE_EXTERNAL | Exception::SUPERVISOR_EXTERNAL
    );
    raised == entered || external && matches!(raised, Exception::External(_) | Exception::Source(_))
}
