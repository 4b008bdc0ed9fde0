//! Turns statistics into a result row, or into a message why there is none.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use events::{Mark, RuleSet};
use machine::board::Memory;
use machine::{Architecture, Board};
use report::{Evidence, Histogram, Obtained, Row, Spread, Unit};
use spans::{Parts, Place, Stats, Time, Unmeasured};

use super::Setup;
use crate::diagnostic::{Diagnostic, Kind, Result};
use crate::resolve::Scope;
use crate::rules::fingerprints;
use crate::session::Missed;
use crate::spec::{Ends, Measured, SpanSpec, Spec};

/// Makes the row of one span.
#[derive(Clone, Copy)]
pub(super) struct Maker<'a> {
    pub(super) setup: Setup<'a>,
    pub(super) span: &'a SpanSpec,
    /// Interrupt phases without a sample.
    pub(super) missed: Option<Missed>,
    /// The instruction at which the run failed, if it did.
    pub(super) failed_at: Option<u32>,
    /// How the run ended, unless it exited with code 0.
    pub(super) ended: Option<&'a str>,
    /// The program and its run.
    pub(super) run: &'a report::Program,
    /// Reasons why its figures are weaker than their rules.
    pub(super) doubts: &'a [String],
}

type Collected = std::result::Result<Stats, Unmeasured>;

