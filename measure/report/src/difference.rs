//! Compares two results files and explains the changes.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::blame::{Blame, Classes, Item, blame, blame_stack, sign_of};
use crate::figure::short;
use crate::markdown::{MOST_PAGE, cell_of};
pub use crate::obtained::Sample;
use crate::results::{Row, Unit};

/// Most reasons that a text shows per row.
const MOST_REASONS: usize = 12;

/// A row that changed, is new, or is gone.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The old row; `None` if it is new.
    pub old: Option<Row>,
    /// The new row; `None` if it is gone.
    pub new: Option<Row>,
    /// Why its worst sample costs a different number of cycles, if both rows have a timeline.
    pub blame: Option<Blame>,
}

/// All changed rows of two results files.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Differences {
    /// In the order of the new results, followed by the rows that are gone.
    pub changes: Vec<Change>,
    /// Number of unchanged rows.
    pub same: usize,
}

/// Why a sample of a row costs different cycles or bytes of stack than in another build; `None` unless both say where they went.
pub fn blamed(old: &Row, new: &Row, sample: Sample, classes: &Classes) -> Option<Blame> {
    match (old.unit, new.unit) {
        (Unit::Cycles, Unit::Cycles) => {
            let (was, is) = (old.obtained.sample(sample)?, new.obtained.sample(sample)?);
            Some(blame(was, is, classes))
        }
        (Unit::Bytes, Unit::Bytes) if sample == Sample::Worst => {
            let (was, is) = (&old.obtained.deepest, &new.obtained.deepest);
            (!was.is_empty() && !is.is_empty()).then(|| blame_stack(was, is))
        }
        _ => None,
    }
}

impl Differences {
    /// Compares row by row. `classes` gives the rule classes of a core.
    pub fn between(old: &[Row], new: &[Row], classes: &dyn Fn(&str) -> Classes) -> Differences {
        let mut all = Differences::default();
        let [known, there] = [old, new].map(|rows| {
            // The first of several rows wins: specs may measure a row twice, but a results file holds it once.
            let rows = rows.iter().rev().map(|row| (row.key(), row));
            rows.collect::<HashMap<_, _>>()
        });
        for row in new {
            match known.get(&row.key()).copied() {
                Some(other) if figures(other) == figures(row) => all.same += 1,
                other => all.changes.push(Change {
                    old: other.cloned(),
                    new: Some(row.clone()),
                    blame: other
                        .and_then(|other| blamed(other, row, sample(other, row), &classes(&row.core))),
                }),
            }
        }
        let gone = old.iter().filter(|row| !there.contains_key(&row.key()));
        all.changes.extend(gone.map(|row| Change {
            old: Some(row.clone()),
            new: None,
            blame: None,
        }));
        all
    }

    /// A line for each changed row, its reasons below it, and a summary.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for change in &self.changes {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(text, "{}: {}", change.title(), change.words());
            for reason in change.reasons() {
                let _ = writeln!(text, "    {reason}");
            }
        }
        let _ = writeln!(text, "{}", self.summary());
        text
    }

    /// `2 dearer, 1 cheaper, 1 new, 0 gone, 14 the same`
    pub fn summary(&self) -> String {
        let count = |is: &dyn Fn(&Change) -> bool| self.changes.iter().filter(|change| is(change)).count();
        let sign = |change: &Change| change.by().map_or(0.0, f64::signum);
        format!(
            "{} dearer, {} cheaper, {} new, {} gone, {} the same",
            count(&|change| sign(change) > 0.0),
            count(&|change| sign(change) < 0.0),
            count(&|change| change.old.is_none()),
            count(&|change| change.new.is_none()),
            self.same
        )
    }

    /// A Markdown page for a pull request.
    pub fn to_markdown(&self) -> String {
        let mut text = format!("### Cycles: {}\n", self.summary());
        if self.changes.is_empty() {
            return text;
        }
        text.push_str("\n| measurement | was → is | why |\n|---|---|---|\n");
        for (index, change) in self.changes.iter().enumerate() {
            if text.len() > MOST_PAGE {
                let _ = writeln!(text, "\n… and {} more.", self.changes.len() - index);
                break;
            }
            let why: Vec<String> = change.reasons().iter().map(|reason| cell_of(reason)).collect();
            let cells = [
                cell_of(&change.title()),
                cell_of(&change.words()),
                why.join("<br>"),
            ];
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        text
    }

    /// `cyclescope-diff/1`: an object with `same` and the list `changes`.
    pub fn to_json(&self, tool: &str) -> String {
        let changes: Vec<Value> = self.changes.iter().map(Change::to_value).collect();
        let all =
            json!({ "format": "cyclescope-diff/1", "tool": tool, "same": self.same, "changes": changes });
        format!("{all:#}\n")
    }
}

