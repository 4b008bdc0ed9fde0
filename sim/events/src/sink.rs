//! The trait of event receivers.

use crate::event::{Event, Step};
use crate::interest::Interest;

/// Whether a run continues after an event.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[must_use]
pub enum Flow {
    /// Continue.
    #[default]
    On,
    /// Pause before the next instruction: the sink is done, or its interest changed.
    Pause,
}

/// Receives events in cycle order, with one exception: a store's [`Event::Write`] and a load's [`Event::Read`] precede their
/// [`crate::Retire`] even if they reach the bus in the cycle after the instruction's first.
pub trait Sink {
    /// The events that it wants. The run asks when it starts or resumes; a sink pauses the run to be asked again.
    fn interest(&self) -> Interest;

    /// Receives an event. Another sink may have asked for it.
    fn event(&mut self, event: &Event) -> Flow;

    /// Receives an instruction in place of an [`Event::Retire`], if [`Interest::steps`] allows it. A sink that forwards another sink's
    /// interest must forward this too, and a sink that sets `steps` must accept both forms.
    fn step(&mut self, _step: &Step<'_>) -> Flow {
        Flow::On
    }
}

/// A sink that wants nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Silent;

impl Sink for Silent {
    fn interest(&self) -> Interest {
        Interest::none()
    }

    fn event(&mut self, _: &Event) -> Flow {
        Flow::On
    }
}

/// Keeps every event; for tests.
impl Sink for Vec<Event> {
    fn interest(&self) -> Interest {
        Interest {
            fetch: false,
            ..Interest::everything()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.push(*event);
        Flow::On
    }
}

/// Delivers to both sinks; either can pause the run.
impl<A: Sink, B: Sink> Sink for (A, B) {
    fn interest(&self) -> Interest {
        self.0.interest().union(self.1.interest())
    }

    fn event(&mut self, event: &Event) -> Flow {
        match (self.0.event(event), self.1.event(event)) {
            (Flow::On, Flow::On) => Flow::On,
            _ => Flow::Pause,
        }
    }

    fn step(&mut self, step: &Step<'_>) -> Flow {
        match (self.0.step(step), self.1.step(step)) {
            (Flow::On, Flow::On) => Flow::On,
            _ => Flow::Pause,
        }
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn interest(&self) -> Interest {
        (**self).interest()
    }

    fn event(&mut self, event: &Event) -> Flow {
        (**self).event(event)
    }

    fn step(&mut self, step: &Step<'_>) -> Flow {
        (**self).step(step)
    }
}
