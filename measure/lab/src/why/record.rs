//! Records the windows around a hit.

use std::collections::VecDeque;

use events::{EntryKind, Event, Flow, Interest, Ranges, RuleSet, Sink};
use machine::{Board, ExceptionNames, Image, Listing};

use super::Shown;
use super::find::Hit;

/// A sink that keeps the last few windows, until it has enough after the hit.
pub(super) struct Recorder<'a> {
    image: &'a Image,
    called: ExceptionNames,
    listing: Listing,
    hit: Hit,
    around: usize,
    windows: VecDeque<Shown>,
    /// Whether the first window may have begun before recording.
    first_is_cut: bool,
    /// Whether the store that is the hit has been reported.
    stored: bool,
    /// Number of windows from the hit on.
    behind: usize,
    /// Whether recording is complete.
    is_over: bool,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(
        image: &'a Image,
        board: &Board,
        hit: Hit,
        around: usize,
        first_is_cut: bool,
    ) -> Recorder<'a> {
        Recorder {
            image,
            called: board.exception_names(),
            listing: Listing::new(image.architecture()),
            hit,
            around,
            windows: VecDeque::new(),
            first_is_cut,
            stored: false,
            behind: 0,
            is_over: false,
        }
    }

    /// Whether there are as many windows before the hit as requested.
    pub(super) fn has_enough(&self) -> bool {
        self.windows.iter().take_while(|shown| !shown.is_hit).count() >= self.around
    }

    pub(super) fn into_windows(self) -> Vec<Shown> {
        self.windows.into()
    }

    fn is_hit(&self, event: &Event, shown: &Shown) -> bool {
        if self.behind > 0 {
            return false;
        }
        match self.hit {
            Hit::Window(known) => identity(&known) == identity(event),
            // A store of an exception frame belongs to the entry that pushes it.
            Hit::Store { pc, .. } => self.stored && (shown.pc == Some(pc) || shown.kind == "enter"),
            Hit::Input(cycle) => shown.at.to > cycle,
        }
    }

    pub(super) fn shown(&mut self, event: &Event) -> Option<Shown> {
        let (at, costs) = event.window()?;
        let (kind, pc, text, rules) = self.told(event);
        let place = pc.map_or(String::new(), |pc| place(self.image, pc));
        Some(Shown {
            kind,
            at,
            cycle: event.cycle(),
            pc,
            text,
            costs: *costs,
            rules: rules.unwrap_or(costs.rules()),
            place,
            is_hit: false,
        })
    }

    /// An event's kind, instruction address, text, and rules.
    fn told(&mut self, event: &Event) -> (&'static str, Option<u32>, String, Option<RuleSet>) {
        match event {
            Event::Retire(retire) => {
                let text = self.listing.line(retire.pc, retire.raw);
                let text = text.unwrap_or_else(|error| error);
                ("retire", Some(retire.pc), text, Some(retire.rules))
            }
            Event::Enter(enter) => {
                self.listing.jump();
                let name = self.called.name(enter.exception);
                let how = match enter.kind {
                    EntryKind::Preempt => "enters",
                    EntryKind::TailChain => "tail-chains into",
                    EntryKind::LateArrival => "enters, which arrived late,",
                };
                ("enter", None, format!("── {how} {name}"), Some(enter.rules))
            }
            Event::Exit(exit) => {
                self.listing.jump();
                let name = self.called.name(exit.exception);
                ("exit", None, format!("── returns from {name}"), Some(exit.rules))
            }
            Event::Breakpoint { pc, imm, .. } => ("bkpt", Some(*pc), format!("breakpoint {imm}"), None),
            Event::Semihosting { pc, operation, .. } => {
                ("semihost", Some(*pc), format!("semihosting {operation:#x}"), None)
            }
            Event::Reset { .. } => {
                self.listing.jump();
                ("reset", None, "── reset".to_owned(), None)
            }
            _ => ("sleep", None, "── sleeps".to_owned(), None),
        }
    }
}

impl Sink for Recorder<'_> {
    fn interest(&self) -> Interest {
        let writes = match self.hit {
            Hit::Store { .. } => Ranges::all(),
            Hit::Window(_) | Hit::Input(_) => Ranges::NONE,
        };
        Interest {
            writes,
            ..Interest::windows()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        if let (Event::Write { cycle, pc, .. }, Hit::Store { cycle: hit, pc: by }) = (event, self.hit) {
            self.stored |= (*cycle, *pc) == (hit, by);
        }
        if let Some(mut shown) = self.shown(event) {
            shown.is_hit = self.is_hit(event, &shown);
            self.keep(shown);
        }
        // A sleep may be reported in parts, and more may follow.
        let asleep = self.windows.back().is_some_and(Shown::is_sleep);
        if self.behind > self.around && !asleep || self.is_over {
            Flow::Pause
        } else {
            Flow::On
        }
    }
}

impl Recorder<'_> {
    fn keep(&mut self, shown: Shown) {
        if self.first_is_cut && !shown.is_hit {
            self.first_is_cut = shown.is_sleep();
            return;
        }
        self.first_is_cut = false;
        if let Some(last) = self
            .windows
            .back_mut()
            .filter(|last| last.is_sleep() && shown.is_sleep())
        {
            self.behind += usize::from(shown.is_hit);
            last.go_on(&shown);
            return;
        }
        if self.behind > self.around {
            self.is_over = true;
            return;
        }
        self.behind += usize::from(shown.is_hit || self.behind > 0);
        self.windows.push_back(shown);
        if self.behind == 0 && self.windows.len() > self.around {
            self.windows.pop_front();
        }
    }
}

impl Shown {
    fn is_sleep(&self) -> bool {
        self.kind == "sleep"
    }

    /// Appends the next part of the same sleep.
    fn go_on(&mut self, part: &Shown) {
        self.at.to = part.at.to;
        self.costs.join(&part.costs);
        self.rules = self.rules.union(part.rules);
        self.is_hit |= part.is_hit;
    }
}

/// The identity of an event in its run: kind, cycle, and address.
fn identity(event: &Event) -> (std::mem::Discriminant<Event>, u64, u32) {
    let place = match event {
        Event::Retire(retire) => retire.pc,
        Event::Enter(enter) => enter.exception.id().into(),
        Event::Exit(exit) => exit.exception.id().into(),
        Event::Breakpoint { pc, .. } | Event::Semihosting { pc, .. } => *pc,
        _ => 0,
    };
    (std::mem::discriminant(event), event.cycle(), place)
}

/// A place such as `step · src/main.rs:12`, or `gain in step · src/main.rs:4` if inlined, as far as known.
fn place(image: &Image, pc: u32) -> String {
    let frames = image.frames_at(pc);
    let names = frames.iter().filter_map(|frame| frame.function.as_deref());
    let function = match names.collect::<Vec<_>>()[..] {
        [] => String::new(),
        [function] => function.to_owned(),
        [inner, .., outer] => format!("{} in {}", last(inner), last(outer)),
    };
    match image.place_at(pc).filter(|place| place.line > 0) {
        Some(place) => format!("{function} · {}:{}", tail(&place.file), place.line),
        None => function,
    }
}

/// The last segment of a function's path: `branch`, `{{closure}}`.
fn last(path: &str) -> &str {
    let name = path.rsplit_once("::").map_or(path, |(_, name)| name);
    if name.ends_with('>') { path } else { name }
}

/// The last components of a path.
fn tail(path: &str) -> &str {
    const PARTS: usize = 3;
    let at = path.rmatch_indices(['/', '\\']).nth(PARTS - 1);
    at.map_or(path, |(at, _)| &path[at + 1..])
}
