//! Writes a run's events to a file as they arrive, in one of several formats. Memory holds only the state that a format needs.

mod fields;
mod format;
mod lines;
mod selection;
mod states;
mod timeline;
mod wires;

use std::io::{self, Write};
#[cfg(feature = "host")]
use std::path::Path;
use std::sync::Arc;

use events::{Event, Flow, Interest, Sink, Step};
use machine::{Board, Image};

use crate::asked::Asked;
use crate::diagnostic::Result;
use crate::meets::Meets;
use crate::resolve::Scope;
use crate::spec::{Located, Point};

pub use format::Format;

use format::Writer;
use lines::Lines;
pub use selection::Only;
use selection::Selection;
use timeline::Timeline;
use wires::Wires;

/// Bytes per write.
const BLOCK: usize = 1 << 16;

/// The part of a run to write, and how.
#[derive(Clone, Debug)]
pub struct Tracing {
    /// The format.
    pub format: Format,
    /// The point at which writing starts.
    pub(crate) from: Option<Meets>,
    /// The last point to write.
    pub(crate) to: Option<Meets>,
    /// Size in bytes at which the file ends.
    pub most: Option<u64>,
    /// Whether to write fetches, if the core reports them.
    pub fetch: bool,
    /// Which events to write.
    pub only: Only,
}

impl Tracing {
    /// Traces the whole run.
    pub fn whole(format: Format) -> Tracing {
        Tracing {
            format,
            from: None,
            to: None,
            most: None,
            fetch: false,
            only: Only::default(),
        }
    }

    /// Whether the trace begins at reset.
    fn is_from_reset(&self) -> bool {
        let cycles = &self.only.cycles;
        self.from.is_none() && cycles.as_ref().is_none_or(|cycles| cycles.start == 0)
    }
}

impl Tracing {
    /// The events needed while writing: those that the format shows, and the end point.
    fn interest(&self) -> Interest {
        let shown = match self.format {
            Format::Vcd | Format::Perfetto => Interest {
                steps: true,
                ..Interest::windows()
            },
            Format::Text | Format::JsonLines | Format::Csv => Interest {
                fetch: self.fetch,
                ..Interest::everything()
            },
        };
        let end = self.to.as_ref().map_or(Interest::none(), Meets::interest);
        shown.union(end)
    }
}

/// The part of a run between two points, written as in a spec, if any.
///
/// # Errors
///
/// If a point is invalid or does not exist.
pub fn between(
    image: &Arc<Image>,
    board: &Board,
    ends: [Option<&str>; 2],
    tracing: &Tracing,
) -> Result<Tracing> {
    let mut asked = Asked::new("run", image);
    let options = ["--trace-from", "--trace-to"];
    let words: Vec<_> = ends
        .iter()
        .zip(options)
        .map(|(point, option)| {
            point.map(|point| {
                asked.word(option);
                asked.word(point)
            })
        })
        .collect();
    let spec = asked.spec();
    let scope = Scope {
        spec: &spec,
        image,
        board,
    };
    let find = |word: &Option<Located<String>>| -> Result<Option<Meets>> {
        let Some(word) = word else { return Ok(None) };
        let mistake = |(title, help): (String, String)| spec.mistake(title, &word.range, "").help(help);
        let point = Located {
            value: Point::parse(&word.value).map_err(mistake)?,
            range: word.range.clone(),
        };
        if !scope.halts(&point)?.is_empty() {
            let title = "a trace begins and ends without a debugger".to_owned();
            return Err(mistake((title, "leave `halt:` out".to_owned())));
        }
        Ok(Some(Meets::new(scope.place(&point)?)))
    };
    Ok(Tracing {
        from: find(&words[0])?,
        to: find(&words[1])?,
        ..tracing.clone()
    })
}

/// The progress of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Before,
    Within,
    Over,
}

/// A sink that writes a trace.
pub struct Trace<'a> {
    file: Box<dyn Write + 'a>,
    out: Vec<u8>,
    written: u64,
    writer: Box<dyn Writer + 'a>,
    tracing: Tracing,
    /// Selects events; a format that follows calls gets all of them, and selects by itself.
    selection: Option<Selection<'a>>,
    phase: Phase,
    /// Last cycle reported.
    last: u64,
    full: bool,
    /// The first error; nothing is written after it.
    error: Option<io::Error>,
}

