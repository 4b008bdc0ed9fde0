//! Precursor's core, whose Verilog is in no package (docs/rv32.md): whoever has it names its folder, or it is not compared here. The
//! golden streams are compared everywhere.

use fastrand::Rng;
use machine::cores;
use rtl_oracle::Core;

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