impl Maker<'_> {
    /// The row of a span between points, or of calls.
    pub(super) fn of_span(&self, collected: Option<Collected>) -> Result<Row> {
        match (collected, self.span.what.ends()) {
            (Some(Ok(stats)), _) => Ok(self.row(&stats)),
            (Some(Err(why)), Some(ends)) => Err(self.unmeasured(ends, why)),
            (Some(Err(why)), None) => Err(self.not_called(why)),
            (None, _) => unreachable!("what has points or is a function was collected"),
        }
    }

    /// The row of a figure that the program measured itself. Its evidence is that of the span between its points, or of the whole run
    /// (`rules`) if it has no points or they were not reached.
    pub(super) fn of_value(
        &self,
        word: Option<u32>,
        collected: Option<Collected>,
        rules: u128,
    ) -> Result<Row> {
        let Some(word) = word else {
            let title = format!("`{}`: no memory holds its figure", self.span.id.value);
            return Err(self.setup.spec.mistake(title, &self.span.id.range, ""));
        };
        let relied = collected
            .and_then(Collected::ok)
            .map_or(rules, |stats| stats.relied);
        Ok(self.row(&Stats::of(Parts::all_own(i64::from(word)), relied, (0, 0))))
    }

    fn row(&self, stats: &Stats) -> Row {
        let (span, board) = (self.span, self.setup.board);
        Row {
            id: span.id.value.clone(),
            board: board.name().to_owned(),
            core: board.core().name().to_owned(),
            kernel: span.kernel.clone(),
            about: span.about.clone(),
            section: span.section.clone(),
            series: span.series.clone(),
            use_of: span.use_of.as_ref().map(|base| base.value.clone()),
            unit: span.unit,
            count: stats.count,
            min: stats.min,
            mean: stats.mean(),
            max: stats.max,
            own: stats.worst.own,
            preempted: stats.worst.preempted,
            blocked: stats.worst.blocked,
            published: span.published,
            reference: span.reference,
            source: span.published.and(span.origin.clone()),
            conditions: span.published.and(span.conditions.clone()),
            because: span.published.and(span.because.clone()),
            evidence: evidence(board, span.unit, stats.relied, self.doubts),
            clock_hz: None,
            time_us: stats
                .called
                .time
                .filter(|_| span.unit == Unit::Cycles)
                .map(|time| microseconds(&time, stats.count)),
            stack: (self.setup.stack && span.what.function().is_some()).then_some(stats.called.stack),
            unfinished: stats.called.unfinished,
            ended: self.ended.map(str::to_owned),
            obtained: self.obtained(stats),
        }
    }

    fn obtained(&self, stats: &Stats) -> Obtained {
        let Maker { span, setup, .. } = *self;
        let histogram = (stats.min < stats.max).then(|| Histogram {
            width: stats.histogram.width(),
            bins: stats.histogram.bins().collect(),
        });
        Obtained {
            tool: crate::TOOL.to_owned(),
            rules: match span.unit {
                Unit::Cycles => fingerprints(setup.board, stats.relied),
                Unit::Bytes | Unit::Percent | Unit::Count => BTreeMap::new(),
            },
            how: how(span),
            limit: span.max.as_ref().map(|max| max.value),
            weakest: weakest(setup.board, span.unit, stats.relied),
            beyond: beyond(setup.board, span.unit, stats.relied, self.doubts),
            histogram,
            missed: self.missed.map_or(0, |missed| missed.count),
            program: Some(Box::new(self.run.clone())),
            worst: None,
            best: None,
            deepest: Vec::new(),
        }
    }

    /// The message why a function's calls were not measured.
    fn not_called(&self, why: Unmeasured) -> Diagnostic {
        let Some(name) = self.span.what.function() else {
            unreachable!("calls are of a function")
        };
        let label = format!("{} is not measured", self.span.id.value);
        let message = self
            .setup
            .spec
            .mistake(self.calls_reason(&name.value, why), &name.range, &label);
        let help = match why {
            Unmeasured::NeverReturned { .. } => {
                "name a function that it calls and that returns; `cyclescope profile` shows where the cycles of the whole run go"
            }
            _ if self.failed_at.is_some() => return message,
            _ => "if it was inlined, it is never called: `#[inline(never)]` keeps it separate, even with LTO",
        };
        message.help(help)
    }

    fn calls_reason(&self, name: &str, why: Unmeasured) -> String {
        match why {
            Unmeasured::NeverReturned { calls: 1, .. } => {
                format!("`{name}` never returns: it was called once")
            }
            Unmeasured::NeverReturned { calls, unfinished } if calls == unfinished => {
                format!("`{name}` never returns: it was called {calls} times")
            }
            Unmeasured::NeverReturned { calls, .. } => format!(
                "`{name}` was called {calls} times, which are all left out by `skip`, or did not return"
            ),
            _ if self.failed_at.is_some() => self.not_called_before_the_failure(name),
            _ => format!("`{name}` was never called"),
        }
    }

    /// Why there is no sample.
    pub(super) fn reason(&self, why: Unmeasured) -> String {
        match (self.span.what.function(), self.span.what.ends()) {
            (Some(name), _) => self.calls_reason(&name.value, why),
            (None, Some(ends)) => self.points_reason(ends, why),
            (None, None) => unreachable!("what has points or is a function was collected"),
        }
    }

    /// A call begins with the function's first instruction: if the run failed there, no call has begun.
    fn not_called_before_the_failure(&self, name: &str) -> String {
        let entry = self.setup.image.symbol(name).ok().map(|symbol| symbol.address);
        if entry == self.failed_at {
            format!("the run failed at the first instruction of `{name}`")
        } else {
            format!("`{name}` was not called before the run failed")
        }
    }

    fn points_reason(&self, ends: &Ends, why: Unmeasured) -> String {
        let (from, to) = (&ends.from.value, &ends.to.value);
        match why {
            Unmeasured::NeverReached { from: true, to: true } => {
                format!("neither `{from}` nor `{to}` was ever reached")
            }
            Unmeasured::NeverReached { from: true, .. } => format!("`{from}` was never reached"),
            Unmeasured::NeverReached { .. } => format!("`{to}` was never reached"),
            Unmeasured::NeverClosed { opened } => {
                format!("`{to}` was never reached after `{from}`, which was last met in cycle {opened}")
            }
            Unmeasured::CutByReset { opened } => format!(
                "a reset of the chip came between `{from}`, which was last met in cycle {opened}, and `{to}`"
            ),
            Unmeasured::Skipped { samples } => {
                format!(
                    "`skip = {}` leaves out all of its {samples} samples",
                    self.span.skip
                )
            }
            Unmeasured::NeverCalled | Unmeasured::NeverReturned { .. } => {
                unreachable!("what has points is not called")
            }
        }
    }

    fn unmeasured(&self, ends: &Ends, why: Unmeasured) -> Diagnostic {
        let (spec, title) = (self.setup.spec, self.points_reason(ends, why));
        if let Unmeasured::Skipped { .. } = why {
            return spec.mistake(title, &self.span.id.range, "is not measured");
        }
        let at = match why {
            Unmeasured::NeverReached { from: true, .. } => &ends.from,
            _ => &ends.to,
        };
        let message = spec.mistake(
            title,
            &at.range,
            &format!("{} is not measured", self.span.id.value),
        );
        let scope = Scope {
            spec: self.setup.spec,
            image: self.setup.image,
            board: self.setup.board,
        };
        let points = [&ends.from, &ends.to].into_iter();
        let within = points.filter_map(|point| scope.within_instruction(&point.value));
        within.fold(message, Diagnostic::note)
    }
}

