//! Compares random programs with the oracle. The seed is printed and `DIFFERENTIAL_SEED` repeats it; `DIFFERENTIAL_INSTRUCTIONS` is the
//! number of instructions to compare (default one million).

use std::rc::Rc;

use differential::{Oracle, Program, Statistics, Subject, Target, comparable, compare, load, tell};
use fastrand::Rng;
use isa_thumb::table::{Row, rows};

/// Groups per program: enough to amortise the start, few enough to repeat a failure at once.
const GROUPS: usize = 500;

/// Executions per program, each with other values, since Unicorn's translation takes the most time.
const ROUNDS: usize = 12;

fn number(variable: &str, default: u64) -> u64 {
    let value = std::env::var(variable).ok();
    value.map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{variable} is a number, not {text:?}"))
    })
}

#[test]
fn random_programs_of_a_cortex_m0_agree_with_unicorn() {
    agrees(Target::CortexM0);
}

#[test]
fn random_programs_of_a_cortex_m3_agree_with_unicorn() {
    agrees(Target::CortexM3);
}

#[test]
fn random_programs_of_a_cortex_m4f_agree_with_unicorn() {
    agrees(Target::CortexM4F);
}

fn agrees(target: Target) {
    let seed = number("DIFFERENTIAL_SEED", Rng::new().u64(..));
    let wanted = number("DIFFERENTIAL_INSTRUCTIONS", 1_000_000);
    println!("DIFFERENTIAL_SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    let mut oracle = Oracle::new(target).expect("Unicorn starts");
    let mut subject = Subject::new(target);
    let mut statistics = Statistics::default();
    let mut programs = 0;
    while statistics.instructions < wanted {
        let mut program = Rc::new(Program::random(target, GROUPS, &mut rng));
        load(&program, &mut oracle, &mut subject);
        programs += 1;
        for _ in 0..ROUNDS {
            if let Err(mismatch) = compare(&program, &mut oracle, &mut subject, &mut statistics) {
                let done = statistics.instructions;
                panic!("{target:?}, after {done} instructions of DIFFERENTIAL_SEED={seed}:\n{mismatch}");
            }
            program = Rc::new(program.again(target, &mut rng));
        }
    }
    println!(
        "{target:?}: {} instructions, {} skipped, {} stops",
        statistics.instructions, statistics.skipped, statistics.stops
    );
    let core = match target {
        Target::CortexM0 => "cortex-m0",
        Target::CortexM3 => "cortex-m3",
        Target::CortexM4F => "cortex-m4f",
    };
    tell("Unicorn", core, seed, [programs, statistics.instructions, 0]);
    if wanted >= 1_000_000 {
        assert_every_row_was_hit(target, &statistics);
    }
}

fn assert_every_row_was_hit(target: Target, statistics: &Statistics) {
    let count = |row: &Row| {
        rows()
            .iter()
            .position(|other| other.name == row.name)
            .map(|index| statistics.rows[index])
    };
    let missing = comparable(target).iter().filter(|row| count(row) == Some(0));
    let missing: Vec<&str> = missing.map(|row| row.name).collect();
    assert!(
        missing.is_empty(),
        "no instruction of these rows was executed: {missing:#?}"
    );
}

#[test]
fn only_what_is_known_is_left_out() {
    let left_out = |target: Target| -> Vec<&str> {
        let compared: Vec<&str> = comparable(target).iter().map(|row| row.name).collect();
        let isa = target.isa();
        let of_core = |row: &&Row| {
            row.op.is_some_and(|op| isa.has(op, row.pattern.size))
                && row.is_of(isa)
                && (isa.has_float() || !row.is_float())
        };
        let defined = rows().iter().filter(of_core).map(|row| row.name);
        defined.filter(|name| !compared.contains(name)).collect()
    };
    let hints = ["YIELD T1", "WFE T1", "WFI T1"];
    assert_eq!(left_out(Target::CortexM0), hints);
    let on_both = [
        "YIELD T1", "WFE T1", "WFI T1", "YIELD T2", "WFE T2", "WFI T2", "STREX", "STREXB", "STREXH",
    ];
    assert_eq!(left_out(Target::CortexM3), on_both);
    assert_eq!(left_out(Target::CortexM4F), on_both);
}
