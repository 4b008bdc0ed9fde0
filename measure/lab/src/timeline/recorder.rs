//! A sink that distributes a run's windows to the samples that contain them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use events::{EntryKind, Event, Flow, Interest, RuleBook, Sink, Window};
use machine::{ExceptionNames, Image, Listing};
use report::Timeline;
use spans::Place;

use super::AHEAD;
use super::building::{Building, Step};
use super::contexts::Contexts;
use crate::project::Project;

/// Maximum number of instructions in an IT block.
const IT_BLOCK: u8 = 4;

/// The recording sink.
pub(super) struct Recorder<'a> {
    image: &'a Image,
    project: &'a Project,
    book: &'a RuleBook,
    listing: Listing,
    /// Number of following instructions that may be in an IT block, so that their text depends on it.
    in_it: u8,
    texts: HashMap<u32, String>,
    contexts: Contexts,
    /// The samples still to come, the next one last.
    waiting: Vec<(usize, Place)>,
    open: Vec<(usize, Building)>,
    done: Vec<Option<Timeline>>,
    /// The clock in Hz while windows are recorded; `None` otherwise.
    clock_hz: Option<u32>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(
        image: &'a Image,
        project: &'a Project,
        book: &'a RuleBook,
        called: ExceptionNames,
        places: &[Place],
    ) -> Recorder<'a> {
        let mut waiting: Vec<(usize, Place)> = places.iter().copied().enumerate().collect();
        waiting.sort_by_key(|(index, place)| std::cmp::Reverse((place.began, *index)));
        Recorder {
            image,
            project,
            book,
            listing: Listing::new(image.architecture()),
            in_it: 0,
            texts: HashMap::new(),
            contexts: Contexts::new(called),
            done: vec![None; waiting.len()],
            waiting,
            open: Vec::new(),
            clock_hz: None,
        }
    }

    /// The cycle at which recording must start: that of the open sample, or of the next one.
    pub(super) fn next(&self) -> Option<u64> {
        let open = self.open.first().map(|(_, building)| building.began());
        open.or(self.waiting.last().map(|(_, place)| place.began))
    }

    /// Starts recording windows with this clock in Hz, or stops.
    pub(super) fn listens(&mut self, clock_hz: Option<u32>) {
        self.clock_hz = clock_hz;
        self.in_it = 0;
        self.listing.jump();
    }

    /// The timelines in the order in which the samples were given.
    pub(super) fn finish(mut self) -> Vec<Option<Timeline>> {
        for (index, building) in std::mem::take(&mut self.open) {
            self.done[index] = building.finish();
        }
        self.done
    }

    /// Adds a window that counts from cycle `from`; for an instruction, its start.
    fn window(&mut self, event: &Event, at: Window, from: u64) -> Flow {
        let mut flow = Flow::On;
        let over = |(_, building): &(usize, Building)| building.ended() <= from;
        while let Some(position) = self.open.iter().position(over) {
            let (index, building) = self.open.remove(position);
            self.done[index] = building.finish();
            let far = |place: &Place| place.began > from + 2 * AHEAD;
            if self.open.is_empty() && self.waiting.last().is_none_or(|(_, place)| far(place)) {
                flow = Flow::Pause;
            }
        }
        while let Some((index, place)) = self.waiting.pop_if(|(_, place)| place.began <= from) {
            let building = Building::new(place, self.clock_hz.unwrap_or(0));
            if place.ended > from {
                self.open.push((index, building));
            } else {
                // No window begins in this sample.
                self.done[index] = Some(building.empty());
            }
        }
        let text = self.text(event);
        if self.open.is_empty() {
            return flow;
        }
        let (pc, size) = match event {
            Event::Retire(retire) => (Some(retire.pc), u32::from(retire.size)),
            Event::Breakpoint { pc, .. } | Event::Semihosting { pc, .. } => (Some(*pc), 2),
            _ => (None, 0),
        };
        let Some((_, costs)) = event.window() else {
            return flow;
        };
        let context = self.contexts.name(self.contexts.current());
        for (_, building) in &mut self.open {
            building.step(
                &Step {
                    context,
                    pc,
                    size,
                    text: &text,
                    at,
                    costs,
                },
                (self.image, self.project),
                self.book,
            );
        }
        flow
    }

    /// The text of a window.
    fn text(&mut self, event: &Event) -> String {
        let name = |exception| self.contexts.called().name(exception);
        match event {
            Event::Retire(retire) => self.instruction(retire.pc, retire.raw),
            Event::Enter(enter) => {
                self.listing.jump();
                let how = match enter.kind {
                    EntryKind::Preempt => "enters",
                    EntryKind::TailChain => "tail-chains into",
                    EntryKind::LateArrival => "enters late",
                };
                format!("{how} {}", name(enter.exception))
            }
            Event::Exit(exit) => {
                self.listing.jump();
                format!("returns from {}", name(exit.exception))
            }
            Event::Breakpoint { imm, .. } => format!("breakpoint {imm}"),
            Event::Semihosting { operation, .. } => format!("semihosting {operation:#x}"),
            Event::Reset { .. } => {
                self.listing.jump();
                "reset".to_owned()
            }
            _ => "sleeps".to_owned(),
        }
    }

    fn instruction(&mut self, pc: u32, raw: u32) -> String {
        if raw & 0xffff_ff00 == 0xbf00 && raw & 0xf != 0 {
            self.in_it = IT_BLOCK + 1;
        }
        let in_it = self.in_it > 0;
        self.in_it = self.in_it.saturating_sub(1);
        let mut line = || self.listing.line(pc, raw).unwrap_or_else(|error| error);
        match self.texts.entry(pc) {
            Entry::Occupied(known) if in_it => {
                line();
                known.get().clone()
            }
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(new) => {
                if !in_it {
                    self.listing.jump();
                    return new
                        .insert(self.listing.line(pc, raw).unwrap_or_else(|error| error))
                        .clone();
                }
                new.insert(line()).clone()
            }
        }
    }
}

impl Sink for Recorder<'_> {
    fn interest(&self) -> Interest {
        if self.clock_hz.is_some() {
            return Interest::windows();
        }
        Interest {
            control: true,
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.contexts.before(event);
        let mut flow = Flow::On;
        if let (Some((at, _)), Some(_)) = (event.window(), self.clock_hz) {
            // The wait of a breakpoint precedes its hit.
            let from = match event {
                Event::Breakpoint { .. } | Event::Semihosting { .. } => at.from,
                _ => event.cycle(),
            };
            flow = self.window(event, at, from);
        }
        self.contexts.behind(event);
        flow
    }
}
