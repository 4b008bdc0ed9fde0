//! What a spec asks for.
//!
//! A spec is a TOML file. Either it measures one program (`elf` and `[[span]]` at the top), or several (`[[program]]`,
//! each with its `[[program.span]]`); what stands at the top is then the default for all of them. Every text that can be
//! wrong only once an ELF is known keeps its place in the file, so that the message can point at it.
//!
//! A program with several `boards` is several programs here, one after the other, which differ in nothing else.

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

/// Cycles after which a run is ended, unless a spec says otherwise.
pub const DEFAULT_LIMIT: u64 = 100_000_000;

/// The most [`phases`](Raise::phases): each is a run of its own.
pub const MAX_PHASES: u64 = 1_000_000;

/// Something that stands at some place of the spec.
#[derive(Clone, PartialEq, Debug)]
pub struct Located<T> {
    /// The thing.
    pub value: T,
    /// Its bytes in the text.
    pub range: Range<usize>,
}

/// One file.
#[derive(Clone, PartialEq, Debug)]
pub struct Spec {
    /// The file.
    pub source: Arc<Source>,
    /// The results of the Verilog to compare with, a file beside the spec.
    pub rtl: Option<Located<String>>,
    /// In their order.
    pub programs: Vec<Program>,
    /// What stands beside the rows.
    pub elsewhere: Vec<Elsewhere>,
}

/// One program to run.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// Which ELF.
    pub image: ImageName,
    /// Which board, if the spec says so.
    pub board: Option<Located<String>>,
    /// Cycles by which it should have ended.
    pub limit: Option<u64>,
    /// What to measure.
    pub spans: Vec<SpanSpec>,
    /// What to interrupt it with.
    pub raises: Vec<Raise>,
    /// What comes to the program's devices from outside.
    pub stimuli: Vec<Stimulus>,
    /// What building it takes that not every machine has; where it was not built, it is skipped.
    pub needs: Option<String>,
    /// Other builds of it, by their names: each row is of the build that does best.
    pub builds: Vec<Located<String>>,
}

/// How a spec names its ELF.
#[derive(Clone, PartialEq, Debug)]
pub enum ImageName {
    /// It does not; the command line has to.
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
    /// What is measured.
    pub what: Measured,
    /// Unit of the figure.
    pub unit: Unit,
    /// What kind of code it is; `none` if the spec does not say.
    pub kernel: String,
    /// What that kernel is: versions, features, flags.
    pub about: Option<String>,
    /// Under which heading of the page it stands.
    pub section: Option<String>,
    /// Of which line of the page's picture it is a point.
    pub series: Option<Series>,
    /// The id of a row before this one, of the same kernel: this is the latency to use of what that one measures.
    pub use_of: Option<Located<String>>,
    /// Samples at the beginning that do not count.
    pub skip: u64,
    /// Samples after which the span is done.
    pub count: Option<u64>,
    /// A figure to compare with.
    pub published: Option<Figure>,
    /// What that is of.
    pub reference: Reference,
    /// Where that was published.
    pub origin: Option<String>,
    /// How that was measured.
    pub conditions: Option<String>,
    /// What explains that the measured figure is another one.
    pub because: Option<String>,
    /// The worst that is accepted.
    pub max: Option<Located<i64>>,
    /// The id of a row before this one, of the same kernel, whose figures are taken off: what remains is a difference.
    pub minus: Option<Located<String>>,
}

/// Where a figure comes from.
#[derive(Clone, PartialEq, Debug)]
pub enum Measured {
    /// The way from one point to another.
    Span(Ends),
    /// The calls of a function of this name, from its first instruction to the one behind the call.
    Calls(Located<String>),
    /// The program measured itself: the word at this symbol when it ends. The points, if any, say between which
    /// instructions, for the evidence; without them the whole run counts as evidence.
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

/// An interrupt from outside.
#[derive(Clone, PartialEq, Debug)]
pub struct Raise {
    /// The name of its exception: `IRQ6`, `PendSV`, or what the board calls an interrupt.
    pub irq: Located<String>,
    /// When.
    pub when: When,
    /// In how many cycles, one after the other from `when` on: each is a run of its own, and their samples count together.
    /// From 1 to [`MAX_PHASES`].
    pub phases: u64,
}

/// When an interrupt is raised.
#[derive(Clone, PartialEq, Debug)]
pub enum When {
    /// At this cycle since reset.
    At(u64),
    /// So many cycles after this point is first met.
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
    /// A message about some bytes of this spec.
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

    /// Its bytes in the spec.
    pub fn range(&self) -> Option<Range<usize>> {
        match self {
            ImageName::None => None,
            ImageName::Path(name) | ImageName::Program(name) => Some(name.range.clone()),
        }
    }
}
