//! RV32 cores, against their Verilog, and against QEMU, which models none of these cores but executes the same instructions.
//!
//! The Verilog runs the first cycles of the same program; its speed per cycle does not depend on what executes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::listening::{self, case};
use super::{Times, counted};
use crate::packages::{QEMU_RISCV, VERILATOR, ensure};

use crate::shell::{cargo, output, run, say};
use crate::{firmware, root, target_dir};

/// Memories: cycles until the first word, and cycles per further word of a burst.
const MEMORIES: [(u32, u32); 2] = [(0, 0), (5, 1)];
/// The work, and a program that only starts and ends; QEMU runs the same files.
const PROGRAMS: [&str; 2] = ["speed-rv32", "speed-rv32-start"];
const VIRT: [&str; 2] = ["speed-rv32-virt", "speed-rv32-virt-start"];
/// Cycles that the Verilog runs, for the work (more than one round) and for the start.
const VERILOG: [u32; 2] = [1_500_000, 1];
/// Bytes of memory around the Verilog, the same as on the board.
const MEMORY: &str = "0x20000";
/// Timed runs of each program.
const REPEATS: usize = 3;
/// Minimum speed as a factor of the Verilog's.
const FLOOR: f64 = 30.0;

/// A core with Verilog, as the simulator lists it.
#[derive(Clone)]
struct Core {
    name: String,
    /// The board that it takes its memories from.
    like: String,
    /// The target of its programs.
    target: String,
}

impl Core {
    fn all(simulator: &Path) -> Result<Vec<Core>> {
        let file = root().join("target/speed/cores.json");
        file.parent().map_or(Ok(()), fs::create_dir_all)?;
        output(
            Command::new(simulator)
                .args(["list", "cores", "--json"])
                .arg(&file),
        )?;
        Core::listed(&serde_json::from_slice(&fs::read(file)?)?)
    }

    fn listed(list: &Value) -> Result<Vec<Core>> {
        let cores = list["cores"].as_array().context("no list of cores")?;
        let cores = cores.iter().filter(|core| core["verilog"] == true);
        let core = |core: &Value| {
            let text = |value: &Value| value.as_str().map(str::to_owned).context("no text");
            let name = text(&core["name"])?;
            let Some(like) = full_board(&name)? else {
                return Ok(None);
            };
            let target = text(&core["targets"][0])?;
            Ok(Some(Core { name, like, target }))
        };
        cores.map(core).filter_map(Result::transpose).collect()
    }
}

/// The board of this name, or the board that it is `like`, since only a full description can be extended. `None` if only boards of other
/// names have the core: their memory is not at 0, where the program and the Verilog's memory are.
fn full_board(name: &str) -> Result<Option<String>> {
    let file = root().join(format!("sim/machine/boards/{name}.toml"));
    if !file.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let mut like = text.lines().filter_map(|line| line.strip_prefix("like = "));
    Ok(Some(
        like.next().map_or(name, |like| like.trim_matches('"')).to_owned(),
    ))
}

/// A core with a memory to time.
struct Case {
    core: Core,
    latency: u32,
    beat: u32,
}

/// The speeds on a core with a memory.
pub(super) struct Speeds {
    core: String,
    latency: u32,
    /// Simulator speed in million cycles per second.
    ours: f64,
    /// Simulator speed in million instructions per second.
    mips: f64,
    /// Verilog speed in million cycles per second.
    verilog: Option<f64>,
    /// QEMU's speed in million instructions per second.
    qemu: Option<f64>,
}

/// Checks each ratio against its limit.
pub(super) fn verdict(speeds: &[Speeds]) -> Result<()> {
    for speed in speeds {
        if let Some(ratio) = speed.to_verilog()
            && ratio < FLOOR
        {
            let Speeds { core, latency, .. } = speed;
            bail!("{core}, latency {latency}: {ratio:.1} times as fast as its Verilog, less than {FLOOR}");
        }
    }
    Ok(())
}

impl Speeds {
    fn to_verilog(&self) -> Option<f64> {
        self.verilog.map(|verilog| self.ours / verilog)
    }

    fn to_qemu(&self) -> Option<f64> {
        self.qemu.map(|qemu| self.mips / qemu)
    }

    fn line(&self) -> String {
        let or_none = |number: Option<f64>, places| {
            number.map_or_else(|| "-".to_owned(), |number| format!("{number:.places$}"))
        };
        format!(
            "{:<18} {:>7} {:>8.1} {:>7.1} {:>12} {:>6} {:>10} {:>6}",
            self.core,
            self.latency,
            self.ours,
            self.mips,
            or_none(self.verilog, 2),
            or_none(self.to_verilog(), 1),
            or_none(self.qemu, 1),
            or_none(self.to_qemu(), 3)
        )
    }
}

