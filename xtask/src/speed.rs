//! How fast the simulator is, against QEMU on the same program on the same machine.
//!
//! QEMU runs with `-icount shift=0`, which counts instructions but knows no cycle. Both are timed as a user sees
//! them, from start to end of the process; the time of a program that ends at once is taken off both, for at
//! QEMU's speed the start would be a good part of the whole. The runs alternate, so that a busy moment of the
//! machine hits both, and the medians count.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::packages::{QEMU, ensure};
use crate::shell::{run, say};
use crate::{firmware, prices};

/// A board that both simulators know.
const BOARD: &str = "mps2-an385";
/// The work, and a program that only starts and ends.
const PROGRAMS: [&str; 2] = ["speed", "speed-start"];
/// Timed runs of each program in each simulator.
const REPEATS: usize = 5;
/// The least ratio to QEMU's speed that is accepted.
const FLOOR: f64 = 0.08;

/// Speeds in million instructions a second.
struct Speeds {
    ours: f64,
    qemu: f64,
}

/// Measures and prints both speeds and their ratio.
///
/// # Errors
/// When something does not build or run.
pub fn compare() -> Result<()> {
    speeds().map(|speeds| println!("{}", speeds.summary()))
}

/// As [`compare`], and holds the ratio against its floor.
///
/// # Errors
/// When the ratio is below it, or something does not build or run.
pub fn check() -> Result<()> {
    let speeds = speeds()?;
    println!("{}", speeds.summary());
    if speeds.ratio() < FLOOR {
        bail!("the ratio is below {FLOOR}");
    }
    Ok(())
}

impl Speeds {
    fn ratio(&self) -> f64 {
        self.ours / self.qemu
    }

    fn summary(&self) -> String {
        let Self { ours, qemu } = self;
        format!(
            "cyclescope {ours:>8.1} MIPS\nqemu       {qemu:>8.1} MIPS\nratio      {:>8.3}",
            self.ratio()
        )
    }
}

fn speeds() -> Result<Speeds> {
    ensure(&[QEMU])?;
    let simulator = prices::simulator()?;
    firmware::build()?;
    let instructions = instructions(&simulator)?;
    say(&format!(
        "speed: {instructions} instructions on {BOARD}, median of {REPEATS} runs each"
    ));
    let ours = |program: &str| timed(ours(&simulator, program)?);
    let qemu = |program: &str| timed(in_qemu(program)?);
    let [mut ours_work, mut ours_start, mut qemu_work, mut qemu_start] = [const { Vec::new() }; 4];
    for _ in 0..REPEATS {
        ours_work.push(ours(PROGRAMS[0])?);
        qemu_work.push(qemu(PROGRAMS[0])?);
        ours_start.push(ours(PROGRAMS[1])?);
        qemu_start.push(qemu(PROGRAMS[1])?);
    }
    let mips = |work, start| {
        let seconds = median(work).saturating_sub(median(start)).as_secs_f64();
        f64::from(instructions) / 1e6 / seconds
    };
    Ok(Speeds {
        ours: mips(ours_work, ours_start),
        qemu: mips(qemu_work, qemu_start),
    })
}

fn ours(simulator: &std::path::Path, program: &str) -> Result<Command> {
    let mut command = Command::new(simulator);
    command
        .arg("run")
        .args(["--board", BOARD])
        .arg(firmware::program(program)?);
    Ok(command)
}

fn in_qemu(program: &str) -> Result<Command> {
    let mut command = Command::new("qemu-system-arm");
    command.args([
        "-machine",
        BOARD,
        "-icount",
        "shift=0",
        "-semihosting",
        "-nographic",
        "-kernel",
    ]);
    command.arg(firmware::program(program)?);
    Ok(command)
}

fn timed(mut command: Command) -> Result<Duration> {
    let start = Instant::now();
    run(command.stdin(Stdio::null()))?;
    Ok(start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// How many instructions the work is, as our simulator counts them.
fn instructions(simulator: &std::path::Path) -> Result<u32> {
    let output = ours(simulator, PROGRAMS[0])?.arg("--stats").output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|line| line.strip_prefix("instructions:"));
    line.and_then(|count| count.trim().parse().ok())
        .context("no instruction count from `cyclescope run --stats`")
}
