//! How fast the simulator is on each core: against QEMU on the same program, and on RV32 against the core's own Verilog
//! and behind tables of pages.
//!
//! QEMU runs with `-icount shift=0`, which counts instructions but knows no cycle. The Verilog is built by Verilator and keeps no
//! trace. All are timed as a user sees them, from start to end of the process; the time of a program that ends at once is taken
//! off, for at QEMU's speed the start would be a good part of the whole. The runs alternate, so that a busy moment of the
//! machine hits all of them, and the least counts: what else the machine does only ever adds.

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

/// Everything that was measured.
struct Speeds {
    cortex_m: Vec<cortex_m::Speeds>,
    rv32: Vec<rv32::Speeds>,
    translated: Vec<translated::Speeds>,
    listening: Vec<listening::Listening>,
}

/// Measures and prints the speeds and their ratios, for each core; writes what listening costs to a file, if there is one.
///
/// # Errors
/// When something does not build or run.
pub fn compare(json: Option<&Path>) -> Result<()> {
    let speeds = speeds()?;
    let Some(file) = json else {
        return Ok(());
    };
    let results = json!({ "format": "cyclescope-speed/1", "results": listening::rows(&speeds.listening) });
    fs::write(file, format!("{results:#}\n")).with_context(|| file.display().to_string())
}

/// As [`compare`], and holds each ratio against its floor.
///
/// # Errors
/// When one is below, or something does not build or run.
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

/// What each run took: of the work and of the start.
#[derive(Default)]
struct Times([Vec<Duration>; 2]);

impl Times {
    /// One run more of both; `command` makes that of the work (0) and of the start (1).
    fn add(&mut self, command: impl Fn(usize) -> Result<Command>) -> Result<()> {
        for (program, times) in self.0.iter_mut().enumerate() {
            let mut command = command(program)?;
            let start = Instant::now();
            run(command.stdin(Stdio::null()))?;
            times.push(start.elapsed());
        }
        Ok(())
    }

    /// What the work takes without the start.
    fn seconds(&self) -> f64 {
        let [work, start] = self
            .0
            .each_ref()
            .map(|times| times.iter().min().copied().unwrap_or_default());
        work.saturating_sub(start).as_secs_f64()
    }
}

/// What our simulator counts while it runs a program, by the names of `--stats`.
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
