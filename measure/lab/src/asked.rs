//! Turns a command line into the equivalent spec, so that messages can point into the command.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use events::{Event, Flow, Interest, Sink, Step};
use machine::{Board, Exception, ExceptionNames, Image};

use crate::backend::Bench;
use crate::diagnostic::{self, Diagnostic, Kind, Source};
use crate::resolve::Scope;
use crate::spec::{Located, Raise, Spec, When};

/// An external interrupt: `IRQ6@1000` arrives in cycle 1000 since reset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interruption {
    /// The name of its exception.
    pub name: String,
    /// Its cycle since reset.
    pub cycle: u64,
}

impl FromStr for Interruption {
    type Err = String;

    fn from_str(text: &str) -> Result<Interruption, String> {
        let parts = text.rsplit_once('@').filter(|(name, _)| !name.is_empty());
        let read = |(name, cycle): (&str, &str)| {
            Some(Interruption {
                name: name.to_owned(),
                cycle: cycle.parse().ok()?,
            })
        };
        parts
            .and_then(read)
            .ok_or_else(|| "write the interrupt and its cycle since reset, as in IRQ6@1000".to_owned())
    }
}

/// The cycles and exceptions of the interrupts that a command requests.
///
/// # Errors
///
/// If the board has no such interrupt.
pub fn inputs(
    command: &str,
    image: &Image,
    board: &Board,
    interrupts: &[Interruption],
) -> diagnostic::Result<Vec<(u64, Exception)>> {
    let mut asked = Asked::new(command, image);
    let raises = asked.raises(interrupts);
    let spec = asked.spec();
    let scope = Scope {
        spec: &spec,
        image,
        board,
    };
    resolve(&scope, &raises, interrupts)
}

/// The cycles and exceptions of interrupts, by the raises that [`Asked::raises`] made of them.
pub(crate) fn resolve(
    scope: &Scope<'_>,
    raises: &[Raise],
    interrupts: &[Interruption],
) -> diagnostic::Result<Vec<(u64, Exception)>> {
    let both = raises.iter().zip(interrupts);
    both.map(|(raise, interrupt)| Ok((interrupt.cycle, scope.input(&raise.irq)?)))
        .collect()
}

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

/// Warnings about external stimuli after a run: still pending, received by no device, or refused by a device.
pub fn never_came(machine: &Bench) -> Vec<Diagnostic> {
    let late = |(cycle, device)| {
        let title = format!("a stimulus for {device} should have come in cycle {cycle}, and never did");
        too_late(title, machine.cycle())
    };
    let lost = |(device, bytes, why)| {
        let bytes = if bytes == 1 {
            format!("1 byte for {device} was")
        } else {
            format!("{bytes} bytes for {device} were")
        };
        Diagnostic::new(Kind::Skipped, format!("{bytes} not received: {why}"))
    };
    let late = machine.scheduled_inputs().into_iter().map(late);
    let lost = machine.unreceived().into_iter().map(lost);
    let refused = machine.refused().map(|what| {
        let note = "the program accessed no device after that; such an access would have stopped it";
        Diagnostic::new(Kind::Skipped, what).note(note)
    });
    late.chain(lost).chain(refused).collect()
}

fn too_late(title: String, end: u64) -> Diagnostic {
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

/// A command line under construction, with the source range of each word.
pub(crate) struct Asked {
    text: String,
}

impl Asked {
    /// Starts with `cyclescope COMMAND FILE`.
    pub(crate) fn new(command: &str, image: &Image) -> Asked {
        let file = Path::new(image.file()).file_name().unwrap_or_default();
        Asked {
            text: format!("cyclescope {command} {}", file.to_string_lossy()),
        }
    }

    /// Appends a word.
    pub(crate) fn word(&mut self, word: &str) -> Located<String> {
        self.text.push(' ');
        let from = self.text.len();
        self.text.push_str(word);
        Located {
            value: word.to_owned(),
            range: from..self.text.len(),
        }
    }

    /// Appends the option for these interrupts.
    pub(crate) fn raises(&mut self, interrupts: &[Interruption]) -> Vec<Raise> {
        let raise = |interrupt: &Interruption| {
            self.word("--raise");
            let mut irq = self.word(&format!("{}@{}", interrupt.name, interrupt.cycle));
            irq.value.clone_from(&interrupt.name);
            Raise {
                irq,
                when: When::At(interrupt.cycle),
                phases: 1,
            }
        };
        interrupts.iter().map(raise).collect()
    }

    /// The command as a spec for messages.
    pub(crate) fn spec(self) -> Spec {
        Spec {
            source: Arc::new(Source {
                path: "command line".to_owned(),
                text: self.text,
            }),
            rtl: None,
            programs: Vec::new(),
            elsewhere: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_has_a_name_and_a_cycle() {
        let interrupt = Interruption {
            name: "IRQ6".to_owned(),
            cycle: 1000,
        };
        assert_eq!("IRQ6@1000".parse(), Ok(interrupt));
        for wrong in ["IRQ6", "@5", "IRQ6@", "IRQ6@soon"] {
            assert!(wrong.parse::<Interruption>().is_err(), "{wrong}");
        }
    }
}
