//! Measures the cost of listeners: the same program with and without them.
//!
//! One small program (`measure/lab/examples/listening.rs`) does all runs, so that they are comparable. It measures its CPU time. Runs
//! alternate, and the minimum counts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::shell::{cargo, output, run, say};
use crate::{firmware, target_dir};

use super::{cortex_m, rv32};

/// The kinds of runs; the first is the reference.
const KINDS: [&str; 4] = ["silent", "listened", "statistics", "causes"];
/// Cycles per run.
const CYCLES: &str = "40000000";
/// Timed runs of each kind.
const REPEATS: usize = 3;
/// The measured spans, as start and end points.
const SPANS: [&str; 4] = ["speed::sort", "speed::sieve", "speed::checksum", "speed::walk"];

/// Minimum speed relative to silent runs on every core: listened, statistics and causes.
const FLOORS: [f64; 3] = [0.8, 0.9, 0.2];

/// A program on a core.
pub(super) struct Case {
    pub(super) core: String,
    /// A board's name or file.
    pub(super) board: PathBuf,
    pub(super) program: PathBuf,
}

/// Listener costs on a core.
pub(super) struct Listening {
    core: String,
    /// Seconds of each of [`KINDS`].
    seconds: [f64; 4],
}

impl Listening {
    /// The speed of each kind relative to the first.
    fn ratios(&self) -> [f64; 4] {
        self.seconds.map(|seconds| self.seconds[0] / seconds)
    }
}

/// Runs every kind on every core.
pub(super) fn measure(simulator: &Path) -> Result<Vec<Listening>> {
    run(cargo().args([
        "build",
        "--release",
        "--locked",
        "-p",
        "cyclescope-lab",
        "--example",
        "listening",
    ]))?;
    let program = target_dir().join("release/examples/listening");
    let mut cases = cortex_m::listening()?;
    cases.extend(rv32::listening(simulator)?);
    say(&format!(
        "speed: what listening costs, the best of {REPEATS} runs each"
    ));
    let mut least: HashMap<(usize, usize), f64> = HashMap::new();
    for _ in 0..REPEATS {
        for (number, case) in cases.iter().enumerate() {
            for (kind, what) in KINDS.iter().enumerate() {
                let seconds = seconds(&program, case, what)?;
                let place = least.entry((number, kind)).or_insert(seconds);
                *place = place.min(seconds);
            }
        }
    }
    let listening = cases.into_iter().enumerate().map(|(number, case)| Listening {
        core: case.core,
        seconds: [0, 1, 2, 3].map(|kind| least[&(number, kind)]),
    });
    Ok(listening.collect())
}

fn seconds(program: &Path, case: &Case, what: &str) -> Result<f64> {
    let mut command = Command::new(program);
    command.arg(&case.program).arg(&case.board).args([what, CYCLES]);
    if what == "listened" {
        command.args(SPANS);
    }
    command.stderr(std::process::Stdio::piped());
    let said = output(&mut command)?;
    said.trim().parse().with_context(|| format!("no seconds: {said}"))
}

/// The case for a core with one of the programs of `./x speed`.
pub(super) fn case(core: &str, board: impl Into<PathBuf>, program: &str, target: &str) -> Result<Case> {
    Ok(Case {
        core: core.to_owned(),
        board: board.into(),
        program: firmware::program_for(program, target)?,
    })
}

pub(super) fn summary(all: &[Listening]) -> String {
    let head = format!(
        "{:<18} {:>10} {:>10} {:>10} {:>10}",
        "ratio to silent", "silent s", KINDS[1], KINDS[2], KINDS[3]
    );
    let lines = all.iter().map(|listening| {
        let [_, listened, statistics, causes] = listening.ratios();
        format!(
            "{:<18} {:>10.3} {listened:>10.3} {statistics:>10.3} {causes:>10.3}",
            listening.core, listening.seconds[0]
        )
    });
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}

/// Checks each ratio against its limit.
pub(super) fn verdict(all: &[Listening]) -> Result<()> {
    for listening in all {
        let [_, ratios @ ..] = listening.ratios();
        for ((what, ratio), floor) in KINDS[1..].iter().zip(ratios).zip(FLOORS) {
            if ratio < floor {
                bail!(
                    "{}, {what}: {ratio:.3} of the silent speed, less than {floor}",
                    listening.core
                );
            }
        }
    }
    Ok(())
}

/// A JSON row for each core and kind.
pub(super) fn rows(all: &[Listening]) -> Vec<Value> {
    let row = |core: &str, what: &str, seconds: f64, ratio: f64| json!({ "core": core, "what": what, "seconds": seconds, "ratio": ratio });
    let rows = all.iter().flat_map(|listening| {
        let kinds = KINDS.iter().zip(listening.seconds).zip(listening.ratios());
        kinds.map(move |((what, seconds), ratio)| row(&listening.core, what, seconds, ratio))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listening(core: &str, seconds: [f64; 4]) -> Listening {
        Listening {
            core: core.to_owned(),
            seconds,
        }
    }

    #[test]
    fn each_kind_has_its_floor() {
        let verdict = |core, seconds| verdict(&[listening(core, seconds)]).is_ok();
        assert!(verdict("cortex-m3", [1.0, 1.25, 1.1, 5.0]));
        assert!(!verdict("cortex-m3", [1.0, 1.3, 1.0, 1.0]));
        assert!(!verdict("cortex-m3", [1.0, 1.0, 1.2, 1.0]));
        assert!(!verdict("cortex-m0plus", [1.0, 1.0, 1.0, 5.1]));
        assert!(verdict("vexriscv-min", [1.0, 1.2, 1.0, 4.0]));
        assert!(!verdict("vexriscv-min", [1.0, 1.3, 1.0, 1.0]));
        assert!(!verdict("vexriscv-min", [1.0, 1.0, 1.2, 1.0]));
    }

    #[test]
    fn a_row_for_each_core_and_kind() {
        let all = [listening("a", [1.0, 2.0, 1.0, 4.0]), listening("b", [1.0; 4])];
        let rows = rows(&all);
        assert_eq!(rows.len(), 8);
        assert_eq!(
            rows[3],
            json!({ "core": "a", "what": "causes", "seconds": 4.0, "ratio": 0.25 })
        );
        assert!(
            summary(&all)
                .lines()
                .nth(1)
                .is_some_and(|line| line.ends_with("0.500      1.000      0.250"))
        );
    }
}
