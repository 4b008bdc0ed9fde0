//! The results format `cyclescope-results/1`.
//!
//! Fields may be added; a field's meaning changes only with the format's number.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::obtained::Obtained;
use crate::reference::Reference;

/// The format's name and number.
pub const FORMAT: &str = "cyclescope-results/1";

/// All that a run of the tool measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Results {
    /// Always [`FORMAT`].
    pub format: String,
    /// The program that wrote it, with its version.
    pub tool: String,
    /// In the order of the specs.
    pub results: Vec<Row>,
}

/// One measurement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// `group/measurement`.
    pub id: String,
    /// The board's name.
    pub board: String,
    /// The core's name, such as `cortex-m3`.
    pub core: String,
    /// The kernel or the kind of code that was measured; `none` where a spec does not say.
    pub kernel: String,
    /// What that kernel is, for a table that compares: versions, features, flags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Under which heading a page shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Of which line of a picture it is a point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
    /// The id of the row for the same instruction in front of one that does not need its result: with it this is the latency
    /// to use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_of: Option<String>,
    /// What is counted.
    pub unit: Unit,
    /// Number of samples, from 1.
    pub count: u64,
    /// The least sample.
    pub min: i64,
    /// Arithmetic mean of the samples.
    pub mean: f64,
    /// The greatest sample.
    pub max: i64,
    /// Of the greatest sample: spent by the measured context itself. With the next two it adds up to `max`.
    pub own: i64,
    /// Of the greatest sample: taken by exceptions that began and ended inside.
    pub preempted: i64,
    /// Of the greatest sample: the context was switched out.
    pub blocked: i64,
    /// A figure to compare with, which is never used otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Figure>,
    /// What that figure is of.
    #[serde(default, skip_serializing_if = "Reference::is_same")]
    pub reference: Reference,
    /// Where it was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How it was measured there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<String>,
    /// What explains that the figure here is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The weakest evidence that the figure relied on.
    pub evidence: Evidence,
    /// The core's clock at the end, in Hz, where the row is a whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_hz: Option<u32>,
    /// How long calls took in microseconds, each at the clock at which it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_us: Option<Spread>,
    /// The most bytes of stack that a call used, with all that it called and without what interrupted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<i64>,
    /// Calls that began and did not return; they are no samples.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unfinished: u64,
    /// How the run ended, where that was not by itself with exit code 0, nor since all was measured: `limit`, `time` (`--for`), `cut` by
    /// a signal or `--timeout`, `output closed` by its reader, `crashed`, `exit code 7`, `stands still`, `reset`, `met what is not modelled`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// How it was obtained.
    #[serde(default, skip_serializing_if = "Obtained::is_empty")]
    pub obtained: Obtained,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The least, the arithmetic mean and the greatest of some figures.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Spread {
    /// The least.
    pub min: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// The greatest.
    pub max: f64,
}

/// A point of a line that a picture shows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// The line's name.
    pub name: String,
    /// Wait states of the memory.
    pub at: u32,
}

/// What a measurement counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Clock cycles of the core.
    Cycles,
    /// Bytes of memory.
    Bytes,
    /// Parts of a hundred.
    Percent,
    /// How often something was done.
    Count,
}

/// How well a rule or a figure is known; the weakest is the greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Evidence {
    /// Checked against the RTL of the core, cycle by cycle.
    #[serde(rename = "RTL")]
    Rtl,
    /// Checked against published figures of silicon.
    A,
    /// From the vendor's documents.
    B,
    /// One independent measurement, not checked again.
    C,
    /// Inferred, or contradicted by a measurement.
    D,
}

/// Why a file is not a results file.
#[derive(Debug)]
pub enum ReadError {
    /// Not JSON, or not of the right shape.
    Shape(serde_json::Error),
    /// Another format, or another number of it.
    Format(String),
    /// The timeline of this row refers to what it does not have.
    Timeline(String),
}

impl Results {
    /// Results of this version of `tool`.
    pub fn new(tool: impl Into<String>, results: Vec<Row>) -> Results {
        Results {
            format: FORMAT.to_owned(),
            tool: tool.into(),
            results,
        }
    }

    /// As JSON, a line for each row, so that two files can be compared by line.
    ///
    /// # Panics
    ///
    /// If a mean is not a number, which no set of samples gives.
    pub fn to_json(&self) -> String {
        let line = |row: &Row| {
            let mut row = row.clone();
            // The file says it of all of them.
            if row.obtained.tool == self.tool {
                row.obtained.tool.clear();
            }
            serde_json::to_string(&row).expect("plain data with string keys")
        };
        let rows: Vec<String> = self
            .results
            .iter()
            .map(|row| format!("  {}", line(row)))
            .collect();
        let [format, tool] = [&self.format, &self.tool].map(|text| serde_json::Value::from(text.as_str()));
        let rows = if rows.is_empty() {
            String::new()
        } else {
            format!("\n{}\n", rows.join(",\n"))
        };
        format!("{{\"format\":{format},\"tool\":{tool},\"results\":[{rows}]}}\n")
    }

