//! Limits from a file, and checking results against them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use report::Row;
use report::blame::Blame;
use report::difference::blamed;
use report::gate::{Judged, Judgement, Verdict};
use report::origin::changed;
use serde::Deserialize;
use serde::de::{self, Deserializer};
use toml::Spanned;

use crate::classes;
use crate::diagnostic::{Diagnostic, Result, Source};

/// The limits of a file.
#[derive(Clone, Debug)]
pub struct Limits {
    source: Arc<Source>,
    file: File,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    baseline: Option<String>,
    #[serde(default)]
    limit: Vec<Limit>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    rows: Spanned<String>,
    board: Option<String>,
    kernel: Option<String>,
    #[serde(default)]
    figure: Which,
    #[serde(default, deserialize_with = "finite")]
    max: Option<f64>,
    #[serde(default, deserialize_with = "finite")]
    soft: Option<f64>,
    grow: Option<Growth>,
    soft_grow: Option<Growth>,
    /// A lower limit, for figures that should not fall, such as counts per time.
    #[serde(default, deserialize_with = "finite")]
    min: Option<f64>,
    fall: Option<Growth>,
}

/// Rejects infinite and NaN limits, which nothing would exceed.
fn finite<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<f64>, D::Error> {
    let number = f64::deserialize(from)?;
    if number.is_finite() {
        Ok(Some(number))
    } else {
        Err(de::Error::custom("a limit is a number that a figure can exceed"))
    }
}

/// The figure of a row that a limit checks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Which {
    Min,
    Mean,
    #[default]
    Max,
}

/// The allowed increase over the baseline.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Growth {
    By(f64),
    Percent(f64),
}

impl<'de> Deserialize<'de> for Growth {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Growth, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Text(String),
        }
        let percent = |text: &str| {
            text.strip_suffix('%')?
                .trim()
                .parse::<f64>()
                .ok()
                .map(Growth::Percent)
        };
        let growth = match Written::deserialize(from) {
            Ok(Written::Number(number)) => Some(Growth::By(number)),
            Ok(Written::Text(text)) => percent(&text),
            Err(_) => None,
        };
        let sound = growth.filter(|growth| match growth {
            Growth::By(number) | Growth::Percent(number) => number.is_finite() && *number >= 0.0,
        });
        sound.ok_or_else(|| {
            de::Error::custom("a growth is a number, as 3, or a share of the baseline, as \"2 %\"")
        })
    }
}

impl Growth {
    fn limit(self, baseline: f64) -> f64 {
        match self {
            Growth::By(number) => baseline + number,
            // This order makes a percentage that is a whole number of cycles exact.
            Growth::Percent(percent) => baseline + baseline.abs() * percent / 100.0,
        }
    }

    fn least(self, baseline: f64) -> f64 {
        match self {
            Growth::By(number) => baseline - number,
            Growth::Percent(percent) => baseline - baseline.abs() * percent / 100.0,
        }
    }

