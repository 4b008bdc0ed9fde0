//! One limit, and the figures that exceed it.

use report::Row;
use report::gate::Verdict;
use serde::Deserialize;
use serde::de::{self, Deserializer};
use toml::Spanned;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limit {
    pub(super) rows: Spanned<String>,
    board: Option<String>,
    kernel: Option<String>,
    figure: Option<Which>,
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
pub(super) enum Which {
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

impl Which {
    /// This figure of a row.
    #[allow(clippy::cast_precision_loss)] // Cycles of a measurement are far below 2^53.
    pub(super) fn of(self, row: &Row) -> f64 {
        match self {
            Which::Min => row.min as f64,
            Which::Mean => row.mean,
            Which::Max => row.max as f64,
        }
    }
}

/// A limit that a row does not keep.
pub(super) struct Exceeded {
    pub(super) verdict: Verdict,
    /// The figure that does not keep it.
    pub(super) figure: Which,
    /// The limit and the figure in words.
    pub(super) why: String,
}

impl Limit {
    /// The limit of all rows to their baseline.
    pub(super) fn no_growth() -> Limit {
        Limit {
            rows: Spanned::new(0..0, "*".to_owned()),
            board: None,
            kernel: None,
            figure: None,
            max: None,
            soft: None,
            grow: Some(Growth::By(0.0)),
            soft_grow: None,
            min: None,
            fall: None,
        }
    }

    /// The figure of a row that it checks.
    pub(super) fn figure(&self) -> Which {
        self.figure.unwrap_or_default()
    }

    /// Whether it names a figure, so that it needs no baseline.
    pub(super) fn is_absolute(&self) -> bool {
        self.max.or(self.soft).or(self.min).is_some()
    }

    /// Whether it names a difference from the baseline.
    pub(super) fn is_relative(&self) -> bool {
        self.grow.or(self.soft_grow).or(self.fall).is_some()
    }

    /// The allowed increase over the baseline: none, unless the file allows some. A limit with only a lower bound is for rows of which
    /// more is better.
    fn growth(&self) -> Option<Growth> {
        let is_from_below = self.min.is_some() || self.fall.is_some();
        let is_from_above = self.max.or(self.soft).is_some();
        let is_silent = self.soft_grow.is_none() && (is_from_above || !is_from_below);
        self.grow.or(is_silent.then_some(Growth::By(0.0)))
    }

    /// Whether it applies to a row.
    pub(super) fn is_for(&self, row: &Row) -> bool {
        let fits = |pattern: &Option<String>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| matches(pattern, text))
        };
        matches(self.rows.get_ref(), &row.id)
            && fits(&self.board, &row.board)
            && fits(&self.kernel, &row.kernel)
    }

    /// What a row exceeds. Without a baseline, only figures count. Growth without a figure is that of the maximum, or else that of the mean:
    /// a run has no noise, so a typical call that costs more is a regression although a cold one still costs the most.
    pub(super) fn exceeded(&self, row: &Row, before: Option<&Row>) -> Vec<Exceeded> {
        let of = |figure: Which| (figure, figure.of(row), before.map(|before| figure.of(before)));
        let (figure, value, base) = of(self.figure());
        let failed = |why: String| Exceeded {
            verdict: Verdict::Failed,
            figure,
            why,
        };
        let mut all: Vec<Exceeded> = Vec::new();
        match (self.max, self.soft) {
            (Some(max), _) if value > max => all.push(failed(format!("{value} is above the limit of {max}"))),
            (_, Some(soft)) if value > soft => all.push(Exceeded {
                verdict: Verdict::Warned,
                ..failed(format!("{value} is above the soft limit of {soft}"))
            }),
            _ => {}
        }
        let figures = match self.figure {
            Some(figure) => vec![figure],
            None => vec![Which::Max, Which::Mean],
        };
        for (growth, verdict) in [
            (self.growth(), Verdict::Failed),
            (self.soft_grow, Verdict::Warned),
        ] {
            let grown = figures.iter().find_map(|figure| grown(growth?, of(*figure)));
            if let Some((figure, why)) = grown {
                let soft = if verdict == Verdict::Warned {
                    " (soft limit)"
                } else {
                    ""
                };
                let why = format!("{why}{soft}");
                all.push(Exceeded { verdict, figure, why });
                break;
            }
        }
        all.extend(self.below(value, base).map(failed));
        all
    }

    /// What a figure falls below.
    fn below(&self, value: f64, base: Option<f64>) -> impl Iterator<Item = String> {
        let least = self.min.filter(|min| value < *min);
        let least = least.map(|min| format!("{value} is below the limit of {min}"));
        let fallen = self
            .fall
            .zip(base)
            .filter(|(fall, base)| value < fall.least(*base));
        let fallen = fallen.map(|(fall, base)| {
            let (by, allowed) = (distance(value, base), fall.allowed("decrease"));
            format!("{value} is {by} below the baseline of {base}; {allowed}")
        });
        least.into_iter().chain(fallen)
    }
}

/// The growth of a figure beyond what is allowed, in words. Means are rounded.
fn grown(growth: Growth, (figure, value, base): (Which, f64, Option<f64>)) -> Option<(Which, String)> {
    let base = base.filter(|base| value > growth.limit(*base))?;
    let (by, allowed) = (distance(value, base), growth.allowed("growth"));
    let why = match figure {
        Which::Mean => {
            let [value, base] = [value, base].map(|mean| (mean * 100.0).round() / 100.0);
            format!("the mean of {value} is {by} above the baseline of {base}; {allowed}")
        }
        Which::Min | Which::Max => format!("{value} is {by} above the baseline of {base}; {allowed}"),
    };
    Some((figure, why))
}

/// The distance between two figures, rounded to remove digits added by subtracting means.
fn distance(one: f64, other: f64) -> f64 {
    let distance = (one - other).abs();
    let rounded = (distance * 1e6).round() / 1e6;
    if rounded > 0.0 { rounded } else { distance }
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
