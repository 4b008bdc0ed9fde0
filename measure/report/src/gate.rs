//! Checks results against limits and a baseline, and reports in the formats that CI reads.

mod ci;
mod page;

use crate::blame::{Blame, Item};
use crate::difference::reasons;
use crate::figure::short;
use crate::results::Row;

/// The outcome for one row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// Within every limit.
    Passed,
    /// A soft limit is exceeded.
    Warned,
    /// A hard limit is exceeded.
    Failed,
}

impl Verdict {
    /// The verdict's name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Passed => "ok",
            Verdict::Warned => "warning",
            Verdict::Failed => "failed",
        }
    }
}

/// A row checked against its limits.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// The row, or the baseline's if the results no longer have it.
    pub row: Row,
    /// The figure that the limits check; `None` if the results no longer have it.
    pub value: Option<f64>,
    /// The baseline's figure.
    pub baseline: Option<f64>,
    /// The worst verdict of any limit.
    pub verdict: Verdict,
    /// A message for each limit that is exceeded.
    pub reasons: Vec<String>,
    /// Why it costs different cycles or bytes of stack than in the baseline, if both say where they went. File names are relative to the
    /// project's folder.
    pub blame: Option<Blame>,
    /// Why no line is known that made it grow, if none is.
    pub unknown: Option<String>,
}

/// The verdicts of all rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Judgement {
    /// The file with the limits.
    pub limits: String,
    /// In the order of the results, followed by the rows that only the baseline has.
    pub rows: Vec<Judged>,
    /// Differences from the baseline other than the program: see [`changed`](crate::origin::changed).
    pub changed: Vec<String>,
}

impl Judged {
    /// How much more it costs than in the baseline.
    pub fn growth(&self) -> Option<f64> {
        Some(self.value? - self.baseline?)
    }

    /// The row's title.
    pub fn name(&self) -> String {
        self.row.title()
    }

    /// `12 → 15 (+3, 25 %)`
    fn change(&self) -> String {
        let show = |value: Option<f64>| value.map_or("–".to_owned(), short);
        let (was, is) = (show(self.baseline), show(self.value));
        match (self.growth(), self.baseline) {
            (Some(0.0), _) | (None, None) => is,
            (Some(growth), Some(base)) if base != 0.0 => {
                let sign = if growth > 0.0 { "+" } else { "" };
                let share = short(100.0 * growth / base);
                format!("{was} → {is} ({sign}{}, {sign}{share} %)", short(growth))
            }
            _ => format!("{was} → {is}"),
        }
    }

    /// The reasons for the change in cycles, one per line.
    fn because(&self) -> Vec<String> {
        let mut all = reasons(self.blame.as_ref());
        all.extend(self.unknown.clone());
        all
    }

    /// The reasons for growth whose source line is known: causes before effects, and the largest first.
    fn lines(&self) -> impl Iterator<Item = (&Item, &str, u32)> {
        let items = self.blame.iter().flat_map(|blame| &blame.items);
        items.filter(|item| item.by > 0).filter_map(|item| {
            let (file, line) = item.place.as_ref()?;
            Some((item, file.as_str(), *line))
        })
    }

    fn is_of_note(&self) -> bool {
        self.verdict > Verdict::Passed || self.growth().is_some_and(|growth| growth != 0.0)
    }
}

impl Judgement {
    /// The worst verdict of any row.
    pub fn verdict(&self) -> Verdict {
        self.rows
            .iter()
            .map(|row| row.verdict)
            .max()
            .unwrap_or(Verdict::Passed)
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }

    /// `3 failed, 1 warning, 40 ok; 2 dearer, 5 cheaper`
    pub fn summary(&self) -> String {
        let changed = |dearer: bool| {
            let growths = self.rows.iter().filter_map(Judged::growth);
            growths
                .filter(|growth| if dearer { *growth > 0.0 } else { *growth < 0.0 })
                .count()
        };
        format!(
            "{} failed, {} warned, {} ok; {} dearer, {} cheaper",
            self.count(Verdict::Failed),
            self.count(Verdict::Warned),
            self.count(Verdict::Passed),
            changed(true),
            changed(false)
        )
    }

    fn of_note(&self) -> impl Iterator<Item = &Judged> {
        self.rows.iter().filter(|row| row.is_of_note())
    }
}
