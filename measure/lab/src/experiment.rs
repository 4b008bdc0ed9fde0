//! Experiments: measurements of a program on a board, defined in Rust.
//!
//! An experiment is a [spec](crate::spec) of one program. It is written as a spec's text and parsed again, so that both mean the same,
//! and messages can point into the text.

use std::fmt::{Display, Write as _};
use std::sync::Arc;

use machine::{Allow, Board, Image};
use report::Row;

use crate::backend::Backend;
use crate::batch::measure_program;
use crate::diagnostic::Result;
use crate::horizon::Horizon;
use crate::measure::{COUNT_IN_SPEC, Outcome, Setup};
use crate::spec;
use crate::watch::View;

/// The name of that text in messages.
const NAME: &str = "experiment";

/// A program on a board, and the measurements to make.
///
/// It can run any number of times: every run starts at reset and is the same.
#[derive(Clone, Debug)]
pub struct Experiment {
    image: Arc<Image>,
    board: Board,
    backend: Backend,
    allow: Vec<Allow>,
    view: View,
    limit: Option<u64>,
    spans: Vec<Table>,
    interrupts: Vec<Table>,
}

impl Experiment {
    /// An experiment without measurements.
    pub fn new(image: impl Into<Arc<Image>>, board: Board) -> Experiment {
        Experiment {
            image: image.into(),
            board,
            backend: Backend::Model,
            allow: Vec::new(),
            view: View::Retire,
            limit: None,
            spans: Vec::new(),
            interrupts: Vec::new(),
        }
    }

    /// Adds a span. Each gives a row, in the order of addition.
    #[must_use]
    pub fn span(mut self, span: Span) -> Experiment {
        self.spans.push(span.0);
        self
    }

    /// Adds an external interrupt.
    #[must_use]
    pub fn interrupt(mut self, interrupt: Interrupt) -> Experiment {
        self.interrupts.push(interrupt.0);
        self
    }

    /// Limits runs to this many cycles, instead of [`spec::DEFAULT_LIMIT`].
    #[must_use]
    pub fn limit(mut self, cycles: u64) -> Experiment {
        self.limit = Some(cycles);
        self
    }

    /// Runs the program on this backend instead of the model.
    #[must_use]
    pub fn backend(mut self, backend: Backend) -> Experiment {
        self.backend = backend;
        self
    }

    /// Sets when points in code are reached; by default when they execute.
    #[must_use]
    pub fn view(mut self, view: View) -> Experiment {
        self.view = view;
        self
    }

    /// Answers accesses to addresses that the board does not describe.
    #[must_use]
    pub fn allow(mut self, allow: Allow) -> Experiment {
        self.allow.push(allow);
        self
    }

    /// The experiment as a spec's text, which `cyclescope measure` runs when given the program and the board.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        if let Some(limit) = self.limit {
            let _ = writeln!(text, "limit = {limit}"); // Writing to a string cannot fail; nor below.
        }
        let spans = self.spans.iter().map(|table| ("span", table));
        let interrupts = self.interrupts.iter().map(|table| ("raise", table));
        for (name, Table(lines)) in spans.chain(interrupts) {
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = write!(text, "{gap}[[{name}]]\n{lines}");
        }
        text
    }

    /// Measures and returns a row for each span.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with the experiment or its run; [`Experiment::outcome`] returns all of them, together with the
    /// available rows.
    pub fn run(&self) -> Result<Vec<Row>> {
        let Outcome { rows, messages, .. } = self.outcome();
        messages.into_iter().next().map_or(Ok(rows), Err)
    }

    /// Measures and returns all rows and messages.
    pub fn outcome(&self) -> Outcome {
        self.measure().unwrap_or_else(|message| Outcome {
            messages: vec![message],
            ..Outcome::default()
        })
    }

    fn measure(&self) -> Result<Outcome> {
        let spec = spec::parse(NAME, &self.to_toml())?;
        let mut all = Outcome::default();
        for program in &spec.programs {
            all.append(measure_program(Setup {
                spec: &spec,
                program,
                image: &self.image,
                board: &self.board,
                backend: &self.backend,
                allow: &self.allow,
                view: self.view,
                horizon: Horizon::of(program.limit),
                stack: false,
                timelines: false,
                until: COUNT_IN_SPEC,
            })?);
        }
        self.backend.name_source(&mut all.rows);
        all.rows.iter_mut().for_each(Row::weigh);
        Ok(all)
    }
}

