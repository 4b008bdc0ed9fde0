//! The self-checking programs of `firmware/rv32/checks`, on our core and on the Verilog of every core that can run them.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use core_rv32::Config;
use isa_rv32::Extension;
use rtl_oracle::{Core as Rtl, Job};

use crate::common::{machine, oracle};

/// The program in memory from 0, or nothing where the assembler is missing.
fn assembled(name: &str) -> Option<Vec<u8>> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../firmware/rv32/checks");
    let folder = tempfile::tempdir().unwrap();
    let file = |ending: &str| folder.path().join(format!("{name}.{ending}"));
    let mut assembler = Command::new("riscv64-unknown-elf-as");
    assembler
        .args(["-march=rv32ima_zicsr", "-mabi=ilp32", "-I"])
        .arg(&sources);
    assembler
        .arg("-o")
        .arg(file("o"))
        .arg(sources.join(format!("{name}.s")));
    let Ok(status) = assembler.status() else {
        // Past the test runner's capture; where standard error is closed there is nobody to tell.
        let _ = std::io::stderr().write_all(b"skipped: no riscv64-unknown-elf-as\n");
        return None;
    };
    assert!(status.success(), "{name} does not assemble");
    let mut linker = Command::new("riscv64-unknown-elf-ld");
    linker
        .args(["-melf32lriscv", "-Ttext=0", "-o"])
        .arg(file("elf"))
        .arg(file("o"));
    assert!(linker.status().unwrap().success(), "{name} does not link");
    let mut copier = Command::new("riscv64-unknown-elf-objcopy");
    copier
        .args(["-O", "binary", "-j", ".text"])
        .arg(file("elf"))
        .arg(file("bin"));
    assert!(copier.status().unwrap().success(), "{name} is not copied");
    let mut memory = std::fs::read(file("bin")).unwrap();
    memory.resize(0x1_0000, 0);
    Some(memory)
}

/// What the program reports on our core.
fn ours(config: Config, memory: &[u8]) -> Option<u32> {
    let mut core = machine(config, memory);
    for now in 0..10_000 {
        core.step(now).unwrap();
    }
    core.bus.peek_word(rtl_oracle::ports::FINISH)
}

fn check(name: &str, extension: Extension) {
    let Some(memory) = assembled(name) else { return };
    for config in Config::all().filter(|config| config.isa.has(extension)) {
        let rtl = Rtl::named(config.name);
        if rtl.is_some_and(|rtl| !rtl.can_begin_at(0)) {
            continue;
        }
        if !config.halts || extension == Extension::M {
            assert_eq!(ours(config, &memory), Some(1), "{name} on {}", config.name);
        }
        let Some(oracle) = rtl.and_then(oracle) else {
            continue;
        };
        let job = Job {
            reset_vector: 0,
            base: 0,
            memory: memory.clone(),
            latency: 0,
            beat: 0,
            changes: Vec::new(),
            limit: 100_000,
        };
        let outcome = oracle.run(&job).unwrap();
        assert_eq!(outcome.exit, Some(1), "{name} on the Verilog of {}", config.name);
    }
}

#[test]
fn multiplication_and_division() {
    check("m", Extension::M);
}

#[test]
fn supervisor_mode_and_translation() {
    check("supervisor", Extension::Supervisor);
}
