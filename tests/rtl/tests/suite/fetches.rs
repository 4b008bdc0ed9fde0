//! Compares the fetches of random programs: our cores fetch the same addresses in the same cycles as the Verilog, including code that
//! never executes.

use std::collections::HashSet;

use core_rv32::Config;
use fastrand::Rng;
use machine::cores;
use rtl::{Core, Job, Step, model};

use crate::common::{FINISH, has_verilog, oracle, packaged, vexriscv};
use crate::cycles::interrupts;
use crate::programs::{entry, number, program};

#[test]
fn cores_fetch_as_on_the_verilog() {
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let mut rng = Rng::with_seed(seed);
    for config in cores::rv32().filter(has_verilog) {
        if !compare(&config, seed, &mut rng) {
            return;
        }
    }
}

/// Compares programs on a core; returns false if its Verilog is missing.
pub(crate) fn compare(config: &Config, seed: u64, rng: &mut Rng) -> bool {
    let Some(oracle) = oracle(Core::named(config.name).expect("the oracle has it")) else {
        return false;
    };
    for round in 0..number("RTL_PROGRAMS", 8) {
        let job = Job {
            reset_vector: entry(config),
            memory: program(config, rng),
            latency: rng.u32(..4) * rng.u32(..3),
            beat: rng.u32(..3),
            changes: interrupts(rng),
            limit: 1_000_000,
            ..Job::default()
        };
        let outcome = oracle.run_with_fetches(&job).unwrap();
        let (ours, theirs) = (
            model::fetches(*config, &job, outcome.cycles).unwrap(),
            outcome.fetches,
        );
        assert!(theirs.len() > 200, "a short run of {}", theirs.len());
        let words = theirs.iter().all(|step| step.pc & 3 == 0);
        assert!(words || !config.fetches_words(), "{}", config.name);
        let [ours, theirs] = [ours, theirs].map(HashSet::<Step>::from_iter);
        let first = ours.symmetric_difference(&theirs).min_by_key(|step| step.cycle);
        assert!(
            first.is_none(),
            "{}, RTL_SEED={seed}, program {round}, latency {}, beat {}: {first:x?}",
            config.name,
            job.latency,
            job.beat
        );
    }
    true
}

/// Two adjacent functions, each called ten times: li x20,10; 1: jal 0x40; nop; jal 0x48; addi x20,x20,-1; bnez x20,1b. At 0x40: addi
/// x19,x19,1; ret; addi x19,x19,-1; ret.
const CALLS: [u32; 6] = [
    0x00a0_0a13,
    0x03c0_00ef,
    0x0000_0013,
    0x03c0_00ef,
    0xfffa_0a13,
    0xfe0a_18e3,
];
const FUNCTIONS: [u32; 4] = [0x0019_8993, 0x0000_8067, 0xfff9_8993, 0x0000_8067];
const SECOND: u32 = 0x48;

/// A fetch-based counter counts the second function twice as often as it executes, since each return from the first function fetches into
/// it.
#[test]
fn what_lies_behind_a_return_is_fetched() {
    let mut code = [&CALLS[..], &FINISH, &[0x6f]].concat();
    code.resize(16, 0x13);
    code.extend(FUNCTIONS);
    let job = Job {
        memory: code.iter().flat_map(|word| word.to_le_bytes()).collect(),
        limit: 2000,
        ..Job::default()
    };
    for config in vexriscv() {
        let count = |steps: &[Step]| steps.iter().filter(|step| step.pc == SECOND).count();
        let retired = model::run(config, &job, usize::MAX).unwrap();
        let fetched = model::fetches(config, &job, job.limit).unwrap();
        assert_eq!((count(&retired), count(&fetched)), (10, 20), "{}", config.name);
        let Some(oracle) = oracle(packaged(config.name).expect("the oracle has it")) else {
            continue;
        };
        let outcome = oracle.run_with_fetches(&job).unwrap();
        let retired: Vec<Step> = outcome.stream.iter().map(Step::from).collect();
        assert_eq!(
            (count(&retired), count(&outcome.fetches)),
            (10, 20),
            "{}",
            config.name
        );
    }
}
