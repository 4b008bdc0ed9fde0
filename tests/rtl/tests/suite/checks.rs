//! Runs the self-checking programs of `firmware/rv32/checks` on our core without timing, with timing, and on the Verilog of every core
//! that supports them.

mod assembled;
mod core;
mod qemu;

use std::path::Path;

use core_rv32::{Config, Family, Protection, Translation};
use isa_rv32::{Extension, Isa};
use machine::cores;
use rtl::{Core, Job, model, ports};

use crate::common::{machine, oracle};

use assembled::{Assembled, ENTRY, Surroundings, can_assemble, sources};

/// Known deviations of a core from the manual, which its Verilog has too: the first case of a check that fails there. Precursor's core
/// keeps a reservation after SC, and code right after SFENCE.VMA may still see the old table.
const OTHERWISE: [(&str, &str); 2] = [
    ("a of vexriscv-precursor", "case 3: a.s:21"),
    ("sv32 of vexriscv-precursor", "case 76: sv32.s:305"),
];

/// Instructions, or cycles, after which a check counts as hung.
const LIMIT: u64 = 400_000;

/// The value of the finish port until the program writes it.
const RUNS: u32 = u32::MAX;

/// Memory latency in cycles, and cycles per further word of a burst.
const LATENCIES: [(u32, u32); 2] = [(0, 0), (3, 1)];

fn job(memory: &[u8], (latency, beat): (u32, u32)) -> Job {
    Job {
        reset_vector: ENTRY,
        memory: memory.to_vec(),
        latency,
        beat,
        limit: LIMIT,
        ..Job::default()
    }
}

/// The program's result on our core without timing. The ports are memory; their levels reach the core after each instruction.
fn without_time(config: Config, memory: &[u8]) -> Option<u32> {
    let mut core = machine(config, memory);
    core.pc = ENTRY;
    assert!(core.bus.load(ports::FINISH, &RUNS.to_le_bytes()));
    for now in 0..LIMIT {
        core.step(now)
            .unwrap_or_else(|error| panic!("{} at {:#x}: {error:?}", config.name, core.pc));
        let level = |port| core.bus.peek_word(port).unwrap_or_default();
        let exit = level(ports::FINISH);
        if exit != RUNS {
            return Some(exit);
        }
        let (timer, software, external) = (
            level(ports::TIMER),
            level(ports::SOFTWARE),
            level(ports::EXTERNAL),
        );
        let csrs = &mut core.csrs;
        csrs.external = external;
        let heard = match config.family {
            Family::VexRiscv => external & csrs.external_mask,
            Family::Ibex | Family::Manual => external,
        };
        csrs.input_pending = (software & 1) << 3 | (timer & 1) << 7 | u32::from(heard != 0) << 11;
    }
    None
}

/// Runs the check in every environment and returns the failures.
fn run(source: &Path, config: Config) -> Vec<String> {
    let check = Assembled::new(source, &config, Surroundings::Harness);
    let mut verdicts = vec![("without time", check.verdict(without_time(config, &check.memory)))];
    let oracle = Core::named(config.name).and_then(oracle);
    for job in LATENCIES.map(|latencies| job(&check.memory, latencies)) {
        if config.timing.is_some() {
            let exit = model::exit(config, &job).map_err(|error| error.to_string());
            verdicts.push(("in time", exit.and_then(|exit| check.verdict(exit))));
        }
        if let Some(oracle) = &oracle {
            let exit = oracle.run(&job).unwrap().exit;
            verdicts.push(("on the Verilog", check.verdict(exit)));
        }
    }
    if config.name == "rv32" {
        let check = Assembled::new(source, &config, Surroundings::Virt);
        verdicts.extend(qemu::verdict(&check).map(|verdict| ("on QEMU", verdict)));
    }
    let name = source.file_stem().unwrap_or_default().display();
    let failed = |(place, verdict): (&str, Result<(), String>)| {
        verdict
            .err()
            .map(|what| format!("{name} of {}, {place}: {what}", config.name))
    };
    verdicts.into_iter().filter_map(failed).collect()
}

