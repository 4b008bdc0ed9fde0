//! Experiments: what to measure of a program on a board, said in Rust.
//!
//! An experiment is a [spec](crate::spec) of one program. It is written as the text of one and read again, so that both
//! mean the same, and a message can point at what it is about.

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

/// What messages call the text of an experiment.
const NAME: &str = "experiment";

/// A program on a board, and what to measure of it.
///
/// It can be run any number of times: runs begin at reset and are all the same.
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
    /// Nothing to measure yet.
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

    /// Measures this span too. Each gives a row, in the order in which they came.
    #[must_use]
    pub fn span(mut self, span: Span) -> Experiment {
        self.spans.push(span.0);
        self
    }

    /// Interrupts the program from outside.
    #[must_use]
    pub fn interrupt(mut self, interrupt: Interrupt) -> Experiment {
        self.interrupts.push(interrupt.0);
        self
    }

    /// Cycles after which the run is given up, instead of [`spec::DEFAULT_LIMIT`].
    #[must_use]
    pub fn limit(mut self, cycles: u64) -> Experiment {
        self.limit = Some(cycles);
        self
    }

    /// What runs the program, instead of the model.
    #[must_use]
    pub fn backend(mut self, backend: Backend) -> Experiment {
        self.backend = backend;
        self
    }

    /// When points in code are met, if that is not when they are executed.
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

    /// The experiment as the text of a spec, which `cyclescope measure` runs if it is given the program and the board.
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

    /// Measures, and gives a row for each span.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with the experiment, or went wrong in its run; [`Experiment::outcome`] has all of it,
    /// and the rows that there are.
    pub fn run(&self) -> Result<Vec<Row>> {
        let Outcome { rows, messages, .. } = self.outcome();
        messages.into_iter().next().map_or(Ok(rows), Err)
    }

    /// Measures, and gives all that came of it.
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

/// The way from one point to another, measured each time that the program goes it.
///
/// A point is what a spec calls one: `symbol`, `symbol+0x4`, `file.rs:12`, `bkpt:1`, `exception:PendSV`, `write:symbol` or
/// `raise:IRQ6`; [`Point`](spec::Point) lists them, and may be given itself.
#[derive(Clone, Debug)]
#[must_use]
pub struct Span(Table);

impl Span {
    /// A span in cycles. Its `id` is that of its row: `group/measurement`.
    pub fn new(id: &str, from: impl Display, to: impl Display) -> Span {
        let mut keys = Table::default();
        keys.text("id", id);
        keys.text("from", &from.to_string());
        keys.text("to", &to.to_string());
        Span(keys)
    }

    /// The calls of a function, from its first instruction to the one behind the call.
    pub fn of_calls(id: &str, function: &str) -> Span {
        let mut keys = Table::default();
        keys.text("id", id);
        keys.text("function", function);
        Span(keys)
    }

    /// In bytes of stack instead: by how much the stack pointer falls between the points, or at the most during a call.
    pub fn in_bytes_of_stack(mut self) -> Span {
        self.0.text("unit", "bytes");
        self
    }

    /// Leaves out so many samples at the beginning, while caches are cold.
    pub fn skip(self, samples: u64) -> Span {
        self.with("skip", samples)
    }

    /// Is done after so many samples, from 1. A run ends when all of its spans are done.
    pub fn count(self, samples: u64) -> Span {
        self.with("count", samples)
    }

    /// Fails if the worst sample is above this.
    pub fn max(self, worst: i64) -> Span {
        self.with("max", worst)
    }

    fn with(mut self, key: &str, value: impl Display) -> Span {
        self.0.value(key, value);
        self
    }
}

/// An interrupt from outside, by the name of its exception: `IRQ6`, `PendSV`, or what the board calls it.
#[derive(Clone, Debug)]
#[must_use]
pub struct Interrupt(Table);

impl Interrupt {
    /// In this cycle since reset.
    pub fn at(name: &str, cycle: u64) -> Interrupt {
        let mut keys = Table::default();
        keys.text("irq", name);
        keys.value("at", cycle);
        Interrupt(keys)
    }

    /// So many cycles after this point is met for the first time.
    pub fn after(name: &str, point: impl Display, cycles: u64) -> Interrupt {
        let mut keys = Table::default();
        keys.text("irq", name);
        keys.text("after", &point.to_string());
        keys.value("delay", cycles);
        Interrupt(keys)
    }

    /// In so many cycles, from 1 to [`spec::MAX_PHASES`], one after the other: each is a run of its own, and their
    /// samples count together.
    pub fn phases(mut self, phases: u64) -> Interrupt {
        self.0.value("phases", phases);
        self
    }
}

/// The lines of a table of a spec.
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

/// A character as it stands in a basic string of TOML.
fn escaped(character: char) -> String {
    match character {
        '"' | '\\' => format!("\\{character}"),
        _ if character.is_control() => format!("\\u{:04X}", u32::from(character)),
        _ => character.to_string(),
    }
}
