//! Compares Precursor's core, whose Verilog is not packaged (docs/rv32.md). An environment variable names its folder; without it only the
//! golden streams are compared.

use fastrand::Rng;
use machine::cores;
use rtl::{Core, Job};

use crate::common::oracle;
use crate::cycles::{LIMIT, alone, compare, compare_on, judge};
use crate::memories::compare_in_pieces;
use crate::programs::{entry, number, program};
use crate::{compiled, fetches, loops, privileged};

const NAME: &str = "vexriscv-precursor";

#[test]
fn the_staged_pipeline_is_that_of_the_verilog() {
    compare(NAME);
}

#[test]
fn translation_takes_as_long_on_the_staged_pipeline() {
    compare_on(NAME, LIMIT, |_| 0, alone(privileged::timed));
}

#[test]
fn loops_over_much_data_are_those_of_the_staged_pipeline() {
    compare_on(NAME, 20_000, entry, alone(loops::endless));
}

#[test]
fn the_staged_pipeline_stands_before_a_cache() {
    compare_in_pieces(NAME, entry, program);
    compare_in_pieces(NAME, |_| 0, privileged::timed);
}

#[test]
fn the_staged_pipeline_fetches_as_the_verilog() {
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let config = cores::rv32_named(NAME).expect("it is known");
    fetches::compare(&config, seed, &mut Rng::with_seed(seed));
}

#[test]
fn privileged_programs_retire_as_on_its_verilog() {
    let config = cores::rv32_named(NAME).expect("it is known");
    let seed = number("RTL_SEED", Rng::new().u64(..));
    privileged::compare(config, seed, number("RTL_PROGRAMS", 20));
}

#[test]
fn compiled_programs_do_as_on_its_verilog() {
    let rtl = Core::named(NAME).expect("the oracle has it");
    let Some(oracle) = oracle(rtl).filter(|_| compiled::can_compile()) else {
        return;
    };
    let config = cores::rv32_named(NAME).expect("it is known");
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let mut rng = Rng::with_seed(seed);
    for round in 0..number("RTL_PROGRAMS", 25).div_ceil(25) {
        let job = compiled::job(&config, 8, 200_000, &mut rng);
        let at = format!("{NAME}, RTL_SEED={seed}, program {round}");
        let same = judge(&oracle, config, &job, &at).unwrap_or_else(|text| panic!("{text}"));
        assert!(same.instructions > 500, "{at}: {same:?}");
    }
}

/// Addresses of machine mode's handler, the root table, and the second-level table.
const HANDLER: u32 = 0x100;
const ROOT: u32 = 0x2000;
const TABLE: u32 = 0x3000;

/// Jumps to `target` in supervisor mode, with only the first two pages mapped.
fn fetches_from(target: u32) -> Job {
    let target_upper = target.wrapping_add(0x800) & 0xffff_f000;
    let start = [
        // addi x5,x0,HANDLER; csrw mtvec,x5
        HANDLER << 20 | 0x293,
        0x3052_9073,
        // li x5,1 << 31 | ROOT >> 12; csrw satp,x5
        0x8000_02b7,
        (ROOT >> 12) << 20 | 0x2_8293,
        0x1802_9073,
        // li x5,3 << 11; csrc mstatus,x5; li x5,1 << 11; csrs mstatus,x5
        0x0000_22b7,
        0x8002_8293,
        0x3002_b073,
        0x0000_12b7,
        0x8002_8293,
        0x3002_a073,
        // li x5,target; csrw mepc,x5; sfence.vma; mret
        target_upper | 0x2b7,
        target.wrapping_sub(target_upper) << 20 | 0x2_8293,
        0x3412_9073,
        0x1200_0073,
        0x3020_0073,
    ];
    // csrr x10,mtval; csrr x11,mepc; j .
    let handler = [0x3430_2573, 0x3410_25f3, 0x6f];
    let mut memory = vec![0; 0x4000];
    let mut put = |at: u32, words: &[u32]| {
        for (place, word) in memory[at as usize..].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    };
    put(0, &start);
    put(HANDLER, &handler);
    // The first half of a NOP whose second half is on the next page.
    put(0x1ffc, &[0x0013_0001]);
    put(ROOT, &[TABLE >> 12 << 10 | 1]);
    put(TABLE, &[0xcf, 1 << 10 | 0xcf]);
    Job {
        memory,
        latency: 1,
        beat: 1,
        limit: 600,
        ..Job::default()
    }
}

#[test]
fn a_fetch_that_is_refused_tells_the_address_of_its_word() {
    let config = cores::rv32_named(NAME).expect("it is known");
    for (target, word) in [(0x8000, 0x8000), (0x8002, 0x8000), (0x1ffe, 0x2000)] {
        let job = fetches_from(target);
        let record = rtl::model::record(config, &job, job.limit).expect("the model runs it");
        let trap = record.traps.first().expect("a page fault");
        assert_eq!(
            (trap.cause, trap.epc, trap.value),
            (12, target, word),
            "{target:#x}"
        );
        if let Some(oracle) = oracle(Core::named(NAME).expect("the oracle has it")) {
            judge(&oracle, config, &job, &format!("{target:#x}")).unwrap_or_else(|text| panic!("{text}"));
        }
    }
}
