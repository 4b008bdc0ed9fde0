//! Counts random instructions, comparing the fast path with the slow path. `./x campaign random` runs it, and `docs/reliability.md` keeps
//! the tally. `RANDOM_INSTRUCTIONS` is the number per core, `RANDOM_SEED` the seed, `RANDOM_TALLY` the folder for the counts.

use core_cortex_m::{Core, Effect, Stop};
use differential::{Length, Standalone, Target, tell};
use events::Silent;
use fastrand::Rng;

use crate::{Around, Listening, core, end_of, regions};

const LONG: Length = Length {
    blocks: 40,
    passes: 34,
};

/// Cycle limit by which a program has ended, if it ends at all.
const LIMIT: u64 = 200_000;

/// One in this many programs runs with a listener on the fast path.
const LISTENED: u64 = 16;

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.map_or(otherwise, |text| text.parse().expect(variable))
}

#[test]
#[ignore = "a campaign of many minutes: ./x campaign random"]
fn random_instructions_are_the_same_both_ways() {
    campaign(Target::CortexM3, "cortex-m3");
    campaign(Target::CortexM4F, "cortex-m4f");
}

/// A flash whose fetches share the bus with data: another word of the last line takes a bus cycle too.
#[test]
fn a_word_of_the_same_line_takes_the_bus_each_time() {
    same_again(2, 589, 30_000);
}

/// A multi-word load with a faulting address makes no access, and the access before it does not determine when it ends.
#[test]
fn a_fault_is_raised_when_its_instruction_has_begun() {
    same_again(302, 9163, 8_000);
}

/// A program of a Cortex-M3 that once differed, and that executes more than `least` instructions.
fn same_again(seed: u64, program: u64, least: u64) {
    let mut instructions = 0;
    let same = one(
        Target::CortexM3,
        program,
        &mut of(seed, program),
        &mut instructions,
    );
    same.expect("both ways are the same");
    assert!(instructions > least, "{instructions}");
}

/// The random generator of a program.
fn of(seed: u64, program: u64) -> Rng {
    Rng::with_seed(seed << 32 | program)
}

fn campaign(target: Target, name: &str) {
    let (wanted, seed) = (number("RANDOM_INSTRUCTIONS", 1_000_000), number("RANDOM_SEED", 1));
    let (mut programs, mut instructions) = (0, 0);
    while instructions < wanted {
        let mut rng = of(seed, programs);
        let difference = one(target, programs, &mut rng, &mut instructions);
        programs += 1;
        if let Err(text) = difference {
            tell("careful way", name, seed, [programs, instructions, 1]);
            panic!("{target:?}: program {} of seed {seed}: {text}", programs - 1);
        }
    }
    tell("careful way", name, seed, [programs, instructions, 0]);
}

/// Runs a program on random memories, possibly from a flash or under an MPU, possibly with frequent interrupts, on the fast path and with
/// each instruction timed separately.
fn one(target: Target, number: u64, rng: &mut Rng, instructions: &mut u64) -> Result<(), String> {
    let around = [Around::Memory, Around::Flash, Around::Mpu][number as usize % 3];
    let period = rng.bool().then(|| 60 + rng.u32(..400));
    let regions = if around == Around::Mpu {
        regions(rng)
    } else {
        Vec::new()
    };
    let mut program = Standalone::random(target, LONG, period, &regions, rng);
    let surroundings = rng.clone();
    let begin = |program: &Standalone| core(target, program, around, &mut surroundings.clone());
    mend(&mut program, begin);
    let mut quick = begin(&program);
    let mut careful = quick.clone();
    careful.set_cost_reuse(false);
    let stop = if number.is_multiple_of(LISTENED) {
        quick.run(LIMIT, &mut Listening::default())
    } else {
        quick.run(LIMIT, &mut Silent)
    };
    let expected = careful.run(LIMIT, &mut Silent);
    *instructions += careful.instructions();
    same((&stop, &quick), (&expected, &careful))
}

fn same(quick: (&Stop, &Core), careful: (&Stop, &Core)) -> Result<(), String> {
    let ends = [quick, careful].map(|(stop, core)| (stop, end_of(core), core.instructions()));
    if ends[0] == ends[1] {
        return Ok(());
    }
    Err(format!("{:?}\nbut carefully {:?}", ends[0], ends[1]))
}

/// Removes groups that end the program early: wherever a single instruction fails, its group becomes NOPs and execution continues there.
/// Then the program runs from the start again.
fn mend(program: &mut Standalone, begin: impl Fn(&Standalone) -> Core) {
    const ROUNDS: usize = 8;
    for _ in 0..ROUNDS {
        let silenced = mend_once(program, begin(program));
        if silenced == 0 {
            return;
        }
    }
}

/// Removes failing groups in one run and returns their number.
fn mend_once(program: &mut Standalone, mut core: Core) -> usize {
    const MOST: usize = 500;
    let (mut last, mut budget, mut silenced) = (0, LIMIT, 0);
    while budget > 0 && silenced < MOST {
        budget -= 1;
        let pc = core.regs.r[15];
        match core.execute_alone() {
            Effect::Done | Effect::Skipped => last = pc,
            Effect::Breakpoint(_) => break,
            _ => {
                let found = [core.regs.r[15], last].into_iter().find_map(|address| {
                    let (start, nops) = program.silence(address)?;
                    Some((start, nops.to_vec()))
                });
                let Some((start, nops)) = found else { break };
                assert!(core.bus.load(start, &nops), "{start:#x}");
                (core.regs.r[15], core.regs.it, core.regs.thumb) = (start, 0, true);
                silenced += 1;
            }
        }
    }
    silenced
}
