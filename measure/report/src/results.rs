//! The results format `cyclescope-results/1`.
//!
//! Fields may be added; a field's meaning changes only with the format's number.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::obtained::Obtained;
use crate::reference::Reference;

/// The format's name and version.
pub const FORMAT: &str = "cyclescope-results/1";

/// The measurements of one run of the tool.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Results {
    /// Always [`FORMAT`].
    pub format: String,
    /// Name and version of the program that wrote it.
    pub tool: String,
    /// The rows, in the order of the specs.
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
    /// The measured kernel or kind of code; `none` if the spec does not say.
    pub kernel: String,
    /// A description of the kernel for comparison tables: version, features, flags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The heading under which a page shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The chart line of which it is a point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
    /// The id of the row for the same instruction followed by one that does not use its result; this row is then the latency to use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_of: Option<String>,
    /// The unit of all its figures.
    pub unit: Unit,
    /// Number of samples, from 1.
    pub count: u64,
    /// Minimum over the samples.
    pub min: i64,
    /// Arithmetic mean of the samples.
    pub mean: f64,
    /// Maximum over the samples.
    pub max: i64,
    /// Part of the greatest sample that the measured context spent itself. `own`, `preempted` and `blocked` add up to `max`.
    pub own: i64,
    /// Part of the greatest sample that exceptions took which began and ended inside.
    pub preempted: i64,
    /// Part of the greatest sample during which the context was switched out.
    pub blocked: i64,
    /// A figure to compare with; it is used for nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<Figure>,
    /// The chip and program of the published figure.
    #[serde(default, skip_serializing_if = "Reference::is_same")]
    pub reference: Reference,
    /// Where it was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The conditions under which the published figure was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<String>,
    /// The explanation of a difference from the published figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The weakest evidence mark of the rules that it relied on.
    pub evidence: Evidence,
    /// The core's clock at the end, in Hz, if the row is a whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_hz: Option<u32>,
    /// How long the calls took in microseconds, each at the clock at which it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_us: Option<Spread>,
    /// The most bytes of stack that a call used, with its callees and without interrupts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<i64>,
    /// Calls that began and did not return; they are not samples.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unfinished: u64,
    /// How the run ended, unless by exit code 0 or because everything was measured: `limit`, `time` (`--for`), `cut` by a signal or
    /// `--timeout`, `output closed` by its reader, `crashed`, `exit code 7`, `stands still`, `reset`, `met what is not modelled`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// How the figure was obtained.
    #[serde(default, skip_serializing_if = "Obtained::is_empty")]
    pub obtained: Obtained,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Minimum, arithmetic mean and maximum of some figures.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Spread {
    /// Minimum.
    pub min: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Maximum.
    pub max: f64,
}

/// A point of a chart line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// The line's name.
    pub name: String,
    /// Wait states of the memory: the point's x value.
    pub at: u32,
}

/// The unit of a measurement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Clock cycles of the core.
    Cycles,
    /// Bytes of memory.
    Bytes,
    /// Percent.
    Percent,
    /// Number of times that something was done.
    Count,
}

/// How well a rule or a figure is known; the weakest mark compares greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Evidence {
    /// Checked against the core's RTL, cycle by cycle.
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
    /// Not JSON, or JSON with the wrong fields.
    Shape(serde_json::Error),
    /// Another format or version, which the file names.
    Format(String),
    /// The timeline of this row has an index outside its tables, or an absurd number.
    Timeline(String),
}

impl Results {
    /// Results measured by this version of `tool`.
    pub fn new(tool: impl Into<String>, results: Vec<Row>) -> Results {
        Results {
            format: FORMAT.to_owned(),
            tool: tool.into(),
            results,
        }
    }

    /// The results as JSON, one row per line, so that files diff line by line.
    ///
    /// # Panics
    ///
    /// If a mean is not finite, which no set of samples gives.
    pub fn to_json(&self) -> String {
        let line = |row: &Row| {
            let mut row = row.clone();
            // The file's head names the tool for all rows.
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

    /// Reads the format that [`Results::to_json`] writes.
    ///
    /// # Errors
    ///
    /// If the text is not JSON, a field is missing or has another type, or the format differs.
    pub fn from_json(text: &str) -> Result<Results, ReadError> {
        #[derive(Deserialize)]
        #[serde(expecting = "an object with `format`, as `--json` writes one")]
        struct Head {
            format: String,
        }
        // Check the format first: the fields of another format have no meaning here.
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

    /// The part of the id after the slash.
    pub fn name(&self) -> &str {
        self.id.split_once('/').map_or(&self.id, |(_, name)| name)
    }

    /// What identifies the measurement across runs: its id, its board and its kernel.
    pub fn key(&self) -> (&str, &str, &str) {
        (&self.id, &self.board, &self.kernel)
    }

    /// Whether both rows are of the same measurement. Their figures may differ, and their units too if the spec changed.
    pub fn is_of(&self, other: &Row) -> bool {
        self.key() == other.key()
    }

    /// Worst sample and mean, negated where more is better, so that less is always better. Counts are better if greater, and their worst
    /// sample is the least. `None` for percentages, whose direction is unknown.
    pub(crate) fn cost(&self) -> Option<(i64, f64)> {
        match self.unit {
            Unit::Cycles | Unit::Bytes => Some((self.max, self.mean)),
            Unit::Count => Some((self.min.saturating_neg(), -self.mean)),
            Unit::Percent => None,
        }
    }

    /// Whether its worst sample, or if equal its mean, is better than that of `other`. Rows of different units do not compare.
    pub fn is_better_than(&self, other: &Row) -> bool {
        self.unit == other.unit
            && matches!((self.cost(), other.cost()), (Some(own), Some(other)) if own < other)
    }

    /// Whether two rows have the same figures, whatever program and run they come from.
    pub fn says_the_same(&self, other: &Row) -> bool {
        let figures = |row: &Row| Row {
            obtained: Obtained::default(),
            ..row.clone()
        };
        figures(self) == figures(other)
    }

    /// The measurement's title: `rtfm/nop on stm32f100rb`, with the kernel if there is one.
    pub fn title(&self) -> String {
        let title = match self.kernel.as_str() {
            "none" => format!("{} on {}", self.id, self.board),
            kernel => format!("{} on {} ({kernel})", self.id, self.board),
        };
        // A name from a user's file must not start a line of its own: CI systems read commands from lines.
        one_line(&title)
    }

    /// Measured mean minus published figure, since a published figure stands for a typical run. `None` if the figure is of another
    /// program.
    pub fn difference(&self) -> Option<f64> {
        let comparable = self
            .published
            .filter(|_| self.reference != Reference::OtherProgram);
        comparable.map(|published| self.mean - published.value())
    }

    /// Lowers the evidence to [`Evidence::D`] if a measurement of the same program on the same chip, or on the core's Verilog,
    /// contradicts the figure. A mean that rounds to the published figure agrees with it.
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

/// A text from a user's file with line breaks and other control characters replaced by spaces.
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

    /// The mark in a column; a mark that rests on inference says so.
    pub const fn label(self) -> &'static str {
        match self {
            Evidence::Rtl => "RTL",
            Evidence::A => "A",
            Evidence::B => "B",
            Evidence::C => "C",
            Evidence::D => "D, estimated",
        }
    }

    /// The mark in a narrow cell; the legend explains it.
    pub const fn sign(self) -> &'static str {
        match self {
            Evidence::D => "≈ ",
            _ => "",
        }
    }

    /// The explanation of the mark.
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