/// A span from one point to another, measured each time that the program passes it.
///
/// A point is written as in a spec: `symbol`, `symbol+0x4`, `file.rs:12`, `bkpt:1`, `exception:PendSV`, `write:symbol` or `raise:IRQ6`.
/// [`Point`](spec::Point) lists the forms and can be passed too.
#[derive(Clone, Debug)]
#[must_use]
pub struct Span(Table);

impl Span {
    /// A span in cycles. `id` is the id of its row: `group/measurement`.
    pub fn new(id: &str, from: impl Display, to: impl Display) -> Span {
        let mut keys = Table::default();
        keys.text("id", id);
        keys.text("from", &from.to_string());
        keys.text("to", &to.to_string());
        Span(keys)
    }

    /// The calls of a function, from its first instruction to the return address.
    pub fn of_calls(id: &str, function: &str) -> Span {
        let mut keys = Table::default();
        keys.text("id", id);
        keys.text("function", function);
        Span(keys)
    }

    /// Measures bytes of stack instead: the fall of the stack pointer between the points, or the peak use of a call.
    pub fn in_bytes_of_stack(mut self) -> Span {
        self.0.text("unit", "bytes");
        self
    }

    /// Leaves out the first samples, while caches are cold.
    pub fn skip(self, samples: u64) -> Span {
        self.with("skip", samples)
    }

    /// Ends after this many samples, from 1. A run ends when all of its spans have ended.
    pub fn count(self, samples: u64) -> Span {
        self.with("count", samples)
    }

    /// Fails if the worst sample exceeds this.
    pub fn max(self, worst: i64) -> Span {
        self.with("max", worst)
    }

    fn with(mut self, key: &str, value: impl Display) -> Span {
        self.0.value(key, value);
        self
    }
}

/// An external interrupt, by the name of its exception: `IRQ6`, `PendSV`, or the board's name.
#[derive(Clone, Debug)]
#[must_use]
pub struct Interrupt(Table);

impl Interrupt {
    /// Arrives in this cycle since reset.
    pub fn at(name: &str, cycle: u64) -> Interrupt {
        let mut keys = Table::default();
        keys.text("irq", name);
        keys.value("at", cycle);
        Interrupt(keys)
    }

    /// Arrives this many cycles after the point is first reached.
    pub fn after(name: &str, point: impl Display, cycles: u64) -> Interrupt {
        let mut keys = Table::default();
        keys.text("irq", name);
        keys.text("after", &point.to_string());
        keys.value("delay", cycles);
        Interrupt(keys)
    }

    /// Repeats the run with the interrupt in this many consecutive cycles, from 1 to [`spec::MAX_PHASES`]. The samples of all runs count
    /// together.
    pub fn phases(mut self, phases: u64) -> Interrupt {
        self.0.value("phases", phases);
        self
    }
}

/// The lines of a spec's table.
#[derive(Clone, Default, Debug)]
struct Table(String);

impl Table {
    fn text(&mut self, key: &str, text: &str) {
        let quoted: String = text.chars().map(escaped).collect();
        self.value(key, format_args!("\"{quoted}\""));
    }

    fn value(&mut self, key: &str, value: impl Display) {
        let _ = writeln!(self.0, "{key} = {value}");
    }
}

/// Escapes a character for a basic TOML string.
fn escaped(character: char) -> String {
    match character {
        '"' | '\\' => format!("\\{character}"),
        _ if character.is_control() => format!("\\u{:04X}", u32::from(character)),
        _ => character.to_string(),
    }
}
