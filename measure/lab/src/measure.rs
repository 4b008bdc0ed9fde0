//! Measures one program of a spec.
//!
//! A failure does not discard other measurements: the outcome holds the available rows, and messages about the missing ones.

mod phases;
mod rows;
mod samples;

pub use rows::evidence;
pub(crate) use rows::exceeded;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use machine::board::Allow;
use machine::{Board, Exception, Image};
use report::{Row, Unit};
use spans::{Calls, Collector, PointId, Span};

use crate::backend::{Backend, Bench};
use crate::cut;
use crate::diagnostic::{Diagnostic, Kind, Result};
use crate::fit;
use crate::horizon::Horizon;
use crate::resolve::Scope;
use crate::session::{Pass, Session};
use crate::setup::fetches_words;
use crate::spec::{Located, Measured, Point, Program, Raise, SpanSpec, Spec, When};
use crate::watch::{Place, View, Watch, Watcher};

use samples::Sampled;

/// The outcome of measuring programs.
#[derive(Default, Debug)]
pub struct Outcome {
    /// The rows, in the order of the spec.
    pub rows: Vec<Row>,
    /// Messages about measurements that failed.
    pub messages: Vec<Diagnostic>,
    /// Programs that were not built here and may be missing; a message reports each.
    pub left_out: Vec<LeftOut>,
}

/// A missing program that needs something not every machine has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// Its name.
    pub program: String,
    /// The groups of its rows.
    pub groups: BTreeSet<String>,
    /// Whether one of its rows has a published figure.
    pub is_published: bool,
    /// Whether one of its rows is a point of a chart.
    pub is_drawn: bool,
}

impl Outcome {
    /// Appends another program's outcome.
    pub fn append(&mut self, mut other: Outcome) {
        self.rows.append(&mut other.rows);
        self.messages.append(&mut other.messages);
        self.left_out.append(&mut other.left_out);
    }
}

/// The environment in which a program is measured.
#[derive(Clone, Copy)]
pub(crate) struct Setup<'a> {
    /// The spec, for messages.
    pub(crate) spec: &'a Spec,
    /// The program's part of the spec.
    pub(crate) program: &'a Program,
    /// The program's image.
    pub(crate) image: &'a Arc<Image>,
    /// The board to run it on.
    pub(crate) board: &'a Board,
    /// The backend that runs it.
    pub(crate) backend: &'a Backend,
    /// Addresses to answer although the board does not describe them.
    pub(crate) allow: &'a [Allow],
    /// When points in code are reached.
    pub(crate) view: View,
    /// Whether to measure the stack use of calls too.
    pub(crate) stack: bool,
    /// The limit of the run.
    pub(crate) horizon: Horizon,
    /// Whether to record timelines of each row's worst and best sample.
    pub(crate) timelines: bool,
    /// Advice on how to end a run that does not end by itself.
    pub(crate) until: &'static str,
}

/// That advice for specs.
pub(crate) const COUNT_IN_SPEC: &str = "`count = N` in every span ends the run when all is measured";

/// Measures one program.
///
/// # Errors
///
/// If the program cannot start, or cannot be interrupted as the spec asks.
pub(crate) fn measure(setup: Setup<'_>) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let plan = Plan::new(setup, &mut outcome.messages);
    let raises = plan.find_raises()?;
    if !plan.spans.is_empty() {
        let (pass, mut machine) = plan.run_phases(&raises)?;
        plan.report(pass, &mut machine, &raises, &mut outcome)?;
    }
    Ok(outcome)
}

/// The points to watch for, and the spans that they belong to.
struct Plan<'a> {
    setup: Setup<'a>,
    scope: Scope<'a>,
    watch: Watch,
    halts: Vec<u32>,
    ids: HashMap<Point, PointId>,
    functions: HashMap<String, PointId>,
    /// The spans whose points exist.
    spans: Vec<&'a SpanSpec>,
    /// The address of each figure that the program measures itself.
    values: Vec<Option<u32>>,
}

