//! Limits from a file, and checking results against them.

mod limit;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use report::blame::Blame;
use report::difference::{Sample, blamed};
use report::gate::{Judged, Judgement, Verdict};
use report::origin::changed;
use report::{Row, Unit};
use serde::Deserialize;

use crate::classes;
use crate::diagnostic::{Diagnostic, Result, Source};
use crate::project::Project;
use limit::{Exceeded, Limit, Which};

pub(crate) use limit::matches;

/// The limits of a file.
#[derive(Clone, Debug)]
pub struct Limits {
    source: Arc<Source>,
    file: File,
    /// The limit of the rows for which the file has none.
    otherwise: Limit,
}

#[derive(Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    baseline: Option<String>,
    #[serde(default)]
    limit: Vec<Limit>,
}

/// What results are compared with.
#[derive(Clone, Copy, Debug)]
pub enum Against<'a> {
    /// Nothing: only limits in absolute figures apply.
    Nothing,
    /// A baseline: growth beyond what a limit allows fails.
    Baseline(&'a [Row]),
    /// A baseline that the results replace: what differs from it is told, and accepted.
    Replaced(&'a [Row]),
}

impl<'a> Against<'a> {
    fn rows(self) -> &'a [Row] {
        match self {
            Against::Nothing => &[],
            Against::Baseline(rows) | Against::Replaced(rows) => rows,
        }
    }
}

/// A measurement in the baseline and in the results.
#[derive(Clone, Copy)]
enum Pair<'a> {
    New(&'a Row),
    Both(&'a Row, &'a Row),
    /// The same measurement in other units, which do not compare.
    OtherUnit(&'a Row, &'a Row),
    Gone(&'a Row),
}

impl Limits {
    /// Parses a file of limits; `path` is its name for messages.
    ///
    /// # Errors
    ///
    /// If it is invalid; the message points at the place.
    pub fn parse(path: &str, text: &str) -> Result<Limits> {
        let source = Arc::new(Source {
            path: path.to_owned(),
            text: text.to_owned(),
        });
        match toml::from_str::<File>(text) {
            Ok(file) => Ok(Limits {
                source,
                file,
                otherwise: Limit::no_growth(),
            }),
            Err(error) => {
                let range = error.span().unwrap_or(0..0);
                let message =
                    Diagnostic::mistake(error.message().lines().next().unwrap_or("not a file of limits"));
                Err(message.at(&source, range, ""))
            }
        }
    }

    /// The limits of a baseline alone, named by its path: no row may grow.
    pub fn of_baseline(path: &str) -> Limits {
        let source = Source {
            path: path.to_owned(),
            text: String::new(),
        };
        Limits {
            source: Arc::new(source),
            file: File::default(),
            otherwise: Limit::no_growth(),
        }
    }

    /// The name of the file for messages.
    pub fn path(&self) -> &str {
        &self.source.path
    }

    /// The baseline that the file names, relative to the file.
    pub fn baseline(&self) -> Option<&str> {
        self.file.baseline.as_deref()
    }

    /// Checks results against the limits and a baseline. A row for which there is no limit may not grow.
    ///
    /// # Errors
    ///
    /// If there are neither limits nor a baseline, if there is no row, or if a limit limits nothing, matches no row, or needs a missing
    /// baseline.
    pub fn judge(&self, rows: &[Row], against: Against<'_>) -> Result<Judgement> {
        self.check(rows, against)?;
        let baseline = against.rows();
        let pairs = pairs(baseline, rows);
        Ok(Judgement {
            limits: Project::here().name_of_argument(&self.source.path),
            rows: pairs.into_iter().map(|pair| self.judged(pair, against)).collect(),
            changed: changed(baseline, rows, crate::TOOL),
        })
    }

    /// Checks that each limit limits some row.
    fn check(&self, rows: &[Row], against: Against<'_>) -> Result<()> {
        let has_baseline = !matches!(against, Against::Nothing);
        if self.file.limit.is_empty() && !has_baseline {
            let message = Diagnostic::mistake("there is no limit in it").at(&self.source, 0..0, "");
            return Err(message.help(
                "`[[limit]]`, `rows = \"*\"` and `max = 1000` limit each row; with a `baseline`, no row may grow",
            ));
        }
        for limit in &self.file.limit {
            if !limit.is_absolute() && !limit.is_relative() && !has_baseline {
                let message = self.mistake(limit, "this limits nothing");
                return Err(message.help(
                    "`max`, `soft`, `grow` or `soft_grow` says how much is too much; or name a `baseline`: then any growth fails",
                ));
            }
            if limit.is_relative() && !has_baseline {
                let message = self.mistake(limit, "this limit needs a baseline");
                return Err(message.help("`baseline = \"FILE\"` in the file, or `--baseline FILE`; `cyclescope gate --save` makes one"));
            }
            if !rows.iter().chain(against.rows()).any(|row| limit.is_for(row)) {
                return Err(self.mistake(limit, "this limit matches no row of the results"));
            }
        }
        if rows.is_empty() && against.rows().is_empty() {
            let message = "there is no row in the results";
            return Err(Diagnostic::mistake(message).in_file(&self.source.path));
        }
        Ok(())
    }

    fn judged(&self, pair: Pair<'_>, against: Against<'_>) -> Judged {
        let (Pair::New(row) | Pair::Both(_, row) | Pair::OtherUnit(_, row) | Pair::Gone(row)) = pair;
        let mut limits: Vec<&Limit> = self.file.limit.iter().filter(|limit| limit.is_for(row)).collect();
        if limits.is_empty() {
            limits.push(&self.otherwise);
        }
        let exceeded = exceeded(&limits, pair, matches!(against, Against::Replaced(_)));
        let worst = exceeded.iter().max_by_key(|exceeded| exceeded.verdict);
        // The figure that does not keep its limit is shown, otherwise that of the last limit.
        let last = limits.last().map_or(Which::Max, |limit| limit.figure());
        let which = worst.map_or(last, |worst| worst.figure);
        let (value, baseline, blame) = match pair {
            Pair::New(now) | Pair::OtherUnit(_, now) => (Some(now), None, None),
            Pair::Both(before, now) => (Some(now), Some(before), why(before, now, which)),
            Pair::Gone(before) => (None, Some(before), None),
        };
        let is_unexplained = worst.is_some() && blame.is_none();
        let unknown = match pair {
            Pair::Both(before, now) if is_unexplained => unknown(before, now, which),
            _ => None,
        };
        Judged {
            row: row.clone(),
            value: value.map(|row| which.of(row)),
            baseline: baseline.map(|row| which.of(row)),
            verdict: worst.map_or(Verdict::Passed, |worst| worst.verdict),
            reasons: exceeded.into_iter().map(|exceeded| exceeded.why).collect(),
            blame,
            unknown,
        }
    }

    /// An error at the pattern of a limit.
    fn mistake(&self, limit: &Limit, title: &str) -> Diagnostic {
        let title = format!("{title}: `{}`", limit.rows.get_ref());
        Diagnostic::mistake(title).at(&self.source, limit.rows.span(), "")
    }
}

/// The rows of the results, each with that of the baseline, and then the rows that only the baseline has.
fn pairs<'a>(baseline: &'a [Row], rows: &'a [Row]) -> Vec<Pair<'a>> {
    let before: HashMap<_, &Row> = baseline.iter().map(|row| (row.key(), row)).collect();
    let there: HashSet<_> = rows.iter().map(Row::key).collect();
    let pair = |row: &'a Row| match before.get(&row.key()) {
        None => Pair::New(row),
        Some(before) if before.unit == row.unit => Pair::Both(before, row),
        Some(before) => Pair::OtherUnit(before, row),
    };
    let gone = baseline.iter().filter(|row| !there.contains(&row.key()));
    rows.iter().map(pair).chain(gone.map(Pair::Gone)).collect()
}

