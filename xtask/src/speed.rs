//! Measures the simulator's speed on each core: against QEMU on the same program, and on RV32 also against the core's own Verilog and
//! with address translation.
//!
//! QEMU runs with `-icount shift=0`, which counts instructions but no cycles. Verilator builds the Verilog without tracing. Times are
//! those of the whole process; the time of a program that ends at once is subtracted, since at QEMU's speed the start is a large part of
//! the total. Runs alternate so that load on the machine affects all of them, and the minimum counts, since load only adds time.

mod cortex_m;
mod count;
mod listening;
mod rv32;
mod translated;

pub use count::count;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;

use crate::shell::run;
use crate::{firmware, prices};

/// All measured speeds.
struct Speeds {
    cortex_m: Vec<cortex_m::Speeds>,
    rv32: Vec<rv32::Speeds>,
    translated: Vec<translated::Speeds>,
    listening: Vec<listening::Listening>,
}

/// Measures and prints the speeds and ratios of each core, and writes the cost of listeners to `json` if given.
///
/// # Errors
/// If a build or run fails.
pub fn compare(json: Option<&Path>) -> Result<()> {
    let speeds = speeds()?;
    let Some(file) = json else {
        return Ok(());
    };
    let results = json!({ "format": "cyclescope-speed/1", "results": listening::rows(&speeds.listening) });
    fs::write(file, format!("{results:#}\n")).with_context(|| file.display().to_string())
}

/// As [`compare`], and checks each ratio against its lower limit.
///
/// # Errors
/// If a ratio is too low, or a build or run fails.
pub fn check() -> Result<()> {
    let speeds = speeds()?;
    cortex_m::verdict(&speeds.cortex_m)?;
    rv32::verdict(&speeds.rv32)?;
    translated::verdict(&speeds.translated)?;
    listening::verdict(&speeds.listening)
}

fn speeds() -> Result<Speeds> {
    let simulator = prices::simulator()?;
    firmware::build()?;
    let cortex_m = cortex_m::speeds(&simulator)?;
    println!("{}", cortex_m::summary(&cortex_m));
    let rv32 = rv32::speeds(&simulator)?;
    println!("\n{}", rv32::summary(&rv32));
    let translated = translated::speeds(&simulator)?;
    println!("\n{}", translated::summary(&translated));
    let listening = listening::measure(&simulator)?;
    println!("\n{}", listening::summary(&listening));
    Ok(Speeds {
        cortex_m,
        rv32,
        translated,
        listening,
    })
}

/// Run times of the work and of the start.
#[derive(Default)]
struct Times([Vec<Duration>; 2]);

impl Times {
    /// Times one more run of both; `command` builds that of the work (0) and of the start (1).
    fn add(&mut self, command: impl Fn(usize) -> Result<Command>) -> Result<()> {
        for (program, times) in self.0.iter_mut().enumerate() {
            let mut command = command(program)?;
            let start = Instant::now();
            run(command.stdin(Stdio::null()))?;
            times.push(start.elapsed());
        }
        Ok(())
    }

    /// Seconds of the work without the start.
    fn seconds(&self) -> f64 {
        let [work, start] = self
            .0
            .each_ref()
            .map(|times| times.iter().min().copied().unwrap_or_default());
        work.saturating_sub(start).as_secs_f64()
    }
}

/// The simulator's counters for a program, by their names in `--stats`.
fn counted<const COUNT: usize>(mut simulator: Command, names: [&str; COUNT]) -> Result<[u32; COUNT]> {
    let output = simulator.arg("--stats").output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let mut counts = [0; COUNT];
    for (name, count) in names.into_iter().zip(&mut counts) {
        let mut lines = text.lines().filter_map(|line| line.split_once(": "));
        let (_, number) = lines
            .find(|(known, _)| *known == name)
            .with_context(|| format!("no {name} from `cyclescope run --stats`: {}", text.trim()))?;
        *count = number.trim().parse()?;
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_counts_without_the_start() {
        let times = |seconds: [u64; 3]| seconds.map(Duration::from_secs).to_vec();
        let times = Times([times([9, 7, 8]), times([2, 1, 3])]);
        assert!((times.seconds() - 6.0).abs() < f64::EPSILON);
    }
}