/// Runs a check on every core that has what it needs.
fn check(name: &str, needs: impl Fn(&Config) -> bool) {
    if !can_assemble() {
        return;
    }
    let source = sources().join(name).with_extension("s");
    let mut failed: Vec<_> = cores::rv32()
        .filter(needs)
        .flat_map(|config| run(&source, config))
        .collect();
    for (of, case) in OTHERWISE
        .iter()
        .filter(|(of, _)| of.starts_with(&format!("{name} of ")))
    {
        let before = failed.len();
        failed.retain(|what| !what.starts_with(of) || !what.contains(case));
        assert!(
            failed.len() < before,
            "{of}: {case} holds, and is not expected to"
        );
    }
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

/// Runs a check on every core with an extension.
fn check_extension(name: &str, extension: Extension) {
    check(name, |config| config.isa.has(extension));
}

#[test]
fn the_base_instruction_set() {
    check("i", |_| true);
}

#[test]
fn the_base_instruction_set_with_few_registers() {
    if !can_assemble() {
        return;
    }
    let config = Config {
        name: "rv32e",
        isa: Isa::RV32E.with(Extension::Zicsr),
        ..cores::rv32_named("rv32").expect("the generic core")
    };
    let failed = run(&sources().join("i.s"), config);
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

#[test]
fn multiplication_and_division() {
    check_extension("m", Extension::M);
}

#[test]
fn atomic_operations() {
    check_extension("a", Extension::Zalrsc);
}

#[test]
fn compressed_encodings() {
    check_extension("c", Extension::C);
}

#[test]
fn bit_manipulation() {
    check_extension("zba", Extension::Zba);
    check_extension("zbb", Extension::Zbb);
    check_extension("zbs", Extension::Zbs);
}

#[test]
fn code_that_changes() {
    check_extension("zifencei", Extension::Zifencei);
}

#[test]
fn control_and_status_registers() {
    check("zicsr", |config| !config.halts);
}

#[test]
fn counters() {
    check("counters", |config| {
        [0xb00, 0xc00].iter().any(|&csr| config.access(csr).is_some())
    });
}

#[test]
fn traps_to_machine_mode() {
    check("traps", |config| !config.halts);
}

#[test]
fn supervisor_mode() {
    check("supervisor", |config| config.supervisor);
}

#[test]
fn protection() {
    check("pmp", |config| config.protection != Protection::None);
}

#[test]
fn translation() {
    check("sv32", |config| config.translation != Translation::None);
}

/// Two cases, the second of which fails on purpose, after `lines` extra lines.
fn deliberate(name: &str, lines: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join(name).with_extension("s");
    let text =
        format!(" .include \"start.inc\"\n begin\n ri addi, 3, 1, 2\n{lines}\n ri addi, 4, 1, 2\n finish\n");
    std::fs::write(&source, text).unwrap();
    let config = cores::rv32_named("vexriscv-min").expect("it is known");
    let check = Assembled::new(&source, &config, Surroundings::Harness);
    let verdicts = [
        check.verdict(without_time(config, &check.memory)),
        check.verdict(model::exit(config, &job(&check.memory, LATENCIES[0])).unwrap()),
    ];
    assert_eq!(verdicts[0], verdicts[1]);
    verdicts[0].clone().expect_err("it does not hold")
}

#[test]
fn a_case_that_does_not_hold_is_reported_with_its_line() {
    if can_assemble() {
        assert_eq!(deliberate("wrong", ""), "case 2: wrong.s:5: ri addi, 4, 1, 2");
        let trap = deliberate("trap", " case\n ecall");
        assert_eq!(trap, "case 2: a trap, trap.s:4: case");
        assert_eq!(deliberate("endless", " case\n j ."), "no end");
    }
}
