//! Random programs on our core and on the Verilog: the same instructions retire and write the same registers.

use crate::common::{machine, oracle};
use crate::programs::{LENGTH, entry, number, program};
use core_rv32::{Config, Step};
use fastrand::Rng;
use isa_rv32::{Op, decode};
use rtl_oracle::{Core as Rtl, Job, Retired};

/// What our core retires: PC and register written.
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
            let writes =
                rd != 0 && !insn.is_branch() && (!insn.is_store() || insn.is_amo() || insn.op == Op::ScW);
            stream.push((pc, writes.then(|| (rd, core.regs[usize::from(rd)]))));
        }
    }
    stream
}

fn compare(config: Config, seed: u64, programs: u64) {
    let rtl = Rtl::named(config.name).expect("the oracle has it");
    let Some(oracle) = oracle(rtl) else { return };
    let mut rng = Rng::with_seed(seed);
    for round in 0..programs {
        let memory = program(&config, &mut rng);
        let job = Job {
            reset_vector: entry(&config),
            base: 0,
            memory: memory.clone(),
            latency: rng.u32(..4),
            beat: 0,
            changes: Vec::new(),
            limit: 200_000,
        };
        let theirs = oracle.run(&job).unwrap().stream;
        let ours = ours(config, &memory, theirs.len());
        assert!(
            theirs.len() > LENGTH / 4,
            "{}: a short run of {}",
            config.name,
            theirs.len()
        );
        for (at, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            let Retired {
                pc, insn, written, ..
            } = *theirs;
            let text = decode(insn, config.isa).map(|insn| insn.disassemble(pc).to_string());
            assert_eq!(
                *ours,
                (pc, written),
                "{}, RTL_SEED={seed}, program {round}, instruction {at}: {insn:08x} {text:?}",
                config.name
            );
        }
        assert_eq!(ours.len(), theirs.len());
    }
}

#[test]
fn random_programs_retire_as_on_the_verilog() {
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let programs = number("RTL_PROGRAMS", 20);
    for config in Config::all() {
        compare(config, seed, programs);
    }
}