/// The measurement in words.
fn how(span: &SpanSpec) -> String {
    let between = |ends: &Ends| format!("from {} to {}", ends.from.value, ends.to.value);
    let mut text = match &span.what {
        Measured::Span(ends) if span.unit == Unit::Bytes => {
            format!("by how much the stack grows, {}", between(ends))
        }
        Measured::Span(ends) => between(ends),
        Measured::Calls(function) if span.unit == Unit::Bytes => {
            format!("stack of the calls of {}", function.value)
        }
        Measured::Calls(function) => format!("calls of {}", function.value),
        Measured::Value(symbol, ends) => {
            let ends = ends.as_ref().map(between).map(|ends| format!(", {ends}"));
            format!(
                "what the program wrote to {}{}",
                symbol.value,
                ends.unwrap_or_default()
            )
        }
    };
    if span.skip > 0 {
        // Writing to a string cannot fail, here and below.
        let _ = write!(text, ", without the first {}", span.skip);
    }
    if let Some(base) = &span.minus {
        let _ = write!(text, ", less {}", base.value);
    }
    text
}

/// The rules with the weakest mark. Empty for RV32 cores, whose mark is that of their Verilog, and for units other than cycles.
fn weakest(board: &Board, unit: Unit, relied: u128) -> Vec<String> {
    let book = board.rule_book();
    let mark = book.weakest(RuleSet(relied));
    let weak = book.of(RuleSet(relied)).filter(|rule| Some(rule.mark) == mark);
    let names = weak.map(|rule| rule.id.to_owned());
    if unit == Unit::Cycles && board.core().architecture() == Architecture::Arm {
        names.collect()
    } else {
        Vec::new()
    }
}

/// Rules used outside the conditions in which they were measured, and other reasons for doubt.
fn beyond(board: &Board, unit: Unit, relied: u128, doubts: &[String]) -> Vec<String> {
    match unit {
        Unit::Cycles => [&board.beyond(RuleSet(relied)), doubts].concat(),
        Unit::Bytes | Unit::Percent | Unit::Count => Vec::new(),
    }
}

/// The minimum, mean and maximum duration of `calls` calls in microseconds.
#[allow(clippy::cast_precision_loss)] // A picosecond in two hours.
fn microseconds(time: &Time, calls: u64) -> Spread {
    const PICOSECONDS: f64 = 1e6;
    Spread {
        min: time.min as f64 / PICOSECONDS,
        mean: time.sum as f64 / calls as f64 / PICOSECONDS,
        max: time.max as f64 / PICOSECONDS,
    }
}

/// The weakest mark among the rules. Bytes depend on the architecture's manual only, which defines what an exception stacks (ARMv7-M ARM
/// B1.5.6). An RV32 core's timing is that of its RTL, or assembled from other cores, with memories as its board defines them; our RTL has
/// no flash interface. Any doubt ([`crate::fit::doubts`]) makes the figure an estimate.
pub fn evidence(board: &Board, unit: Unit, relied: u128, doubts: &[String]) -> Evidence {
    let core = board.core();
    let weakest = match unit {
        Unit::Bytes | Unit::Percent | Unit::Count => None,
        Unit::Cycles if !doubts.is_empty() => Some(Mark::D),
        Unit::Cycles if core.has_verilog() && !board.has_flash_interface() => {
            let memories = board.memories().iter().filter_map(Memory::evidence);
            Some(memories.max().unwrap_or(Mark::Rtl))
        }
        Unit::Cycles if core.architecture() == Architecture::RiscV => Some(Mark::D),
        Unit::Cycles => board.rule_book().weakest(RuleSet(relied)),
    };
    match weakest {
        Some(Mark::Rtl) => Evidence::Rtl,
        Some(Mark::A) => Evidence::A,
        None | Some(Mark::B) => Evidence::B,
        Some(Mark::C) => Evidence::C,
        Some(Mark::D) => Evidence::D,
    }
}

/// The message for a row above its spec's limit; `worst` is the place of its worst sample.
pub(crate) fn exceeded(spec: &Spec, span: &SpanSpec, row: &Row, worst: Option<Place>) -> Option<Diagnostic> {
    let max = span.max.as_ref().filter(|max| row.max > max.value)?;
    let title = format!(
        "{} took {} {}; its limit is {}",
        row.id, row.max, row.unit, max.value
    );
    let mut message = Diagnostic::new(Kind::Failed, title).at(&spec.source, max.range.clone(), "its limit");
    if let Some(Place { number, began, .. }) = worst {
        let which = match (row.count, &span.what) {
            (1, _) => "it".to_owned(),
            (_, Measured::Calls(_)) => format!("the worst is call {number}, which"),
            _ => format!("the worst is sample {number}, which"),
        };
        message = message.note(format!("{which} began in cycle {began}"));
    }
    if row.preempted == 0 && row.blocked == 0 {
        return Some(message);
    }
    let parts = format!(
        "own {}, pre-empted {}, blocked {}",
        row.own, row.preempted, row.blocked
    );
    Some(message.note(parts))
}
