//! Results held against limits and a baseline, in the forms that CI reads.

mod ci;
mod page;

use crate::blame::{Blame, Item};
use crate::difference::reasons;
use crate::figure::short;
use crate::results::Row;

/// What became of a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// No limit says anything against it.
    Passed,
    /// A soft limit does.
    Warned,
    /// A hard limit does.
    Failed,
}

impl Verdict {
    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Passed => "ok",
            Verdict::Warned => "warning",
            Verdict::Failed => "failed",
        }
    }
}

/// A row that was held against its limits.
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// The row, or the baseline's, where the results have none any more.
    pub row: Row,
    /// The figure that counts; `None` if the results have it no more.
    pub value: Option<f64>,
    /// What the baseline has.
    pub baseline: Option<f64>,
    /// The gravest that a limit says.
    pub verdict: Verdict,
    /// What each limit says that is not kept.
    pub reasons: Vec<String>,
    /// Why it takes other cycles than in the baseline, where both have timelines. Files are as the working directory has them.
    pub blame: Option<Blame>,
}

/// All rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Judgement {
    /// The file with the limits.
    pub limits: String,
    /// In the order of the results; behind them what is only in the baseline.
    pub rows: Vec<Judged>,
    /// What else is different from the baseline than the program: see [`changed`](crate::origin::changed).
    pub changed: Vec<String>,
}

impl Judged {
    /// How much dearer it is than in the baseline.
    pub fn growth(&self) -> Option<f64> {
        Some(self.value? - self.baseline?)
    }

    /// Which row it is.
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

    /// What the cycles are more for, or fewer, a line for each.
    fn because(&self) -> Vec<String> {
        reasons(self.blame.as_ref())
    }

    /// The reasons for more cycles that have a line, the gravest first.
    fn lines(&self) -> impl Iterator<Item = (&Item, &str, u32)> {
        let items = self.blame.iter().flat_map(|blame| &blame.items);
        items.filter(|item| item.cycles > 0).filter_map(|item| {
            let (file, line) = item.place.as_ref()?;
            Some((item, file.as_str(), *line))
        })
    }

    fn is_of_note(&self) -> bool {
        self.verdict > Verdict::Passed || self.growth().is_some_and(|growth| growth != 0.0)
    }
}

impl Judgement {
    /// The gravest verdict.
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
