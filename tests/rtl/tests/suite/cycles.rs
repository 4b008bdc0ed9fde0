//! Random programs on our cores in time and on the Verilog: every instruction retires in the same cycle.

use crate::common::{FINISH, oracle, surroundings};
use crate::programs::{LENGTH, entry, number, program};
use bus::WaitStates;
use core_rv32::{Config, Hart, Stop};
use fastrand::Rng;
use probe::Event;
use rtl_oracle::comparison::{context, first_difference};
use rtl_oracle::{Change, Core as Rtl, Job, Line, Step, model};

/// Interrupt lines that rise at any time and fall some cycles later.
fn interrupts(rng: &mut Rng) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut cycle = 300;
    for _ in 0..rng.usize(..40) {
        cycle += rng.u64(1..300);
        let line = match rng.u8(..3) {
            0 => Line::Timer,
            1 => Line::Software,
            _ => Line::External(rng.u8(..32)),
        };
        let end = cycle + rng.u64(1..60);
        for (cycle, level) in [(cycle, true), (end, false)] {
            changes.push(Change { cycle, line, level });
        }
    }
    changes.sort_by_key(|change| change.cycle);
    changes
}

fn compare(name: &str) {
    let config = Config::named(name).expect("it is known");
    let Some(oracle) = oracle(Rtl::named(name).expect("the oracle has it")) else {
        return;
    };
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let mut rng = Rng::with_seed(seed);
    for round in 0..number("RTL_PROGRAMS", 25) {
        let job = Job {
            reset_vector: entry(&config),
            base: 0,
            memory: program(&config, &mut rng),
            latency: rng.u32(..8) * rng.u32(..3),
            beat: rng.u32(..5),
            changes: interrupts(&mut rng),
            limit: 1_000_000,
        };
        let theirs = oracle.run(&job).unwrap().stream;
        let theirs: Vec<Step> = theirs.iter().map(Step::from).collect();
        assert!(theirs.len() > LENGTH / 4, "a short run of {}", theirs.len());
        let ours = model::run(config, &job, theirs.len()).unwrap();
        if let Some(at) = first_difference(&ours, &theirs) {
            let (latency, beat) = (job.latency, job.beat);
            let context = context(&job, &ours, &theirs, at);
            let around = theirs[at].cycle.saturating_sub(60)..theirs[at].cycle + 10;
            let lines = job.changes.iter().filter(|change| around.contains(&change.cycle));
            let lines: Vec<_> = lines.collect();
            panic!(
                "{name}, RTL_SEED={seed}, program {round}, latency {latency}, beat {beat}, instruction {at}:\n{context}\
                 {lines:?}"
            );
        }
    }
}

#[test]
fn the_simple_pipeline_is_that_of_the_verilog() {
    compare("vexriscv-min");
}

#[test]
fn the_lite_pipeline_is_that_of_the_verilog() {
    compare("vexriscv-lite");
}

#[test]
fn the_cached_pipeline_is_that_of_the_verilog() {
    compare("vexriscv-standard");
    compare("vexriscv-full");
}

#[test]
fn the_compressed_pipeline_is_that_of_the_verilog() {
    compare("vexriscv-imac");
}

#[test]
fn ibex_is_that_of_the_verilog() {
    compare("ibex");
    compare("ibex-wb");
}

#[test]
fn picorv32_is_that_of_the_verilog() {
    compare("picorv32");
}

/// x1 to x3 as a small program leaves them: nop; rdcycle x1; slli x0,x0,9; rdinstret x2; rdtime x3.
const COUNTS: [u32; 5] = [0x13, 0xc000_20f3, 0x0090_1013, 0xc020_2173, 0xc010_21f3];

#[test]
fn the_counters_of_picorv32_are_those_of_the_verilog() {
    let rtl = Rtl::named("picorv32").expect("the oracle has it");
    let Some(oracle) = oracle(rtl) else { return };
    let code = [&COUNTS[..], &FINISH, &[0x6f]].concat();
    let memory: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    for latency in 0..4 {
        let job = Job {
            reset_vector: 0,
            base: 0,
            memory: memory.clone(),
            latency,
            beat: 0,
            changes: Vec::new(),
            limit: 1000,
        };
        let written = oracle.run(&job).unwrap().stream.into_iter();
        let theirs: Vec<u32> = written
            .filter_map(|retired| retired.written)
            .filter(|(register, _)| (1..=3).contains(register))
            .map(|(_, value)| value)
            .collect();
        let wait = WaitStates {
            fetch: latency as u8,
            ..WaitStates::default()
        };
        let mut hart = Hart::new(Config::PICORV32, surroundings(&memory, wait), 0);
        assert_eq!(hart.run(200, &mut Vec::<Event>::new()), Stop::Cycle);
        assert_eq!(hart.core().regs[1..=3], theirs, "latency {latency}");
    }
}

#[test]
fn picorv32_halts_at_what_would_be_a_trap() {
    // ecall; lw x1,1(x0); csrw mtvec,x0; mret; fence.i
    for instruction in [0x73, 0x0010_2083, 0x3050_1073, 0x3020_0073, 0x100f] {
        let code = [0x13, instruction];
        let memory: Vec<u8> = code.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        let mut hart = Hart::new(Config::PICORV32, surroundings(&memory, WaitStates::default()), 0);
        let mut events: Vec<Event> = Vec::new();
        assert_eq!(hart.run(200, &mut events), Stop::Forever, "{instruction:#x}");
        assert_eq!((hart.core().pc, events.len()), (4, 1), "{instruction:#x}");
    }
}
