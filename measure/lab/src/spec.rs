//! The contents of a spec.
//!
//! A spec is a TOML file. It measures one program (`elf` and `[[span]]` at the top), or several (`[[program]]`, each with its
//! `[[program.span]]`); keys at the top are then defaults for all of them. Every text that can only be checked against an ELF keeps its
//! place in the file, so that messages can point at it.
//!
//! A program with several `boards` becomes several consecutive programs here that differ in the board only.

mod elsewhere;
mod parse;
mod point;
mod reader;

use std::ops::Range;
use std::sync::Arc;

use machine::Stimulus;
use report::{Figure, Reference, Series, Unit};

use crate::diagnostic::{Diagnostic, Source};

pub use elsewhere::Elsewhere;
pub use parse::{keys, parse};
pub use point::{CodePlace, Edge, Point};

/// Cycles after which a run ends, unless a spec says otherwise.
pub const DEFAULT_LIMIT: u64 = 100_000_000;

/// The maximum of [`phases`](Raise::phases), since each is a run of its own.
pub const MAX_PHASES: u64 = 1_000_000;

/// A value with its place in the spec.
#[derive(Clone, PartialEq, Debug)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Its byte range in the text.
    pub range: Range<usize>,
}

/// A parsed spec.
#[derive(Clone, PartialEq, Debug)]
pub struct Spec {
    /// The spec's file.
    pub source: Arc<Source>,
    /// The Verilog's results to compare with, a file next to the spec.
    pub rtl: Option<Located<String>>,
    /// The programs in file order.
    pub programs: Vec<Program>,
    /// Published figures to show next to the rows.
    pub elsewhere: Vec<Elsewhere>,
}

/// A program to run.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The ELF file.
    pub image: ImageName,
    /// The board, if the spec names one.
    pub board: Option<Located<String>>,
    /// Cycles within which it should end.
    pub limit: Option<u64>,
    /// The spans to measure.
    pub spans: Vec<SpanSpec>,
    /// The interrupts to raise.
    pub raises: Vec<Raise>,
    /// External input to the program's devices.
    pub stimuli: Vec<Stimulus>,
    /// A requirement for building it that not every machine meets; a missing program is then skipped.
    pub needs: Option<String>,
    /// Names of other builds; each row comes from the best build.
    pub builds: Vec<Located<String>>,
}

/// How a spec names its ELF.
#[derive(Clone, PartialEq, Debug)]
pub enum ImageName {
    /// None; the command line must name it.
    None,
    /// A path, relative to the spec.
    Path(Located<String>),
    /// The name of one of the repository's own programs.
    Program(Located<String>),
}

/// One row of the results.
#[derive(Clone, PartialEq, Debug)]
pub struct SpanSpec {
    /// `group/measurement`.
    pub id: Located<String>,
    /// The figure's source: a span, calls, or a value.
    pub what: Measured,
    /// The unit of the figure.
    pub unit: Unit,
    /// The kind of code; `none` if the spec does not say.
    pub kernel: String,
    /// A description of that kernel: version, features, flags.
    pub about: Option<String>,
    /// The heading of the page under which it is shown.
    pub section: Option<String>,
    /// The chart line of which it is a point.
    pub series: Option<Series>,
    /// The id of an earlier row of the same kernel: this row is the latency to use of what that row measures.
    pub use_of: Option<Located<String>>,
    /// Number of first samples to leave out.
    pub skip: u64,
    /// Number of samples after which the span ends.
    pub count: Option<u64>,
    /// A figure to compare with.
    pub published: Option<Figure>,
    /// The chip and program of the published figure.
    pub reference: Reference,
    /// Where it was published.
    pub origin: Option<String>,
    /// The conditions under which it was measured.
    pub conditions: Option<String>,
    /// The explanation of a difference from the published figure.
    pub because: Option<String>,
    /// The greatest accepted sample.
    pub max: Option<Located<i64>>,
    /// The id of an earlier row of the same kernel, whose figures are subtracted.
    pub minus: Option<Located<String>>,
}

/// How a figure is measured.
#[derive(Clone, PartialEq, Debug)]
pub enum Measured {
    /// From one point to another.
    Span(Ends),
    /// The calls of the function of this name, from its first instruction to the return address.
    Calls(Located<String>),
    /// Measured by the program itself: the word at this symbol when it ends. The points, if any, limit the evidence to the instructions
    /// between them; without points the whole run counts.
    Value(Located<String>, Option<Ends>),
}

/// The two points of a span.
#[derive(Clone, PartialEq, Debug)]
pub struct Ends {
    /// First point.
    pub from: Located<Point>,
    /// Second point.
    pub to: Located<Point>,
}

impl Measured {
    /// The points, if it has any.
    pub fn ends(&self) -> Option<&Ends> {
        match self {
            Measured::Span(ends) => Some(ends),
            Measured::Calls(_) => None,
            Measured::Value(_, ends) => ends.as_ref(),
        }
    }
}

/// An external interrupt.
#[derive(Clone, PartialEq, Debug)]
pub struct Raise {
    /// The name of its exception: `IRQ6`, `PendSV`, or what the board calls an interrupt.
    pub irq: Located<String>,
    /// When to raise it.
    pub when: When,
    /// Number of runs, from 1 to [`MAX_PHASES`], each with the interrupt a cycle later, starting at `when`. Their samples count together.
    pub phases: u64,
}

/// When an interrupt is raised.
#[derive(Clone, PartialEq, Debug)]
pub enum When {
    /// At this cycle since reset.
    At(u64),
    /// This many cycles after the point is first reached.
    After(Located<Point>, u64),
}

impl Measured {
    /// The function, if its calls are measured.
    pub fn function(&self) -> Option<&Located<String>> {
        match self {
            Measured::Calls(function) => Some(function),
            Measured::Span(_) | Measured::Value(..) => None,
        }
    }
}

impl When {
    /// The point, if there is one.
    pub fn point(&self) -> Option<&Located<Point>> {
        match self {
            When::At(_) => None,
            When::After(point, _) => Some(point),
        }
    }
}

impl Spec {
    /// An error at a range of this spec.
    pub fn mistake(&self, title: impl Into<String>, range: &Range<usize>, label: &str) -> Diagnostic {
        Diagnostic::mistake(title).at(&self.source, range.clone(), label)
    }
}

impl ImageName {
    /// The name of one of the repository's own programs.
    pub fn name(&self) -> Option<&Located<String>> {
        match self {
            ImageName::Program(name) => Some(name),
            ImageName::None | ImageName::Path(_) => None,
        }
    }

    /// Its byte range in the spec.
    pub fn range(&self) -> Option<Range<usize>> {
        match self {
            ImageName::None => None,
            ImageName::Path(name) | ImageName::Program(name) => Some(name.range.clone()),
        }
    }
}