    /// Reads what [`Results::to_json`] wrote, or another tool that keeps to the format.
    ///
    /// # Errors
    ///
    /// If it is not JSON, has a field of another type, lacks one, or is of another format.
    pub fn from_json(text: &str) -> Result<Results, ReadError> {
        #[derive(Deserialize)]
        #[serde(expecting = "an object with `format`, as `--json` writes one")]
        struct Head {
            format: String,
        }
        // The format first: the rest of another format has no meaning here.
        let head: Head = serde_json::from_str(text).map_err(ReadError::Shape)?;
        if head.format != FORMAT {
            return Err(ReadError::Format(head.format));
        }
        let results: Results = serde_json::from_str(text).map_err(ReadError::Shape)?;
        let timelines = |row: &Row| [row.obtained.worst.clone(), row.obtained.best.clone()];
        for row in &results.results {
            if timelines(row)
                .iter()
                .flatten()
                .any(|timeline| !timeline.is_sound())
            {
                return Err(ReadError::Timeline(row.id.clone()));
            }
        }
        Ok(results)
    }
}

impl Row {
    /// The part of the id before the slash; an id without one is its own group.
    pub fn group(&self) -> &str {
        self.id.split_once('/').map_or(&self.id, |(group, _)| group)
    }

    /// The part of the id behind the slash.
    pub fn name(&self) -> &str {
        self.id.split_once('/').map_or(&self.id, |(_, name)| name)
    }

    /// Whether this is the same measurement as another one: it may have another figure, and another unit if the spec has changed.
    pub fn is_of(&self, other: &Row) -> bool {
        (&self.id, &self.board, &self.kernel) == (&other.id, &other.board, &other.kernel)
    }

    /// The worst sample and the mean, so that less is better whatever is counted: of what is done in a given time, more is better,
    /// and the worst is the least. Of parts of a hundred nobody knows.
    pub(crate) fn cost(&self) -> Option<(i64, f64)> {
        match self.unit {
            Unit::Cycles | Unit::Bytes => Some((self.max, self.mean)),
            Unit::Count => Some((self.min.saturating_neg(), -self.mean)),
            Unit::Percent => None,
        }
    }

    /// Whether its worst sample, or else its mean, is better than another's of the same unit; no unit is better than another one.
    pub fn is_better_than(&self, other: &Row) -> bool {
        self.unit == other.unit
            && matches!((self.cost(), other.cost()), (Some(own), Some(other)) if own < other)
    }

    /// Whether two rows say the same, whatever program and run they are of.
    pub fn says_the_same(&self, other: &Row) -> bool {
        let figures = |row: &Row| Row {
            obtained: Obtained::default(),
            ..row.clone()
        };
        figures(self) == figures(other)
    }

    /// Which measurement it is: `rtfm/nop on stm32f100rb`, with the kernel where there is one.
    pub fn title(&self) -> String {
        let title = match self.kernel.as_str() {
            "none" => format!("{} on {}", self.id, self.board),
            kernel => format!("{} on {} ({kernel})", self.id, self.board),
        };
        // A name in somebody's file begins no line of its own, where a line is a command to a CI system.
        one_line(&title)
    }

    /// Measured mean less published figure: a published figure stands for a typical run. Between two programs there is none.
    pub fn difference(&self) -> Option<f64> {
        let comparable = self
            .published
            .filter(|_| self.reference != Reference::OtherProgram);
        comparable.map(|published| self.mean - published.value())
    }

    /// Takes back what the mark says, where a measurement of the same program on the same chip gave another figure, or the core's Verilog
    /// did: whatever is known of the rules, this figure is not what it was measured to be. What rounds to the published figure is that.
    pub fn weigh(&mut self) {
        let (Some(difference), Some(published)) = (self.difference(), self.published) else {
            return;
        };
        let is_of_this = matches!(self.reference, Reference::Same | Reference::Verilog);
        if is_of_this && difference.abs() >= published.precision() / 2.0 {
            self.evidence = Evidence::D;
        }
    }
}

/// A text from somebody's file without its line breaks and other control characters.
pub(crate) fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Cycles => "cycles",
            Unit::Bytes => "bytes",
            Unit::Percent => "percent",
            Unit::Count => "count",
        })
    }
}

impl Evidence {
    /// All marks, the strongest first.
    pub const ALL: [Evidence; 5] = [Evidence::Rtl, Evidence::A, Evidence::B, Evidence::C, Evidence::D];

    /// The mark as a column shows it: one that rests on inference says so.
    pub const fn label(self) -> &'static str {
        match self {
            Evidence::Rtl => "RTL",
            Evidence::A => "A",
            Evidence::B => "B",
            Evidence::C => "C",
            Evidence::D => "D, estimated",
        }
    }

    /// What stands in front of a figure in a narrow cell: the legend says what it is.
    pub const fn sign(self) -> &'static str {
        match self {
            Evidence::D => "≈ ",
            _ => "",
        }
    }

    /// What the mark stands for.
    pub const fn meaning(self) -> &'static str {
        match self {
            Evidence::Rtl => "checked against the core's own Verilog, cycle by cycle",
            Evidence::A => "checked against published figures of silicon",
            Evidence::B => "from the vendor's documents",
            Evidence::C => "one independent measurement, not checked again",
            Evidence::D => {
                "estimated: inferred, or measured otherwise on the same chip with the same program"
            }
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evidence::Rtl => f.write_str("RTL"),
            _ => fmt::Debug::fmt(self, f),
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Shape(error) => write!(f, "not a results file: {error}"),
            ReadError::Timeline(id) => write!(f, "the timeline of `{id}` refers to what it does not have"),
            ReadError::Format(format) => write!(f, "format `{format}`, but this tool reads `{FORMAT}`"),
        }
    }
}

impl std::error::Error for ReadError {}
