//! Matches events against a point.

use events::{Event, Interest, Pcs, Ranges};

use crate::spec::Edge;
use crate::watch::{Place, touches};

/// A place to find in a stream of events.
#[derive(Clone, Debug)]
pub(crate) struct Meets {
    place: Place,
    breakpoints: u32,
}

impl Meets {
    pub(crate) fn new(place: Place) -> Meets {
        Meets {
            place,
            breakpoints: 0,
        }
    }

    /// The events needed to find it.
    pub(crate) fn interest(&self) -> Interest {
        Interest {
            pcs: match &self.place {
                Place::Code(pcs) => Pcs::at(pcs.iter().copied()),
                Place::Function(pc) => Pcs::at([*pc]),
                _ => Pcs::None,
            },
            writes: match &self.place {
                Place::Write(range) => Ranges::of([(range.start, range.end.saturating_sub(1))]),
                _ => Ranges::NONE,
            },
            control: true,
            ..Interest::none()
        }
    }

    /// Whether this event is at the point.
    pub(crate) fn meets(&mut self, event: &Event) -> bool {
        match (&self.place, event) {
            (Place::Code(pcs), Event::Retire(retire)) => pcs.contains(&retire.pc),
            (Place::Code(pcs), Event::Breakpoint { pc, .. } | Event::Semihosting { pc, .. }) => {
                pcs.contains(pc)
            }
            (Place::Function(entry), Event::Retire(retire)) => retire.pc == *entry,
            (Place::Breakpoint(number), Event::Breakpoint { .. }) => {
                self.breakpoints += 1;
                self.breakpoints == *number
            }
            (Place::Marker(operand), Event::Breakpoint { imm, .. }) => imm == operand,
            (Place::Exception(exception, Edge::Entry), Event::Enter(enter)) => enter.exception == *exception,
            (Place::Exception(exception, Edge::Exit), Event::Exit(exit)) => exit.exception == *exception,
            (Place::Write(range), Event::Write { address, size, .. }) => touches(range, *address, *size),
            (Place::Raise(raised), Event::Input { exception, level, .. }) => exception == raised && *level,
            _ => false,
        }
    }
}
