//! Runs a compiled program (`tests/rtl/compiled`) at every optimisation level, each time with other data, and compares with the Verilog.
//! On a core with a cycle counter, the program's path depends on the counter.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use core_rv32::{Config, Family};
use fastrand::Rng;
use isa_rv32::Extension;
use machine::cores;
use rtl::{Around, Job, Program, Ram};

use crate::common::{oracle, packaged, random_wait};
use crate::cycles::{interrupts_until, jitter, judge};
use crate::programs::number;

const COMPILER: &str = "riscv64-unknown-elf-gcc";
const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-O3", "-Os"];
/// Bytes of memory from 0, and the address of a stack outside the range that `VexRiscv` caches.
const MEMORY: u32 = 0x1_0000;
const FAR: u32 = 0x8000_0000;
/// Address of its first instruction.
const ENTRY: u32 = 0x80;

/// Whether the compiler is installed; otherwise reports that the test is skipped.
pub(crate) fn can_compile() -> bool {
    let missing = Command::new(COMPILER).arg("--version").output();
    let missing = missing.is_err_and(|error| error.kind() == ErrorKind::NotFound);
    if missing {
        skipped::skip(&format!("no {COMPILER}"));
    }
    !missing
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}:\n{errors}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The CSR of the cycle counter, if any.
fn clock(config: &Config) -> Option<u16> {
    let there = |&csr: &u16| config.access(csr).is_some();
    [0xb00, 0xc00].into_iter().find(there)
}

fn built(config: &Config, level: &str, rounds: u32, far: bool, rng: &mut Rng) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("compiled");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled");
    std::fs::create_dir_all(&folder).unwrap();
    let elf = folder.join(format!("{}{level}.elf", config.name));
    let multiplies = if config.isa.has(Extension::M) { "m" } else { "" };
    let compressed = if config.isa.has(Extension::C) { "c" } else { "" };
    let library = output(Command::new(COMPILER).args([
        &*format!("-march=rv32i{multiplies}"),
        "-mabi=ilp32",
        "-print-libgcc-file-name",
    ]));
    let stack = if far { FAR + MEMORY } else { MEMORY };
    let mut command = Command::new(COMPILER);
    command
        .arg(format!("-march=rv32i{multiplies}{compressed}_zicsr"))
        .args(["-mabi=ilp32", "-ffreestanding", "-nostdlib", "-static", level])
        .arg(format!("-DSEED={}u", rng.u32(1..)))
        .args([format!("-DROUNDS={rounds}"), format!("-DSTACK={stack:#x}")]);
    if !config.halts {
        let table = if config.vectored { "table" } else { "handler" };
        command.args(["-DTRAPS", &format!("-DMTVEC={table}")]);
    }
    if config.access(0xbc0).is_some() {
        command.arg("-DMASKED");
    }
    if let Some(csr) = clock(config) {
        command.arg(format!("-DNOW=\"csrr %0, {csr:#x}\""));
    }
    command
        .args(["-Wl,-melf32lriscv,--no-warn-rwx-segments", "-T"])
        .arg(sources.join("link.ld"))
        .args([sources.join("start.S"), sources.join("work.c")])
        .arg(library)
        .arg("-o")
        .arg(&elf);
    output(&mut command);
    elf
}

/// A run of the program at a random optimisation level in random memories.
pub(crate) fn job(config: &Config, rounds: u32, limit: u64, rng: &mut Rng) -> Job {
    let level = *rng.choice(LEVELS.iter()).expect("there are some");
    // On the Verilog of `vexriscv-imac`, and on the model too, the program goes astray after an interrupt.
    let frail = config.family == Family::VexRiscv && config.isa.has(Extension::C);
    let far = rng.u8(..4) == 0 && !frail;
    let program = Program::load(&built(config, level, rounds, far, rng), 0, MEMORY).unwrap();
    let stack = Ram {
        base: FAR,
        size: MEMORY,
        bytes: Vec::new(),
        wait: random_wait(rng),
    };
    Job {
        reset_vector: ENTRY,
        base: 0,
        memory: program.memory,
        latency: rng.u32(..4) + u32::from(rng.bool()) * rng.u32(..12),
        beat: rng.u32(..5),
        around: Around {
            memories: vec![stack],
            ..Around::default()
        },
        jitter: jitter(rng),
        changes: if frail {
            Vec::new()
        } else {
            interrupts_until(limit, rng)
        },
        limit,
    }
}

#[test]
fn compiled_programs_do_as_on_the_verilog() {
    if !can_compile() {
        return;
    }
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let mut rng = Rng::with_seed(seed);
    for config in cores::rv32() {
        let Some(rtl) = packaged(config.name) else {
            continue;
        };
        let Some(oracle) = oracle(rtl) else { return };
        for round in 0..number("RTL_PROGRAMS", 25).div_ceil(25) {
            let job = job(&config, 8, 200_000, &mut rng);
            let at = format!("{}, RTL_SEED={seed}, program {round}", config.name);
            let same = judge(&oracle, config, &job, &at).unwrap_or_else(|text| panic!("{text}"));
            assert!(same.instructions > 500, "{at}: {same:?}");
        }
    }
}