pub(super) fn summary(speeds: &[Speeds]) -> String {
    let head = format!(
        "{:<18} {:>7} {:>8} {:>7} {:>12} {:>6} {:>10} {:>6}",
        "RV32", "latency", "MHz", "MIPS", "Verilog MHz", "ratio", "qemu MIPS", "ratio"
    );
    let lines = speeds.iter().map(Speeds::line);
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}

pub(super) fn speeds(simulator: &Path) -> Result<Vec<Speeds>> {
    let cores = Core::all(simulator)?;
    let verilog = verilog(&cores)?;
    let qemu = ensure(&[QEMU_RISCV]);
    if let Err(error) = &qemu {
        say(&format!("speed: RV32 without QEMU: {error:#}"));
    }
    let with = Simulators {
        ours: simulator,
        verilog,
        qemu: qemu.is_ok(),
    };
    let cases = cores.iter().flat_map(|core| {
        MEMORIES.map(|(latency, beat)| Case {
            core: core.clone(),
            latency,
            beat,
        })
    });
    let mut timings = Vec::new();
    for case in cases {
        case.write_board()?;
        timings.push((case.counted(simulator)?, case, Timings::default()));
    }
    say(&format!("speed: RV32, the best of {REPEATS} runs each"));
    for _ in 0..REPEATS {
        for (_, case, timings) in &mut timings {
            timings.round(&with, case)?;
        }
    }
    let speeds = timings
        .into_iter()
        .map(|(counted, case, timings)| timings.speeds(&case, counted));
    Ok(speeds.collect())
}

/// The cases for timing listeners: every core with the first memory.
pub(super) fn listening(simulator: &Path) -> Result<Vec<listening::Case>> {
    let (latency, beat) = MEMORIES[0];
    let cases = Core::all(simulator)?.into_iter().map(|core| {
        let of = Case { core, latency, beat };
        of.write_board()?;
        case(&of.core.name, of.board(), PROGRAMS[0], &of.core.target)
    });
    cases.collect()
}

/// The programs that run the work.
struct Simulators<'a> {
    ours: &'a Path,
    verilog: Option<PathBuf>,
    qemu: bool,
}

/// Builds the program that runs the Verilog of every core; `None` if it cannot be built.
fn verilog(cores: &[Core]) -> Result<Option<PathBuf>> {
    if let Err(error) = ensure(VERILATOR) {
        say(&format!("speed: RV32 without the Verilog: {error:#}"));
        return Ok(None);
    }
    run(cargo().args(["build", "--release", "--locked", "-p", "rtl-compare"]))?;
    let oracle = target_dir().join("release/rtl-compare");
    for core in cores {
        let case = Case {
            core: core.clone(),
            latency: 0,
            beat: 0,
        };
        let output = case.on_verilog(&oracle, 1)?.output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        // Without a network there is no Verilog; other errors are failures.
        if said.contains("cannot be fetched with pip") {
            say(&format!("speed: RV32 without the Verilog: {}", said.trim()));
            return Ok(None);
        }
        if !output.status.success() {
            bail!("the Verilog of {}: {}", core.name, said.trim());
        }
    }
    Ok(Some(oracle))
}

impl Case {
    /// Writes the board: the core with this case's memory.
    fn board(&self) -> PathBuf {
        let Case { core, latency, .. } = self;
        root().join(format!("target/speed/{}-{latency}.toml", core.name))
    }

    fn write_board(&self) -> Result<()> {
        let Case { core, latency, beat } = self;
        let Core { name, like, .. } = core;
        let text = format!(
            "like = \"{like}\"\nname = \"{name}-{latency}\"\ndescription = \"what ./x speed times\"\n\
             core = \"{name}\"\n\n[[memory]]\nname = \"RAM\"\n\
             wait = {{ fetch = {latency}, read = {latency}, write = {latency}, beat = {beat} }}\n"
        );
        let file = self.board();
        let written = file.parent().map_or(Ok(()), fs::create_dir_all);
        written
            .and_then(|()| fs::write(&file, text))
            .with_context(|| file.display().to_string())
    }

    fn ours(&self, simulator: &Path, program: &str) -> Result<Command> {
        let mut command = Command::new(simulator);
        command.arg("run").arg("--board").arg(self.board());
        command.arg(firmware::program_for(program, &self.core.target)?);
        Ok(command)
    }

