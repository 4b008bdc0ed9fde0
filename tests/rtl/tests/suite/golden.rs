//! Checks that the model, and the Verilog where available, retires instructions as in the golden streams.

use std::fs;
use std::path::Path;

use rtl::comparison::{context, first_difference};
use rtl::golden::{Golden, Listed, MEMORY, PROGRAMS, cores, file};
use rtl::{Core, Program, model};
use xtask::firmware;

use crate::common::oracle;

const PACKAGE: &str = "rv32";
const TARGET: &str = "riscv32i-unknown-none-elf";

fn programs() -> Vec<(Listed, Program)> {
    let built = firmware::build_package(PACKAGE, TARGET).expect("the firmware can be built");
    let load = |listed: Listed| {
        let elf = built
            .iter()
            .find(|elf| elf.file_stem().is_some_and(|stem| stem == listed.name));
        let program = Program::load(elf.expect("the program was built"), 0, MEMORY).unwrap();
        (listed, program)
    };
    PROGRAMS.map(load).into()
}

/// The programs that a core can run.
fn of<'a>(core: &Core, programs: &'a [(Listed, Program)]) -> impl Iterator<Item = &'a (Listed, Program)> {
    programs.iter().filter(|(listed, _)| listed.runs_on(core))
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
        assert!(of(&core, &programs).count() > 1, "{}", core.name);
        for (Listed { name, .. }, program) in of(&core, &programs) {
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
        let Some(oracle) = oracle(core) else { continue };
        for (listed, program) in of(&core, &programs) {
            let name = listed.name;
            let kept = kept(&core, name, program);
            let fresh = Golden::made(&oracle, listed, program).unwrap();
            assert_eq!(
                fresh.runs, kept.runs,
                "{name} on {}; ./x rtl renews it",
                core.name
            );
            // Another Verilator version must give the same stream.
            assert!(kept.made_with.starts_with(&core.source()), "{}", kept.made_with);
        }
    }
}

#[test]
fn a_changed_program_is_noticed() {
    let core = Core::named("vexriscv-min").expect("the oracle has it");
    let (listed, program) = programs().swap_remove(1);
    let golden = kept(&core, listed.name, &program);
    let text = golden.to_text(&program);
    assert_eq!(Golden::from_text(&text, &program).unwrap(), golden);
    let mut changed = program.clone();
    changed.memory[0xc0] ^= 0x80;
    let error = format!("{:#}", Golden::from_text(&text, &changed).unwrap_err());
    assert!(error.contains("the program was changed since"), "{error}");
}