impl<'a> Plan<'a> {
    /// Resolves all names. A span with an unknown name is left out with a message.
    fn new(setup: Setup<'a>, messages: &mut Vec<Diagnostic>) -> Plan<'a> {
        let scope = Scope {
            spec: setup.spec,
            image: setup.image,
            board: setup.board,
        };
        let (mut spans, mut values) = (Vec::new(), Vec::new());
        for span in &setup.program.spans {
            match check(&scope, span) {
                Ok(value) => {
                    spans.push(span);
                    values.push(value);
                }
                Err(message) => messages.push(message),
            }
        }
        let mut plan = Plan {
            setup,
            scope,
            watch: Watch::default(),
            halts: Vec::new(),
            ids: HashMap::new(),
            functions: HashMap::new(),
            spans,
            values,
        };
        plan.number_points();
        plan
    }

    /// Numbers the distinct points. Points at undefined interrupts are reported when they are needed.
    fn number_points(&mut self) {
        let of_spans = self.spans.iter().filter_map(|span| span.what.ends());
        let of_raises = self
            .setup
            .program
            .raises
            .iter()
            .filter_map(|raise| raise.when.point());
        let mut places: Vec<Place> = Vec::new();
        for point in of_spans.flat_map(|ends| [&ends.from, &ends.to]).chain(of_raises) {
            let known = self.ids.contains_key(&point.value);
            if let (false, Ok(place)) = (known, self.scope.place(point)) {
                self.ids.insert(point.value.clone(), PointId(places.len() as u32));
                places.push(place);
                self.halts.extend(self.scope.halts(point).unwrap_or_default());
            }
        }
        for name in self.spans.iter().filter_map(|span| span.what.function()) {
            let known = self.functions.contains_key(&name.value);
            if let (false, Ok(entry)) = (known, self.scope.function(name)) {
                let id = PointId(places.len() as u32);
                self.functions.insert(name.value.clone(), id);
                places.push(Place::Function(entry));
            }
        }
        let stack = |span: &&SpanSpec| span.what.function().is_some() && self.wants_stack(span);
        let stack = self.spans.iter().any(stack);
        self.watch = Watch::new(&places)
            .viewed(self.setup.view)
            .following(self.setup.image, stack);
        if self.setup.view == View::Fetch && fetches_words(self.setup.board) {
            self.watch = std::mem::take(&mut self.watch).in_words();
        }
    }

    fn wants_stack(&self, span: &SpanSpec) -> bool {
        self.setup.stack || span.unit == Unit::Bytes
    }

    fn session(&self) -> Session<'_> {
        Session {
            image: self.setup.image,
            board: self.setup.board,
            backend: self.setup.backend,
            allow: self.setup.allow,
            stimuli: &self.setup.program.stimuli,
            halts: &self.halts,
            horizon: self.setup.horizon,
            until: self.setup.until,
        }
    }

    /// One span per row. A figure that the program measures itself has one if it names points, for its evidence.
    fn collector(&self) -> Collector {
        let span = |spec: &&SpanSpec| {
            let ends = spec.what.ends()?;
            let count = match spec.what {
                Measured::Span(_) => spec.count,
                // The program's end sets the figure, so the run must continue until then.
                Measured::Value(..) | Measured::Calls(_) => None,
            };
            Some(Span {
                from: self.id(&ends.from),
                to: self.id(&ends.to),
                unit: unit_of(spec),
                skip: spec.skip,
                count,
            })
        };
        let calls = |spec: &&SpanSpec| {
            Some(Calls {
                function: self.functions[&spec.what.function()?.value],
                unit: unit_of(spec),
                skip: spec.skip,
                count: spec.count,
            })
        };
        let collector = Collector::new(self.spans.iter().filter_map(span));
        collector.and_calls(self.spans.iter().filter_map(calls))
    }

    fn id(&self, point: &Located<Point>) -> PointId {
        self.ids[&point.value]
    }

    /// The cycle of each interrupt. To find an interrupt after a point, the program runs without that interrupt up to the point. Runs are
    /// repeatable, and an interrupt changes nothing before it arrives.
    fn find_raises(&self) -> Result<Vec<(u64, Exception)>> {
        let mut known = Vec::new();
        let mut waiting: Vec<(&Raise, Exception)> = Vec::new();
        for raise in &self.setup.program.raises {
            let number = self.scope.input(&raise.irq)?;
            match &raise.when {
                When::At(cycle) => known.push((*cycle, number)),
                When::After(point, _) => {
                    self.scope.place(point)?;
                    waiting.push((raise, number));
                }
            }
        }
        while !waiting.is_empty() {
            let found = self.first_raise(&waiting, &known)?;
            let (cycle, index) = found.ok_or_else(|| self.never_raised(waiting[0].0))?;
            known.push((cycle, waiting.remove(index).1));
        }
        Ok(known)
    }

