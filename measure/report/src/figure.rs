//! A published figure: most are integers, some are means.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A number that remembers that it is an integer, so that 11 is never shown or written as 11.0.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Figure {
    /// A whole number.
    Whole(i64),
    /// A number with a fraction.
    Real(f64),
}

impl Figure {
    /// The figure as a float.
    #[allow(clippy::cast_precision_loss)] // Figures are far below 2^53.
    pub fn value(self) -> f64 {
        match self {
            Figure::Whole(whole) => whole as f64,
            Figure::Real(real) => real,
        }
    }
}

impl Figure {
    /// The resolution at which it was published: the value of its last digit.
    pub(crate) fn precision(self) -> f64 {
        let Figure::Real(real) = self else { return 1.0 };
        let text = real.to_string();
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        0.1_f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX))
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::Whole(whole) => write!(f, "{whole}"),
            Figure::Real(real) => f.write_str(&short(*real)),
        }
    }
}

/// Formats a value with at most two decimals and no trailing zeros: `11`, `12.5`, `0.33`.
pub(crate) fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    // A value that rounds to zero has no sign.
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_only_where_they_say_something() {
        let shown = [11.0, 12.5, 1.0 / 3.0, 100.0, -0.001, -2.0, 0.0].map(short);
        assert_eq!(shown, ["11", "12.5", "0.33", "100", "0", "-2", "0"]);
    }
}