    /// The allowed increase over `what`, in words.
    fn allowed(self, what: &str) -> String {
        match self {
            Growth::By(0.0) | Growth::Percent(0.0) => format!("no {what} is allowed"),
            Growth::By(number) => format!("at most {number} is allowed"),
            Growth::Percent(percent) => format!("at most {percent} % is allowed"),
        }
    }
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
            Ok(file) => Ok(Limits { source, file }),
            Err(error) => {
                let range = error.span().unwrap_or(0..0);
                let message =
                    Diagnostic::mistake(error.message().lines().next().unwrap_or("not a file of limits"));
                Err(message.at(&source, range, ""))
            }
        }
    }

    /// The baseline that the file names, relative to the file.
    pub fn baseline(&self) -> Option<&str> {
        self.file.baseline.as_deref()
    }

    /// Checks results against the limits and the baseline.
    ///
    /// # Errors
    ///
    /// If there are no limits, or one limits nothing, matches no row, or needs a missing baseline.
    pub fn judge(&self, rows: &[Row], baseline: Option<&[Row]>) -> Result<Judgement> {
        let before: HashMap<_, &Row> = baseline
            .unwrap_or_default()
            .iter()
            .map(|row| (key(row), row))
            .collect();
        if self.file.limit.is_empty() {
            let message = Diagnostic::mistake("there is no limit in it").at(&self.source, 0..0, "");
            return Err(message.help(
                "`[[limit]]`, `rows = \"*\"` and `grow = 0` let no row become dearer than the baseline",
            ));
        }
        for limit in &self.file.limit {
            if limit.limits_nothing(baseline.is_some()) {
                let message = self.mistake(&limit.rows, "this limits nothing");
                return Err(message.help(
                    "`max`, `soft`, `grow` or `soft_grow` says how much is too much; or name a `baseline`: then any growth fails",
                ));
            }
            let relative = limit.grow.or(limit.soft_grow).or(limit.fall).is_some();
            if relative && baseline.is_none() {
                let message = self.mistake(&limit.rows, "this limit needs a baseline");
                return Err(message.help("`baseline = \"FILE\"` in the file, or `--baseline FILE`; `cyclescope baseline` makes one"));
            }
            if !rows
                .iter()
                .chain(before.values().copied())
                .any(|row| limit.is_for(row))
            {
                return Err(self.mistake(&limit.rows, "this limit matches no row of the results"));
            }
        }
        let mut judged: Vec<Judged> = rows
            .iter()
            .map(|row| self.one(row, before.get(&key(row)).copied(), true))
            .collect();
        let there: Vec<_> = rows.iter().map(key).collect();
        let gone = baseline
            .unwrap_or_default()
            .iter()
            .filter(|row| !there.contains(&key(row)));
        judged.extend(gone.map(|row| self.one(row, Some(row), false)));
        Ok(Judgement {
            limits: self.source.path.clone(),
            rows: judged,
            changed: changed(baseline.unwrap_or_default(), rows, crate::TOOL),
        })
    }

    fn one(&self, row: &Row, before: Option<&Row>, is_there: bool) -> Judged {
        let limits = self.file.limit.iter().filter(|limit| limit.is_for(row));
        // The last limit for a row decides which figure is shown.
        let which = limits
            .clone()
            .next_back()
            .map_or(Which::Max, |limit| limit.figure);
        let mut judged = Judged {
            row: row.clone(),
            value: is_there.then(|| which.of(row)),
            baseline: before.map(|row| which.of(row)),
            verdict: Verdict::Passed,
            reasons: Vec::new(),
            blame: before.filter(|_| is_there).and_then(|before| why(before, row)),
        };
        let counted_otherwise = counted_otherwise(before, row);
        if limits.clone().next().is_some() && (!is_there || counted_otherwise.is_some()) {
            let gone = || "it is in the baseline, and no longer in the results".to_owned();
            judged.verdict = Verdict::Failed;
            judged.reasons = vec![counted_otherwise.clone().unwrap_or_else(gone)];
        } else {
            limits.for_each(|limit| limit.hold(row, before, &mut judged));
        }
        // Figures in different units do not compare.
        judged.baseline = judged.baseline.filter(|_| counted_otherwise.is_none());
        judged
    }

    /// An error at the pattern of a limit.
    fn mistake(&self, rows: &Spanned<String>, title: &str) -> Diagnostic {
        let title = format!("{title}: `{}`", rows.get_ref());
        Diagnostic::mistake(title).at(&self.source, rows.span(), "")
    }
}

impl Which {
    #[allow(clippy::cast_precision_loss)] // Cycles of a measurement are far below 2^53.
    fn of(self, row: &Row) -> f64 {
        match self {
            Which::Min => row.min as f64,
            Which::Mean => row.mean,
            Which::Max => row.max as f64,
        }
    }
}

impl Limit {
    fn limits_nothing(&self, has_baseline: bool) -> bool {
        let says = self.max.or(self.soft).or(self.min).is_some() || self.soft_grow.or(self.fall).is_some();
        !says && self.grow.or(self.growth().filter(|_| has_baseline)).is_none()
    }

    /// The allowed increase over the baseline: none, unless the file allows some. A limit with only a lower bound is for rows of which
    /// more is better.
    fn growth(&self) -> Option<Growth> {
        let is_from_below = self.min.is_some() || self.fall.is_some();
        let is_from_above = self.max.or(self.soft).is_some();
        let is_silent = self.soft_grow.is_none() && (is_from_above || !is_from_below);
        self.grow.or(is_silent.then_some(Growth::By(0.0)))
    }

