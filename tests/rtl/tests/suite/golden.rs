//! The golden streams: the model retires as they say, and so does the Verilog where it can be run.

use std::fs;
use std::path::Path;

use rtl_oracle::comparison::{context, first_difference};
use rtl_oracle::golden::{Golden, MEMORY, PROGRAMS, cores, file};
use rtl_oracle::{Core, Program, model};
use xtask::firmware;

use crate::common::oracle;

const PACKAGE: &str = "rv32";
const TARGET: &str = "riscv32i-unknown-none-elf";

/// The programs, with whether interrupts arrive in them.
fn programs() -> Vec<(&'static str, bool, Program)> {
    let built = firmware::build_package(PACKAGE, TARGET).expect("the firmware can be built");
    let load = |(name, interrupted)| {
        let elf = built
            .iter()
            .find(|elf| elf.file_stem().is_some_and(|stem| stem == name));
        let program = Program::load(elf.expect("the program was built"), 0, MEMORY).unwrap();
        (name, interrupted, program)
    };
    PROGRAMS.map(load).into()
}

fn kept(core: &Core, name: &str, program: &Program) -> Golden {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let file = file(&folder, core.name, name);
    let text = fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}; ./x rtl writes it", file.display()));
    Golden::from_text(&text, program).unwrap_or_else(|error| panic!("{}: {error:#}", file.display()))
}

#[test]
fn the_model_retires_as_the_golden_streams_say() {
    let programs = programs();
    for core in cores() {
        for (name, _, program) in &programs {
            let golden = kept(&core, name, program);
            assert_eq!((&*golden.program, &*golden.core), (*name, core.name));
            assert!(golden.runs.len() >= 3, "{name}: {} runs", golden.runs.len());
            for run in &golden.runs {
                let (job, theirs) = (run.job(program), &run.stream);
                assert!(theirs.len() > 50, "{name}: a short run of {}", theirs.len());
                let ours = model::run(model::config(core.name).unwrap(), &job, theirs.len()).unwrap();
                if let Some(at) = first_difference(&ours, theirs) {
                    let (latency, beat) = (run.latency, run.beat);
                    let interrupts = run.interrupts.len();
                    let context = context(&job, &ours, theirs, at);
                    panic!(
                        "{}, {name}, latency {latency}, beat {beat}, {interrupts} interrupts, instruction {at}:\n{context}",
                        core.name
                    );
                }
            }
        }
    }
}

#[test]
fn the_verilog_gives_the_golden_streams() {
    let programs = programs();
    for core in cores() {
        let Some(oracle) = oracle(core) else { return };
        for (name, interrupted, program) in &programs {
            let kept = kept(&core, name, program);
            let fresh = Golden::made(&oracle, name, *interrupted, program).unwrap();
            assert_eq!(
                fresh.runs, kept.runs,
                "{name} on {}; ./x rtl writes it anew",
                core.name
            );
            // Of another version of Verilator the same is expected.
            assert!(kept.made_with.starts_with(&core.source()), "{}", kept.made_with);
        }
    }
}

#[test]
fn a_changed_program_is_noticed() {
    let core = Core::named("vexriscv-min").expect("the oracle has it");
    let (name, _, program) = programs().swap_remove(0);
    let golden = kept(&core, name, &program);
    let text = golden.to_text(&program);
    assert_eq!(Golden::from_text(&text, &program).unwrap(), golden);
    let mut changed = program.clone();
    changed.memory[0x40] ^= 0x80;
    let error = format!("{:#}", Golden::from_text(&text, &changed).unwrap_err());
    assert!(error.contains("the program was changed since"), "{error}");
}