/// What a row does not keep of its limits; `is_accepted` says that the baseline will be replaced.
fn exceeded(limits: &[&Limit], pair: Pair<'_>, is_accepted: bool) -> Vec<Exceeded> {
    let all = |now: &Row, before: Option<&Row>| {
        limits
            .iter()
            .flat_map(|limit| limit.exceeded(now, before))
            .collect()
    };
    let failed = |why: String| {
        vec![Exceeded {
            verdict: Verdict::Failed,
            figure: Which::Max,
            why,
        }]
    };
    match (pair, is_accepted) {
        (Pair::New(now), _) | (Pair::Both(_, now) | Pair::OtherUnit(_, now), true) => all(now, None),
        (Pair::Gone(_), true) => Vec::new(),
        (Pair::Both(before, now), false) => all(now, Some(before)),
        (Pair::OtherUnit(before, now), false) => failed(format!(
            "its unit is {}, and {} in the baseline",
            now.unit, before.unit
        )),
        (Pair::Gone(_), false) => failed("it is in the baseline, and no longer in the results".to_owned()),
    }
}

/// Why a row's figure changed, by its worst samples, or by the best ones if that is what explains a mean.
fn why(before: &Row, row: &Row, which: Which) -> Option<Blame> {
    let is_best = which != Which::Max && row.min > before.min;
    let sample = if is_best { Sample::Best } else { Sample::Worst };
    blamed(before, row, sample, &classes(&row.core)).filter(|blame| blame.by != 0)
}

/// Why no line is known that took the cycles of a row which grew.
fn unknown(before: &Row, row: &Row, which: Which) -> Option<String> {
    if which.of(row) <= which.of(before) || row.unit != Unit::Cycles {
        return None;
    }
    let missing = [
        (before, "the baseline was saved"),
        (row, "the results were measured"),
    ];
    let missing = missing.iter().find(|(row, _)| row.obtained.worst.is_none());
    Some(match missing {
        Some((_, what)) => format!("no line is known: {what} without timelines, which `gate SPEC` records"),
        None => "no line is known: the least and the greatest sample are as before".to_owned(),
    })
}