    /// The cycle and index of the earliest interrupt that waits for a point. The others are uncertain, since this one may change what
    /// follows it.
    fn first_raise(
        &self,
        waiting: &[(&Raise, Exception)],
        known: &[(u64, Exception)],
    ) -> Result<Option<(u64, usize)>> {
        let cycle = |raise: &Raise, first_met: &[Option<u64>]| match &raise.when {
            When::At(cycle) => Some(*cycle),
            When::After(point, delay) => Some(first_met[self.id(point).0 as usize]? + delay),
        };
        let met = |watcher: &Watcher<'_>| {
            waiting
                .iter()
                .any(|(raise, _)| cycle(raise, watcher.first_met()).is_some())
        };
        let (pass, _) = self.session().run(&self.watch, Collector::new([]), known, met)?;
        let cycles = waiting.iter().map(|(raise, _)| cycle(raise, &pass.first_met));
        Ok(cycles
            .enumerate()
            .filter_map(|(index, cycle)| Some((cycle?, index)))
            .min())
    }

    /// A warning if calls did not return.
    fn unfinished(&self, span: &SpanSpec, row: &Row) -> Option<Diagnostic> {
        let name = span.what.function()?;
        let title = match row.unfinished {
            0 => return None,
            1 => format!("a call of `{}` did not return and is not counted", name.value),
            many => format!(
                "{many} calls of `{}` did not return and are not counted",
                name.value
            ),
        };
        let warning = Diagnostic::new(Kind::Skipped, title);
        Some(warning.at(&self.setup.spec.source, name.range.clone(), ""))
    }

    /// A warning if outer passes of a recursion were left out.
    fn recursed(&self, span: &SpanSpec, passes: u64) -> Option<Diagnostic> {
        let ends = span.what.ends().filter(|_| passes > 0)?;
        let (from, to) = (&ends.from, &ends.to.value);
        let title = format!(
            "`{}` calls itself: only the innermost passes are measured",
            span.id.value
        );
        let warning = Diagnostic::new(Kind::Skipped, title)
            .at(
                &self.setup.spec.source,
                from.range.clone(),
                "met again before the span's end",
            )
            .note(format!("{passes} times `{to}` was met for an outer pass"))
            .help("`function = \"NAME\"` in place of points measures calls, outer ones too");
        Some(warning)
    }

    fn never_raised(&self, raise: &Raise) -> Diagnostic {
        let (title, range) = match &raise.when {
            When::After(point, _) => (format!("`{}` was never reached", point.value), &point.range),
            When::At(_) => ("the interrupt was never raised".to_owned(), &raise.irq.range),
        };
        self.setup
            .spec
            .mistake(title, range, &format!("{} waits for it", raise.irq.value))
    }

    /// The message about the run's end. Most firmware never ends, so reaching the default limit is no error if every span has the samples
    /// that it asked for.
    fn end(&self, pass: &Pass) -> Option<Diagnostic> {
        let session = self.session();
        let failure = pass.failure(&session)?;
        let unmet = self.unmet(pass);
        let may_end_so = session.horizon == Horizon::Usual && pass.is_over() && cut::asked().is_none();
        let is_measured = unmet.is_empty()
            && pass.collected.iter().all(std::result::Result::is_ok)
            && self.values.iter().all(Option::is_none);
        if may_end_so && is_measured {
            let title = format!(
                "the program does not end: it was measured for {} cycles",
                session.horizon.cycles()
            );
            let help = format!("{}; `--for 2s` or `--limit N` says how far to go", session.until);
            return Some(Diagnostic::new(Kind::Skipped, title).help(help));
        }
        Some(unmet.into_iter().fold(failure, Diagnostic::note))
    }

    /// The spans that have fewer samples than requested, in words.
    fn unmet(&self, pass: &Pass) -> Vec<String> {
        let (points, calls): (Vec<&SpanSpec>, Vec<&SpanSpec>) =
            self.spans.iter().partition(|span| span.what.ends().is_some());
        let called = calls.into_iter().filter(|span| span.what.function().is_some());
        let each = points.into_iter().chain(called).zip(&pass.collected);
        let unmet = each.filter_map(|(span, collected)| {
            let (wanted, had) = (span.count?, collected.as_ref().map_or(0, |stats| stats.count));
            let few = had < wanted && !matches!(span.what, Measured::Value(..));
            few.then(|| format!("`{}` has {had} of its {wanted} samples", span.id.value))
        });
        unmet.collect()
    }

    /// The rows and messages of a completed run.
    fn report(
        &self,
        pass: Pass,
        machine: &mut Bench,
        raises: &[(u64, Exception)],
        outcome: &mut Outcome,
    ) -> Result<()> {
        // A failure of the run explains the other messages, so it comes first.
        outcome.messages.extend(self.ends(&pass, raises));
        let failed_at = pass.failed_at(&self.session());
        let ended = pass.ended(&self.session());
        let run = self.run_of(&pass, machine, raises);
        let doubts = fit::doubts(self.setup.board, self.setup.image, machine);
        outcome
            .messages
            .extend(fit::overclocked(self.setup.board, machine));
        let mut samples: Vec<Sampled> = Vec::new();
        let Pass {
            mut collected,
            rules,
            missing,
            notes,
            phases,
            ..
        } = pass;
        if self.phases() == 1 {
            outcome.messages.extend(missing.into_iter().chain(notes));
        } else {
            let place = phases::phase(phases.noted, raises);
            let notes = notes.into_iter();
            outcome
                .messages
                .extend(notes.map(|note| note.note(format!("in {place}"))));
        }
        // Collected calls follow all spans between points.
        let points = self
            .spans
            .iter()
            .filter(|span| span.what.ends().is_some())
            .count();
        let mut missed = phases.missed;
        missed.resize(collected.len(), None);
        let mut called = collected
            .split_off(points)
            .into_iter()
            .zip(missed.split_off(points));
        let mut collected = collected.into_iter().zip(missed);
        for (&span, &value) in self.spans.iter().zip(&self.values) {
            let (stats, missed) = match span.what.function() {
                Some(_) => called.next(),
                None => span.what.ends().and_then(|_| collected.next()),
            }
            .unzip();
            let row = rows::Maker {
                setup: self.setup,
                span,
                missed: missed.flatten(),
                failed_at,
                ended: ended.as_deref(),
                run: &run,
                doubts: &doubts,
            };
            let places = stats
                .as_ref()
                .and_then(|stats| stats.as_ref().ok())
                .map(|stats| (stats.worst_at, stats.best_at));
            if let Some(Ok(stats)) = &stats {
                outcome.messages.extend(self.recursed(span, stats.recursed));
                outcome.messages.extend(row.missed(raises));
            }
            let worst = match (&value, &stats) {
                (None, Some(Ok(stats))) => Some(stats.worst_at),
                _ => None,
            };
            let measured = match value {
                Some(address) => row.of_value(machine.peek_word(address), stats, rules),
                None => row.of_span(stats),
            };
            match measured {
                Ok(row) => {
                    outcome.messages.extend(self.unfinished(span, &row));
                    // A difference is checked after the subtraction.
                    if span.minus.is_none() {
                        outcome
                            .messages
                            .extend(exceeded(self.setup.spec, span, &row, worst));
                    }
                    samples.extend(places.map(|(worst, best)| Sampled {
                        row: outcome.rows.len(),
                        worst,
                        best: (row.min < row.max).then_some(best),
                    }));
                    outcome.rows.push(row);
                }
                Err(message) => outcome.messages.push(message),
            }
        }
        if self.setup.timelines {
            self.record(&samples, raises, &mut outcome.rows)?;
        }
        Ok(())
    }
}

fn unit_of(span: &SpanSpec) -> spans::Unit {
    match span.unit {
        Unit::Cycles => spans::Unit::Cycles,
        Unit::Bytes | Unit::Percent | Unit::Count => spans::Unit::StackBytes,
    }
}

/// Checks that everything a span names exists. Returns the address of a figure that the program measures itself.
fn check(scope: &Scope<'_>, span: &SpanSpec) -> Result<Option<u32>> {
    if let Some(ends) = span.what.ends() {
        scope.place(&ends.from)?;
        scope.place(&ends.to)?;
    }
    match &span.what {
        Measured::Span(_) => Ok(None),
        Measured::Calls(name) => scope.function(name).map(|_| None),
        Measured::Value(symbol, _) => scope.address(symbol).map(Some),
    }
}
