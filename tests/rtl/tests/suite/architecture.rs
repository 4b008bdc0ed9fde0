//! Compares random programs on our core and on the Verilog: the same instructions retire and write the same registers.

use crate::common::{FINISH, machine, oracle, packaged};
use crate::programs::{DATA, LENGTH, MEMORY, entry, number, program, prologue};
use core_rv32::{Config, Step};
use fastrand::Rng;
use isa_rv32::{Extension, decode};
use machine::cores;
use rtl::{Job, Oracle, Retired};

/// The instructions that our core retires: PC and register written.
fn ours(config: Config, memory: &[u8], count: usize) -> Vec<(u32, Option<(u8, u32)>)> {
    let mut core = machine(config, memory);
    core.pc = entry(&config);
    let mut stream = Vec::new();
    for now in 0..10 * count as u64 {
        if stream.len() == count {
            break;
        }
        if let Step::Retired { pc, insn } = core.step(now).unwrap() {
            let rd = insn.rd.0;
            let writes = rd != 0 && !insn.is_branch() && !insn.only_stores();
            stream.push((pc, writes.then(|| (rd, core.regs[usize::from(rd)]))));
        }
    }
    stream
}

fn compare(config: Config, seed: u64, programs: u64) {
    let Some(rtl) = packaged(config.name) else {
        return;
    };
    let Some(oracle) = oracle(rtl) else { return };
    let mut rng = Rng::with_seed(seed);
    for round in 0..programs {
        let memory = program(&config, &mut rng);
        let at = format!("{}, RTL_SEED={seed}, program {round}", config.name);
        compare_one(config, &oracle, memory, rng.u32(..4), &at);
    }
}

/// Runs a program from `memory` on both sides; `at` identifies it in messages.
fn compare_one(config: Config, oracle: &Oracle, memory: Vec<u8>, latency: u32, at: &str) {
    let job = Job {
        reset_vector: entry(&config),
        memory,
        latency,
        limit: 200_000,
        ..Job::default()
    };
    let theirs = oracle.run(&job).unwrap().stream;
    let ours = ours(config, &job.memory, theirs.len());
    assert!(theirs.len() > LENGTH / 4, "{at}: a short run of {}", theirs.len());
    for (number, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        let Retired {
            pc, insn, written, ..
        } = *theirs;
        let text = decode(insn, config.isa).map(|insn| insn.disassemble(pc).to_string());
        assert_eq!(
            *ours,
            (pc, written),
            "{at}, instruction {number}: {insn:08x} {text:?}"
        );
    }
    assert_eq!(ours.len(), theirs.len());
}

/// Reserved compressed encodings, except the jump to 0 and a change of the stack pointer with which later code reads the program's data.
fn reserved(config: &Config, rng: &mut Rng) -> Vec<u16> {
    let reserved = |&raw: &u16| raw & 3 != 3 && decode(raw.into(), config.isa).is_err();
    let kept = |&raw: &u16| raw != 0x8002 && raw & 0xef83 != 0x0102;
    let mut all: Vec<u16> = (0..=u16::MAX).filter(reserved).filter(kept).collect();
    rng.shuffle(&mut all);
    all.truncate(4 * LENGTH);
    // Zero halfwords surround most programs.
    all.extend([0, 0]);
    all
}

#[test]
fn reserved_encodings_do_as_on_the_verilog() {
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let mut rng = Rng::with_seed(seed);
    for config in cores::rv32().filter(|config| config.isa.has(Extension::C)) {
        let Some(rtl) = packaged(config.name) else {
            continue;
        };
        let Some(oracle) = oracle(rtl) else { return };
        let mut code = prologue(&config, &mut rng);
        code.push(DATA | 2 << 7 | 0x37);
        let mut memory: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.extend(
            reserved(&config, &mut rng)
                .iter()
                .flat_map(|half| half.to_le_bytes()),
        );
        memory.extend(
            [0x13_u32, 0x13]
                .iter()
                .chain(&FINISH)
                .flat_map(|word| word.to_le_bytes()),
        );
        memory.resize(MEMORY as usize, 0);
        let at = format!("{}, RTL_SEED={seed}", config.name);
        compare_one(config, &oracle, memory, 0, &at);
    }
}

/// Random words that are illegal on this core, in opcodes that exist.
fn words_without_meaning(config: &Config, rng: &mut Rng) -> Vec<u32> {
    let majors = [
        0x03, 0x0b, 0x0f, 0x13, 0x17, 0x23, 0x2f, 0x33, 0x37, 0x3b, 0x53, 0x63, 0x67, 0x6f, 0x73, 0x7f,
    ];
    let mut all = Vec::new();
    while all.len() < LENGTH {
        let major = *rng.choice(&majors).expect("there are some");
        let (dense, sparse) = (rng.u32(..), rng.u32(..) & rng.u32(..));
        let raw = if rng.bool() { dense } else { dense & sparse } & !0x7f | major;
        if config.decode(raw).is_err() {
            all.push(raw);
        }
    }
    all
}

#[test]
fn words_without_meaning_trap_as_on_the_verilog() {
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let mut rng = Rng::with_seed(seed);
    for config in cores::rv32().filter(|config| !config.halts) {
        let Some(rtl) = packaged(config.name) else {
            continue;
        };
        let Some(oracle) = oracle(rtl) else { return };
        let mut code = prologue(&config, &mut rng);
        code.extend(words_without_meaning(&config, &mut rng));
        code.extend([0x13, 0x13]);
        code.extend(FINISH);
        let mut memory: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.resize(MEMORY as usize, 0);
        let at = format!("{}, RTL_SEED={seed}", config.name);
        compare_one(config, &oracle, memory, 0, &at);
    }
}

#[test]
fn random_programs_retire_as_on_the_verilog() {
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let programs = number("RTL_PROGRAMS", 20);
    for config in cores::rv32() {
        compare(config, seed, programs);
    }
}