    fn is_for(&self, row: &Row) -> bool {
        let fits = |pattern: &Option<String>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| matches(pattern, text))
        };
        matches(self.rows.get_ref(), &row.id)
            && fits(&self.board, &row.board)
            && fits(&self.kernel, &row.kernel)
    }

    fn hold(&self, row: &Row, before: Option<&Row>, judged: &mut Judged) {
        let value = self.figure.of(row);
        let mut say = |verdict: Verdict, limit: f64, why: String| {
            if value > limit {
                judged.verdict = judged.verdict.max(verdict);
                judged.reasons.push(format!("{value} is {why}"));
            }
        };
        let base = before.map(|row| self.figure.of(row));
        let relative = |growth: Option<Growth>| {
            growth
                .zip(base)
                .map(|(growth, base)| (growth.limit(base), growth, base))
        };
        match (self.max, self.soft) {
            (Some(max), _) if value > max => say(Verdict::Failed, max, format!("above the limit of {max}")),
            (_, Some(soft)) => say(Verdict::Warned, soft, format!("above the soft limit of {soft}")),
            _ => {}
        }
        let over = |growth: Option<(f64, Growth, f64)>| growth.filter(|(limit, ..)| value > *limit);
        let hard = over(relative(self.growth()));
        let soft = over(relative(self.soft_grow)).filter(|_| hard.is_none());
        for (verdict, (limit, growth, base)) in hard
            .map(|it| (Verdict::Failed, it))
            .into_iter()
            .chain(soft.map(|it| (Verdict::Warned, it)))
        {
            let soft = if verdict == Verdict::Warned {
                " (soft limit)"
            } else {
                ""
            };
            let (by, allowed) = (distance(value, base), growth.allowed("growth"));
            let why = format!("{by} above the baseline of {base}; {allowed}{soft}");
            say(verdict, limit, why);
        }
        self.hold_from_below(value, base, judged);
    }

    fn hold_from_below(&self, value: f64, base: Option<f64>, judged: &mut Judged) {
        let least = self.min.map(|min| (min, format!("below the limit of {min}")));
        let fallen = self.fall.zip(base).map(|(fall, base)| {
            let (by, allowed) = (distance(value, base), fall.allowed("decrease"));
            let why = format!("{by} below the baseline of {base}; {allowed}");
            (fall.least(base), why)
        });
        for (limit, why) in least.into_iter().chain(fallen) {
            if value < limit {
                judged.verdict = Verdict::Failed;
                judged.reasons.push(format!("{value} is {why}"));
            }
        }
    }
}

/// The distance between two figures, rounded to remove digits added by subtracting means.
fn distance(one: f64, other: f64) -> f64 {
    let distance = (one - other).abs();
    let rounded = (distance * 1e6).round() / 1e6;
    if rounded > 0.0 { rounded } else { distance }
}

/// Why a row's cycles changed, with files relative to the working directory.
fn why(before: &Row, row: &Row) -> Option<Blame> {
    let mut blame = blamed(before, row, &classes(&row.core)).filter(|blame| blame.cycles != 0)?;
    let here = std::env::current_dir().ok();
    for item in &mut blame.items {
        if let (Some(here), Some((file, _))) = (&here, &mut item.place)
            && let Ok(below) = Path::new(file.as_str()).strip_prefix(here)
        {
            *file = below.display().to_string();
        }
    }
    Some(blame)
}

/// A message if a row's unit differs from its baseline's, so that no limit can compare them.
fn counted_otherwise(before: Option<&Row>, row: &Row) -> Option<String> {
    let was = before
        .map(|before| before.unit)
        .filter(|unit| *unit != row.unit)?;
    Some(format!("its unit is {}, and {was} in the baseline", row.unit))
}

/// The key that identifies a row across runs.
fn key(row: &Row) -> (&str, &str, &str) {
    (&row.id, &row.board, &row.kernel)
}

/// Whether a text matches a pattern in which `*` stands for anything.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text, is) in [
            ("rtfm/nop", "rtfm/nop", true),
            ("rtfm/nop", "rtfm/nops", false),
            ("rtfm/*", "rtfm/nop", true),
            ("*", "", true),
            ("*/nop", "rtfm/nop", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("**", "x", true),
        ] {
            assert_eq!(matches(pattern, text), is, "{pattern} {text}");
        }
    }

    #[test]
    fn a_growth_is_a_number_or_a_share() {
        assert!((Growth::By(3.0).limit(10.0) - 13.0).abs() < 1e-9);
        assert!((Growth::Percent(50.0).limit(10.0) - 15.0).abs() < 1e-9);
    }

    /// A difference row may be negative.
    #[test]
    fn a_share_of_a_negative_baseline_is_a_growth() {
        let growth = Growth::Percent(10.0);
        assert_eq!((growth.limit(-100.0), growth.least(-100.0)), (-90.0, -110.0));
    }

    /// As a float, a factor such as 1.15 is slightly less than its decimal value.
    #[test]
    fn a_share_that_is_a_whole_number_is_kept_by_that_number() {
        for base in 1..500_u32 {
            for percent in 1..100_u32 {
                if base * percent % 100 == 0 {
                    let (base, share) = (f64::from(base), f64::from(base * percent / 100));
                    let growth = Growth::Percent(f64::from(percent));
                    assert!(base + share <= growth.limit(base), "{base} {percent}");
                    assert!(base - share >= growth.least(base), "{base} {percent}");
                }
            }
        }
    }
}
