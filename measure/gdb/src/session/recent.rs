//! The last windows before the current moment.

use events::{Event, Flow, Interest, Sink};
use machine::target::{TargetError, Until};

use super::Session;

/// Windows that `monitor why` shows.
const RECENT: usize = 12;

impl Session {
    /// The last windows before the current moment, as far as they are known.
    ///
    /// # Errors
    /// If the target cannot go back.
    pub(crate) fn recent(&mut self) -> Result<Vec<Event>, TargetError> {
        let now = self.bench.target().snapshot()?;
        let events = self.silently(Session::recent_silently);
        self.bench.target().restore(&now)?;
        events
    }

    fn recent_silently(&mut self) -> Result<Vec<Event>, TargetError> {
        let end = self.reached;
        let mut events: Vec<Event> = Vec::new();
        for index in (0..self.history.len()).rev() {
            let till = if index + 1 == self.history.len() {
                end
            } else {
                self.history.mark(index + 1).reached
            };
            self.approach(index, till)?;
            let mut windows = Windows::default();
            self.bench.target().run(Until::Cycle(till.cycle), &mut windows)?;
            windows.0.extend(events);
            events = windows.0;
            if events.len() >= RECENT {
                break;
            }
        }
        Ok(events.split_off(events.len().saturating_sub(RECENT)))
    }
}

/// Collects every window.
#[derive(Default)]
struct Windows(Vec<Event>);

impl Sink for Windows {
    fn interest(&self) -> Interest {
        Interest::windows()
    }

    fn event(&mut self, event: &Event) -> Flow {
        if event.window().is_some() {
            self.0.push(*event);
        }
        Flow::On
    }
}
