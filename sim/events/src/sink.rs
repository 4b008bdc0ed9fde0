//! Who listens.

use crate::event::{Event, Step};
use crate::interest::Interest;

/// Whether a run goes on behind an event.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[must_use]
pub enum Flow {
    /// It does.
    #[default]
    On,
    /// It pauses before the next instruction: all is known, or the sink's interest is another one now.
    Pause,
}

/// Receives events in the order of their cycles; but a store's [`Event::Write`] and a load's [`Event::Read`] come before their
/// [`crate::Retire`] even if they reach the bus a cycle after the instruction's first one.
pub trait Sink {
    /// What it wants to hear of. It is asked once when a run begins or goes on; to be asked anew, it pauses the run.
    fn interest(&self) -> Interest;

    /// One event. It may be one that this sink did not ask for but another one did.
    fn event(&mut self, event: &Event) -> Flow;

    /// An instruction that would else be an [`Event::Retire`], if [`Interest::steps`] allows it. Who passes on another sink's
    /// interest passes this on, too; who asks for it takes both.
    fn step(&mut self, _step: &Step<'_>) -> Flow {
        Flow::On
    }
}

/// Nobody listens.
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

/// Keeps everything; for tests.
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

/// Both listen; either can pause.
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
