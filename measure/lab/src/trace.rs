//! Writes a run's events to a file as they arrive, in one of several formats. Memory holds only the state that a format needs.

mod fields;
mod lines;
mod timeline;
mod wires;

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use events::{Event, Flow, Interest, Sink, Step};
use machine::{Board, Image};

use crate::asked::Asked;
use crate::diagnostic::{Diagnostic, Result};
use crate::meets::Meets;
use crate::nearest::did_you_mean;
use crate::resolve::Scope;
use crate::spec::{Located, Point};

use lines::Lines;
use timeline::Timeline;
use wires::Wires;

/// Bytes per write.
const BLOCK: usize = 1 << 16;

/// A trace format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Readable text, one line per event.
    Text,
    /// A JSON object per line and event.
    JsonLines,
    /// A table with comma-separated values.
    Csv,
    /// Waveforms: program counter, stack pointer, context, priority, masks, interrupt lines, pins.
    Vcd,
    /// Perfetto packets: contexts with their calls, interrupts, masks, stack, clock.
    Perfetto,
}

impl Format {
    /// Every format with its name and its file extensions.
    pub const ALL: [(Format, &'static str, &'static [&'static str]); 5] = [
        (Format::Text, "text", &["txt", "trace", "log"]),
        (Format::JsonLines, "jsonl", &["jsonl", "ndjson"]),
        (Format::Csv, "csv", &["csv"]),
        (Format::Vcd, "vcd", &["vcd"]),
        (
            Format::Perfetto,
            "perfetto",
            &["perfetto", "pftrace", "perfetto-trace"],
        ),
    ];

    /// The format for a file extension in any case; text if there is no extension.
    ///
    /// # Errors
    ///
    /// If no format has this extension.
    pub fn of(path: &Path) -> Result<Format> {
        let Some(end) = path.extension() else {
            return Ok(Format::Text);
        };
        let end = end.to_string_lossy().to_lowercase();
        let known = Format::ALL.iter().find(|(_, _, ends)| ends.contains(&&*end));
        known.map(|(format, ..)| *format).ok_or_else(|| {
            let ends = || Format::ALL.iter().flat_map(|(_, _, ends)| ends.iter().copied());
            let listed: Vec<String> = ends().map(|end| format!(".{end}")).collect();
            let near = did_you_mean(&end, ends()).map_or(String::new(), |near| format!("{near} "));
            let help = format!(
                "{near}the names of traces end in {}; `--trace-format` chooses a format whatever the name",
                listed.join(", ")
            );
            Diagnostic::mistake(format!("`.{end}` is no format of a trace"))
                .in_file(path.display().to_string())
                .help(help)
        })
    }
}

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
        }
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
        ..*tracing
    })
}

/// Writes events in one format.
trait Writer {
    fn event(&mut self, event: &Event, out: &mut Vec<u8>);

    /// Writes an instruction, for formats that need only a [`Step`].
    fn step(&mut self, _step: &Step<'_>, _out: &mut Vec<u8>) {}

    /// Ends the file; the last event was in this cycle.
    fn end(&mut self, cycle: u64, out: &mut Vec<u8>);
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
        let writer: Box<dyn Writer + 'a> = match tracing.format {
            Format::Vcd => Box::new(Wires::begin(image, board, tracing.from.is_none(), &mut out)?),
            Format::Perfetto => Box::new(Timeline::begin(image, board, tracing.from.is_none(), &mut out)),
            format => Box::new(Lines::begin(format, image, board, &mut out)),
        };
        let phase = if tracing.from.is_some() {
            Phase::Before
        } else {
            Phase::Within
        };
        Ok(Trace {
            file: Box::new(file),
            out,
            written: 0,
            writer,
            tracing,
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
        if self.phase == Phase::Within {
            let before = self.out.len();
            self.writer.event(event, &mut self.out);
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
        if began == Phase::Within {
            let before = self.out.len();
            self.writer.step(step, &mut self.out);
            self.wrote(before, step.at.to);
        }
        self.flow(began)
    }
}