    /// Cycles and instructions of the work.
    fn counted(&self, simulator: &Path) -> Result<[u32; 2]> {
        counted(self.ours(simulator, PROGRAMS[0])?, ["cycles", "instructions"])
    }

    fn on_verilog(&self, oracle: &Path, cycles: u32) -> Result<Command> {
        let mut command = Command::new(oracle);
        command.args(["run", "--unwatched", "--core", &self.core.name, "--size", MEMORY]);
        command.args(["--latency", &self.latency.to_string()]);
        command.args(["--beat", &self.beat.to_string()]);
        command.args(["--limit", &cycles.to_string()]);
        command.arg("--cache").arg(root().join("target/rtl"));
        command.arg(firmware::program_for(PROGRAMS[0], &self.core.target)?);
        Ok(command)
    }

    fn in_qemu(&self, program: &str) -> Result<Command> {
        let mut command = Command::new("qemu-system-riscv32");
        command.args(["-machine", "virt", "-icount", "shift=0"]);
        command.args(["-nographic", "-bios", "none", "-kernel"]);
        command.arg(firmware::program_for(program, &self.core.target)?);
        Ok(command)
    }
}

/// Run times in each simulator.
#[derive(Default)]
struct Timings {
    ours: Times,
    verilog: Option<Times>,
    qemu: Option<Times>,
}

impl Timings {
    /// Times one more run of everything.
    fn round(&mut self, with: &Simulators, case: &Case) -> Result<()> {
        self.ours.add(|program| case.ours(with.ours, PROGRAMS[program]))?;
        if let Some(oracle) = &with.verilog {
            let times = self.verilog.get_or_insert_default();
            times.add(|program| case.on_verilog(oracle, VERILOG[program]))?;
        }
        if with.qemu {
            let times = self.qemu.get_or_insert_default();
            times.add(|program| case.in_qemu(VIRT[program]))?;
        }
        Ok(())
    }

    fn speeds(&self, case: &Case, [cycles, instructions]: [u32; 2]) -> Speeds {
        let rate = |count: u32, times: &Times| f64::from(count) / 1e6 / times.seconds();
        let verilog = self.verilog.as_ref();
        let qemu = self.qemu.as_ref();
        Speeds {
            core: case.core.name.clone(),
            latency: case.latency,
            ours: rate(cycles, &self.ours),
            mips: rate(instructions, &self.ours),
            verilog: verilog.map(|times| rate(VERILOG[0] - VERILOG[1], times)),
            qemu: qemu.map(|times| rate(instructions, times)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speed(ours: f64, verilog: Option<f64>) -> Speeds {
        Speeds {
            core: "core".to_owned(),
            latency: 5,
            ours,
            mips: 50.0,
            verilog,
            qemu: None,
        }
    }

    #[test]
    fn thirty_times_as_fast_as_the_verilog() {
        assert!(verdict(&[speed(60.0, Some(2.0)), speed(1.0, None)]).is_ok());
        assert!(verdict(&[speed(59.0, Some(2.0))]).is_err());
    }

    #[test]
    fn the_cores_with_verilog_and_a_board_of_their_name_are_timed() {
        let list = serde_json::json!({ "cores": [
            { "name": "cortex-m3", "targets": ["thumbv7m-none-eabi"], "verilog": false },
            { "name": "ibex-wb", "targets": ["riscv32imc-unknown-none-elf", "riscv32i"], "verilog": true },
            { "name": "vexriscv-precursor", "targets": ["riscv32imac-unknown-none-elf"], "verilog": true },
        ]});
        let cores = Core::listed(&list).unwrap();
        let [core] = &cores[..] else {
            panic!("{}", cores.len())
        };
        assert_eq!(
            [&*core.name, &*core.like, &*core.target],
            ["ibex-wb", "ibex", "riscv32imc-unknown-none-elf"]
        );
        assert!(Core::listed(&serde_json::json!({})).is_err());
    }

    #[test]
    fn what_was_not_timed_is_a_dash() {
        let text = summary(&[speed(60.0, Some(2.0)), speed(60.0, None)]);
        let mut lines = text.lines().skip(1);
        let mut words = || {
            lines
                .next()
                .unwrap_or_default()
                .split_whitespace()
                .collect::<Vec<_>>()
        };
        assert_eq!(words(), ["core", "5", "60.0", "50.0", "2.00", "30.0", "-", "-"]);
        assert_eq!(words()[4..], ["-"; 4]);
    }
}
