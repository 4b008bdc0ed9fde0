//! How a figure was obtained: the program, the measurement, and the rules that it relied on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::timeline::Timeline;

/// Where a row's figure comes from, as far as that is known.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Obtained {
    /// Name and version of the program that measured it; empty if it is the one that wrote the file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// The timing rules that it relied on, each with a fingerprint of its text.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, String>,
    /// The measurement in words: `from bkpt:1 to bkpt:2`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub how: String,
    /// The greatest value that the spec accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// The rules with the weakest mark among those that it relied on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weakest: Vec<String>,
    /// In words, what it relied on outside the model's validity: rules measured on another core revision only, a core that the program
    /// was not built for, a clock above the chip's rating.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beyond: Vec<String>,
    /// How often each value occurred, unless all are equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
    /// Interrupt phases that gave no sample; the program's `runs` counts them too.
    #[serde(default, skip_serializing_if = "is_none")]
    pub missed: u64,
    /// The program that ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Box<Program>>,
    /// Where the cycles of the greatest sample went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<Box<Timeline>>,
    /// Where the cycles of the least sample went, if that is a different sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<Box<Timeline>>,
    /// The path of calls on which the greatest sample of a row in bytes of stack is deepest, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deepest: Vec<StackFrame>,
}

/// The stack of one function on a path of calls.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StackFrame {
    /// The function's name.
    pub function: String,
    /// Its bytes of stack, until the function that it called begins.
    pub bytes: i64,
    /// File, relative to the project's folder, and line that take them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<(String, u32)>,
}

/// A program that ran, and how.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    /// The ELF file.
    pub elf: String,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// The compilers and linkers named in its `.comment` section, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub toolchain: Vec<String>,
    /// How the run ended: `exit code 0`, or `all measured`.
    pub outcome: String,
    /// External interrupts, with the cycles at which they came (those of the first run, if there were several).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<(String, u64)>,
    /// Runs whose samples count together: one for each cycle at which the interrupt came.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub runs: u64,
    /// The core's clock at the end, in Hz.
    pub clock_hz: u32,
}

/// Sample counts by value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Histogram {
    /// The number of consecutive values that a bin covers.
    pub width: i64,
    /// The first value and the sample count of each bin that has samples.
    pub bins: Vec<(i64, u64)>,
}

/// The sample of a row that is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sample {
    /// The greatest.
    Worst,
    /// The least.
    Best,
}

impl Obtained {
    /// Where the cycles of a sample went. Samples that are all alike are kept once.
    pub fn sample(&self, sample: Sample) -> Option<&Timeline> {
        let best = self.best.as_deref().filter(|_| sample == Sample::Best);
        best.or(self.worst.as_deref())
    }

    /// What a baseline needs: the sums of the samples by instruction, without their single windows.
    #[must_use]
    pub fn sums(&self) -> Obtained {
        let sums = |sample: &Option<Box<Timeline>>| sample.as_ref().map(|sample| Box::new(sample.sums()));
        Obtained {
            worst: sums(&self.worst),
            best: sums(&self.best),
            ..self.clone()
        }
    }

    /// Whether nothing is known about the origin.
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
