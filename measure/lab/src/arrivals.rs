//! Whether a program takes the interrupts that arrive.

use events::{Event, Flow, Interest, Sink, Step};
use machine::{Architecture, Exception, ExceptionNames, Input};

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
    architecture: Architecture,
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
    pub fn new(architecture: Architecture, raises: &[(u64, Exception)]) -> Arrivals {
        let arrival = |&(cycle, exception): &(u64, Exception)| Arrival {
            cycle,
            exception,
            taken: false,
        };
        Arrivals {
            architecture,
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
            arrival.taken |= enters(self.architecture, arrival.exception, enter.number);
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

/// Whether an interrupt at this input is handled by exception `number`: RV32 has one exception for all external interrupts.
fn enters(architecture: Architecture, raised: Exception, number: u16) -> bool {
    match (architecture, raised.input()) {
        (Architecture::RiscV, Some(Input::External(_) | Input::Source(_))) => {
            EXTERNAL_TRAPS.contains(&number)
        }
        _ => raised.code(architecture) == number,
    }
}

/// The external interrupts of supervisor and machine mode (16 + cause).
const EXTERNAL_TRAPS: [u16; 2] = [16 + 9, 16 + 11];
