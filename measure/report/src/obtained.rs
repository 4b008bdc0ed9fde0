//! How a figure was obtained: what was run, what was measured of it, and what it relied on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::timeline::Timeline;

/// What stands behind a row, as far as it is known.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Obtained {
    /// The program that measured it, with its version; empty for the one that writes the file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// The timing rules that it relied on, each with a fingerprint of what the rule says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, String>,
    /// What was measured: `from bkpt:1 to bkpt:2`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub how: String,
    /// The greatest value that the spec accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// The rules with the weakest mark among those that the figure relied on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weakest: Vec<String>,
    /// What it relied on without being known to: rules that were measured on another revision of the core only, a core that the program was
    /// not built for, a clock for which the chip is not rated. In words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beyond: Vec<String>,
    /// How often each value came, where not all are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
    /// Phases of an interrupt that gave no sample; `runs` of the program counts them too.
    #[serde(default, skip_serializing_if = "is_none")]
    pub missed: u64,
    /// What was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Box<Program>>,
    /// Where the cycles of the greatest sample went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<Box<Timeline>>,
    /// Where those of the least one went, if it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<Box<Timeline>>,
}

/// A program that was run, and how.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    /// Its file.
    pub elf: String,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// The compilers and linkers that say so in it (section `.comment`), sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub toolchain: Vec<String>,
    /// How the run ended: `exit code 0`, or `all measured`.
    pub outcome: String,
    /// Interrupts from outside, with the cycles in which they came (of the first run, if there were several).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<(String, u64)>,
    /// Runs whose samples count together: one for each cycle in which an interrupt came.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub runs: u64,
    /// The core's clock at the end, in Hz.
    pub clock_hz: u32,
}

/// Samples by their value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Histogram {
    /// Values that a bin stands for, from its first one on.
    pub width: i64,
    /// The first value of each bin that has samples, and how many.
    pub bins: Vec<(i64, u64)>,
}

impl Obtained {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Obtained::default()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_none(number: &u64) -> bool {
    *number == 0
}

fn one() -> u64 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_one(number: &u64) -> bool {
    *number == 1
}