impl<'a> Trace<'a> {
    /// Creates a file of this computer.
    ///
    /// # Errors
    ///
    /// If the file cannot be created.
    #[cfg(feature = "host")]
    pub fn create(path: &Path, image: &'a Image, board: &Board, tracing: Tracing) -> io::Result<Trace<'a>> {
        Trace::to(machine::bounded::create(path)?, image, board, tracing)
    }

    /// Writes to `file`, in large pieces.
    ///
    /// # Errors
    ///
    /// If the format cannot show the board.
    pub fn to(
        file: impl Write + 'a,
        image: &'a Image,
        board: &Board,
        tracing: Tracing,
    ) -> io::Result<Trace<'a>> {
        let mut out = Vec::new();
        let selection = || Selection::new(&tracing.only, image, board.exception_names());
        let whole = tracing.is_from_reset();
        let writer: Box<dyn Writer + 'a> = match tracing.format {
            Format::Vcd => Box::new(Wires::begin(image, board, whole, &mut out)?),
            Format::Perfetto => Box::new(Timeline::begin(image, board, selection(), whole, &mut out)),
            format => Box::new(Lines::begin(format, image, board, &mut out)),
        };
        let selects = !tracing.only.addresses.is_empty() || !tracing.only.contexts.is_empty();
        let selection = (selects && tracing.format != Format::Perfetto).then(selection);
        let phase = if whole { Phase::Within } else { Phase::Before };
        Ok(Trace {
            file: Box::new(file),
            out,
            written: 0,
            writer,
            tracing,
            selection,
            phase,
            last: 0,
            full: false,
            error: None,
        })
    }

    /// Whether the file is a pipe whose reader has closed it.
    pub fn is_left(&self) -> bool {
        let kind = self.error.as_ref().map(io::Error::kind);
        kind == Some(io::ErrorKind::BrokenPipe)
    }

    /// Whether every write succeeded so far.
    pub fn is_sound(&self) -> bool {
        self.error.is_none()
    }

    /// Completes the file. Returns why it is incomplete, if it is.
    ///
    /// # Errors
    ///
    /// The first write error.
    pub fn finish(mut self) -> io::Result<Option<String>> {
        self.over();
        match self.error {
            // A reader that closed the pipe has seen enough.
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(None),
            Some(error) => return Err(error),
            None => {}
        }
        Ok(if self.full {
            let most = self.tracing.most.unwrap_or(0);
            Some(format!(
                "the trace ends in cycle {}, since it has {most} bytes",
                self.last
            ))
        } else if self.phase == Phase::Before {
            Some("the trace is empty: the run did not reach the point where it begins".to_owned())
        } else {
            None
        })
    }

    fn over(&mut self) {
        if self.phase == Phase::Within {
            self.phase = Phase::Over;
            self.writer.end(self.last, &mut self.out);
        }
        self.flush();
    }

    fn flush(&mut self) {
        if self.error.is_none() {
            self.error = self.file.write_all(&self.out).err();
        }
        self.written += self.out.len() as u64;
        self.out.clear();
    }

    /// Begins or ends the trace at this cycle, if it shows only some.
    fn reaches(&mut self, cycle: u64) {
        let Some(cycles) = &self.tracing.only.cycles else {
            return;
        };
        if self.phase == Phase::Before && cycle >= cycles.start {
            self.phase = Phase::Within;
        }
        if self.phase == Phase::Within && cycle >= cycles.end {
            self.over();
        }
    }

    /// Pauses the run if the phase changed from `began`, so that the interest is asked again, or if writing failed.
    fn flow(&self, began: Phase) -> Flow {
        if self.phase != began || self.error.is_some() {
            Flow::Pause
        } else {
            Flow::On
        }
    }

    /// Accounts for output after the first `before` buffered bytes, whose events ended in cycle `end`.
    fn wrote(&mut self, before: usize, end: u64) {
        let size = self.written + self.out.len() as u64;
        if self.tracing.most.is_some_and(|most| size > most) {
            self.out.truncate(before);
            self.full = true;
            self.over();
            return;
        }
        self.last = self.last.max(end);
        if self.out.len() >= BLOCK {
            self.flush();
        }
    }
}

impl Sink for Trace<'_> {
    fn interest(&self) -> Interest {
        match (self.phase, &self.tracing.from) {
            (Phase::Before, Some(from)) => from.interest(),
            (Phase::Over, _) => Interest::none(),
            _ => self.tracing.interest(),
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        let began = self.phase;
        if began == Phase::Before && self.tracing.from.as_mut().is_some_and(|from| from.meets(event)) {
            self.phase = Phase::Within;
        }
        self.reaches(event.window().map_or(event.cycle(), |(at, _)| at.from));
        if self.phase == Phase::Within {
            let before = self.out.len();
            if self
                .selection
                .as_mut()
                .is_none_or(|selection| selection.shows(event))
            {
                self.writer.event(event, &mut self.out);
            }
            let end = match event {
                Event::Retire(retire) => retire.at.to,
                _ => event.window().map_or(event.cycle(), |(at, _)| at.to),
            };
            self.wrote(before, end);
            let is_last = self.tracing.to.as_mut().is_some_and(|to| to.meets(event));
            if is_last && began == Phase::Within {
                self.over();
            }
        }
        self.flow(began)
    }

    fn step(&mut self, step: &Step<'_>) -> Flow {
        let began = self.phase;
        self.reaches(step.at.from);
        if self.phase == Phase::Within {
            let before = self.out.len();
            if self
                .selection
                .as_mut()
                .is_none_or(|selection| selection.shows_step(step))
            {
                self.writer.step(step, &mut self.out);
            }
            self.wrote(before, step.at.to);
        }
        self.flow(began)
    }
}