impl Change {
    fn row(&self) -> &Row {
        let row = self.new.as_ref().or(self.old.as_ref());
        row.expect("one of them is there")
    }

    fn title(&self) -> String {
        self.row().title()
    }

    /// How much more it costs: by the worst sample, or by the mean if the worst is equal. `None` if the units differ.
    #[allow(clippy::cast_precision_loss)] // Cycles of a measurement are far below 2^53.
    fn by(&self) -> Option<f64> {
        let (old, new) = self.old.as_ref().zip(self.new.as_ref())?;
        if old.unit != new.unit {
            return None;
        }
        Some(if old.max == new.max {
            new.mean - old.mean
        } else {
            (new.max - old.max) as f64
        })
    }

    /// `25 → 42 (+17, +68 %) cycles`
    #[allow(clippy::cast_precision_loss)] // As above.
    fn words(&self) -> String {
        let unit = self.row().unit;
        match (&self.old, &self.new) {
            (Some(old), Some(new)) if old.unit != new.unit => {
                format!("{} {} → {} {unit}, another unit", old.max, old.unit, new.max)
            }
            (Some(old), Some(new)) => {
                let ((was, is), which) = if old.max != new.max {
                    ((old.max as f64, new.max as f64), "")
                } else if short(old.mean) != short(new.mean) {
                    ((old.mean, new.mean), " on average")
                } else {
                    ((old.min as f64, new.min as f64), " at least")
                };
                let by = is - was;
                let share = if was == 0.0 {
                    String::new()
                } else {
                    format!(", {} %", sign_of(100.0 * by / was))
                };
                format!(
                    "{} → {} ({}{share}) {unit}{which}",
                    short(was),
                    short(is),
                    sign_of(by)
                )
            }
            (None, Some(new)) => format!("new, {} {unit}", new.max),
            (Some(old), None) => format!("gone, was {} {unit}", old.max),
            (None, None) => String::new(),
        }
    }

    fn reasons(&self) -> Vec<String> {
        reasons(self.blame.as_ref())
    }

    fn to_value(&self) -> Value {
        let figures = |row: &Option<Row>| {
            row.as_ref().map(|row| {
                let program = row
                    .obtained
                    .program
                    .as_ref()
                    .map(|program| program.sha256.clone());
                json!({ "min": row.min, "mean": row.mean, "max": row.max, "sha256": program })
            })
        };
        let row = self.row();
        // `cycles`, or `bytes` of stack.
        let unit = row.unit.to_string();
        let item = |item: &Item| {
            json!({
                unit.clone(): item.by, "what": item.what, "function": item.function,
                "file": item.place.as_ref().map(|(file, _)| file), "line": item.place.as_ref().map(|(_, line)| line),
                "rules": item.rules.iter().map(|(rule, cycles)| json!({ "rule": rule, "cycles": cycles })).collect::<Vec<_>>(),
            })
        };
        let blame = self.blame.as_ref();
        json!({
            "id": row.id, "board": row.board, "kernel": row.kernel, "unit": row.unit,
            "old": figures(&self.old), "new": figures(&self.new),
            unit.clone(): blame.map(|blame| blame.by),
            "why": blame.map(|blame| blame.items.iter().map(item).collect::<Vec<_>>()),
        })
    }
}

/// The lines of text for a blame, at most [`MOST_REASONS`] of them.
pub(crate) fn reasons(blame: Option<&Blame>) -> Vec<String> {
    let items = blame.map_or(&[][..], |blame| &blame.items);
    let mut all: Vec<String> = items.iter().take(MOST_REASONS).map(Item::text).collect();
    if let Some(rest) = items.get(MOST_REASONS..).filter(|rest| !rest.is_empty()) {
        let cycles: i64 = rest.iter().map(|item| item.by).sum();
        all.push(format!("{cycles:+}: {} smaller reasons", rest.len()));
    }
    all
}

/// The sample that explains what [`Change::words`] shows: the worst, unless only less dear ones changed.
pub(crate) fn sample(old: &Row, new: &Row) -> Sample {
    if old.max == new.max && old.min != new.min {
        Sample::Best
    } else {
        Sample::Worst
    }
}

/// The figures by which a row counts as changed.
fn figures(row: &Row) -> (Unit, i64, u64, i64, u64, i64, i64, i64) {
    (
        row.unit,
        row.min,
        row.mean.to_bits(),
        row.max,
        row.count,
        row.own,
        row.preempted,
        row.blocked,
    )
}
