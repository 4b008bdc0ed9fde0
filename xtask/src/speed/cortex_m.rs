//! Cortex-M cores, against QEMU with the same program on a machine with that core.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::listening::{Case, case};
use super::{Times, counted};
use crate::firmware;
use crate::packages::{QEMU, ensure};
use crate::shell::say;

/// A core and its boards.
struct Core {
    name: &'static str,
    /// Our board.
    board: &'static str,
    /// QEMU's machine; for the Cortex-M0+, which QEMU lacks, the one with the nearest core.
    machine: &'static str,
    target: &'static str,
}

/// The timed cores; the others are compared with the first.
const CORES: [Core; 3] = [
    Core {
        name: "cortex-m3",
        board: "mps2-an385",
        machine: "mps2-an385",
        target: "thumbv7m-none-eabi",
    },
    Core {
        name: "cortex-m4f",
        board: "cortex-m4f",
        machine: "mps2-an386",
        target: "thumbv7em-none-eabihf",
    },
    Core {
        name: "cortex-m0plus",
        board: "cortex-m0plus",
        machine: "microbit",
        target: "thumbv6m-none-eabi",
    },
];
/// The work, and a program that only starts and ends.
const PROGRAMS: [&str; 2] = ["speed", "speed-start"];
/// Timed runs of each program in each simulator.
const REPEATS: usize = 5;
/// Minimum accepted ratio to QEMU's speed.
const FLOOR: f64 = 0.08;
/// Minimum speed of the other cores relative to the first.
const SHARE: f64 = 0.9;

/// Speeds in million instructions per second.
pub(super) struct Speeds {
    core: &'static str,
    ours: f64,
    qemu: f64,
}

/// Checks each ratio against its limit, and the other cores against the first.
pub(super) fn verdict(speeds: &[Speeds]) -> Result<()> {
    let first = speeds.first().context("no core was timed")?;
    for speed in speeds {
        if speed.ratio() < FLOOR {
            bail!("{}: the ratio is below {FLOOR}", speed.core);
        }
        if speed.ours < SHARE * first.ours {
            bail!("{}: below {SHARE} of {}'s speed", speed.core, first.core);
        }
    }
    Ok(())
}

impl Speeds {
    fn ratio(&self) -> f64 {
        self.ours / self.qemu
    }
}

pub(super) fn summary(speeds: &[Speeds]) -> String {
    let head = format!(
        "{:<15} {:>10} {:>10} {:>7}",
        "MIPS", "cyclescope", "qemu", "ratio"
    );
    let lines = speeds.iter().map(|speed| {
        let Speeds { core, ours, qemu } = speed;
        format!("{core:<15} {ours:>10.1} {qemu:>10.1} {:>7.3}", speed.ratio())
    });
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}

pub(super) fn speeds(simulator: &Path) -> Result<Vec<Speeds>> {
    ensure(&[QEMU])?;
    let mut timings = Vec::new();
    for core in &CORES {
        let instructions = instructions(simulator, core)?;
        say(&format!(
            "speed: {instructions} instructions on {}, the best of {REPEATS} runs each",
            core.name
        ));
        timings.push((core, instructions, Timings::default()));
    }
    for _ in 0..REPEATS {
        for (core, _, timings) in &mut timings {
            timings.round(simulator, core)?;
        }
    }
    let speed =
        |(core, instructions, timings): (&Core, u32, Timings)| timings.speeds(core.name, instructions);
    Ok(timings.into_iter().map(speed).collect())
}

/// The cases for timing listeners.
pub(super) fn listening() -> Result<Vec<Case>> {
    let cases = CORES
        .iter()
        .map(|core| case(core.name, core.board, PROGRAMS[0], core.target));
    cases.collect()
}

/// Run times in both simulators.
#[derive(Default)]
struct Timings {
    ours: Times,
    qemu: Times,
}

impl Timings {
    /// Times one more run of everything.
    fn round(&mut self, simulator: &Path, core: &Core) -> Result<()> {
        self.ours
            .add(|program| ours(simulator, core, PROGRAMS[program]))?;
        self.qemu.add(|program| in_qemu(core, PROGRAMS[program]))
    }

    fn speeds(&self, core: &'static str, instructions: u32) -> Speeds {
        let mips = |times: &Times| f64::from(instructions) / 1e6 / times.seconds();
        Speeds {
            core,
            ours: mips(&self.ours),
            qemu: mips(&self.qemu),
        }
    }
}

fn ours(simulator: &Path, core: &Core, program: &str) -> Result<Command> {
    let mut command = Command::new(simulator);
    command
        .arg("run")
        .args(["--board", core.board])
        .arg(firmware::program_for(program, core.target)?);
    Ok(command)
}

fn in_qemu(core: &Core, program: &str) -> Result<Command> {
    let mut command = Command::new("qemu-system-arm");
    command.args(["-machine", core.machine, "-icount", "shift=0"]);
    command.args(["-semihosting", "-nographic", "-kernel"]);
    command.arg(firmware::program_for(program, core.target)?);
    Ok(command)
}

/// Instructions of the work, as our simulator counts them.
fn instructions(simulator: &Path, core: &Core) -> Result<u32> {
    let [instructions] = counted(ours(simulator, core, PROGRAMS[0])?, ["instructions"])?;
    Ok(instructions)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn speed(core: &'static str, ours: f64, qemu: f64) -> Speeds {
        Speeds { core, ours, qemu }
    }

    #[test]
    fn another_core_may_be_a_tenth_slower_than_the_first() {
        let first = || speed("first", 100.0, 500.0);
        assert!(verdict(&[first(), speed("other", 91.0, 500.0)]).is_ok());
        assert!(verdict(&[first(), speed("other", 89.0, 500.0)]).is_err());
        assert!(verdict(&[first(), speed("other", 100.0, 5000.0)]).is_err());
        assert!(verdict(&[]).is_err());
    }

    #[test]
    fn each_core_has_its_line() {
        let text = summary(&[speed("one", 120.0, 480.0), speed("two", 1.0, 4.0)]);
        assert_eq!(text.lines().count(), 3);
        assert!(
            text.ends_with("two                    1.0        4.0   0.250"),
            "{text}"
        );
    }
}
