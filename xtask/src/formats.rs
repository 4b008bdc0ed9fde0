//! Checks every output format with a reader that others wrote.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::packages::{C_COMPILER, NODE, PYTHON, ensure};
use crate::shell::{cargo, run, say};
use crate::{root, target_dir};

/// Python packages that read formats or validate a document against a schema.
const PYTHON_TOOLS: &[&str] = &[
    "check-jsonschema",
    "gprof2dot",
    "junitparser",
    "lcov-cobertura",
    "perfetto",
    "vcdvcd",
];

/// Node packages: SARIF's validator, speedscope's schema, and a reader of pprof files.
const NODE_TOOLS: &[&str] = &["@microsoft/sarif-multitool-linux", "speedscope", "pprof-format"];

/// The example project with a regression.
const EXAMPLE: &str = "firmware/examples/regressions";

/// Commands that a user of the example would run, with their exit codes.
const COMMANDS: &[(&str, i32)] = &[
    (
        "measure spec.toml --elf NOTHING.elf --timeline --json base.json",
        0,
    ),
    ("measure spec.toml --elf CALL.elf --timeline --json new.json", 0),
    (
        "gate new.json --limits limits.toml --sarif out.sarif --junit out.xml --bencher out.bencher.json",
        1,
    ),
    (
        "profile CALL.elf --board stm32f407 --json out.json --speedscope out.speedscope --callgrind out.callgrind \
         --pprof out.pb.gz --lcov out.lcov",
        0,
    ),
    ("run CALL.elf --board stm32f407 --trace out.perfetto", 0),
    ("run CALL.elf --board stm32f407 --trace out.vcd", 0),
];

/// `./x package formats`: works in `target/formats`.
///
/// # Errors
/// If a reader rejects a file, or no reader can be installed.
pub fn check() -> Result<()> {
    ensure(&[PYTHON, NODE])?;
    ensure(C_COMPILER)?;
    let folder = target_dir().join("formats");
    tools(&folder)?;
    run(cargo().args(["build", "--release", "--locked", "--quiet", "-p", "cyclescope"]))?;
    write(&folder)?;
    say("reading them with others' tools");
    let mut reading = Command::new(folder.join("python/bin/python3"));
    reading.arg(root().join("xtask/formats.py"));
    run(reading.arg(&folder).arg(root()))
}

/// Installs the readers into this folder only.
fn tools(folder: &Path) -> Result<()> {
    say(&format!("installing tools of formats into {}", folder.display()));
    std::fs::create_dir_all(folder)?;
    let environment = folder.join("python");
    run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    let mut pip = Command::new(environment.join("bin/pip"));
    run(pip
        .args(["install", "--quiet", "--disable-pip-version-check"])
        .args(PYTHON_TOOLS))?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-fund", "--no-audit", "--prefix"]);
    run(npm.arg(folder.join("node")).args(NODE_TOOLS))
}

/// Builds the example twice and writes every output file.
fn write(folder: &Path) -> Result<()> {
    let example = root().join(EXAMPLE);
    for name in ["control.c", "link.ld", "spec.toml", "limits.toml"] {
        std::fs::copy(example.join(name), folder.join(name))?;
    }
    for name in ["NOTHING", "CALL"] {
        let words = "-mcpu=cortex-m4 -mthumb -Os -g -ffreestanding -nostdlib -T link.ld control.c";
        let mut compiler = Command::new("arm-none-eabi-gcc");
        compiler.current_dir(folder).args(words.split(' '));
        run(compiler.args([&format!("-DPLANT_{name}"), "-o", &format!("{name}.elf")]))?;
    }
    for (words, code) in COMMANDS {
        let mut command = Command::new(target_dir().join("release/cyclescope"));
        command.current_dir(folder).args(words.split(' '));
        let output = command.output()?;
        anyhow::ensure!(
            output.status.code() == Some(*code),
            "cyclescope {words}: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}
