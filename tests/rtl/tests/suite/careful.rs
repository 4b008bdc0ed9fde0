//! Counts random instructions on every RV32 core, comparing memoised with clocked pipelines. `./x campaign random` runs it, and
//! `docs/reliability.md` keeps the tally. `RANDOM_INSTRUCTIONS` is the number per core, `RANDOM_SEED` the seed, `RANDOM_TALLY` the folder
//! for the counts.

use core_rv32::{Config, Protection, Stop, Translation};
use events::Silent;
use fastrand::Rng;
use machine::cores;

use crate::fast::{endless, hart, state};
use crate::programs::number;
use crate::{loops, privileged};

/// Cycles per program. A program that reaches its end starts again with other values.
const LONG: u64 = 400_000;

/// A random program of any kind that the core supports.
fn program(config: &Config, rng: &mut Rng) -> Vec<u8> {
    let has_levels = config.protection != Protection::None || config.translation != Translation::None;
    match rng.u8(..4) {
        0 if has_levels => privileged::program(config, rng),
        0 | 1 => loops::endless(config, rng),
        _ => endless(config, rng),
    }
}

/// Runs one program; returns its instructions, and whether it ends as with every cycle clocked.
fn one(config: &Config, rng: &mut Rng) -> (u64, bool) {
    let memory = program(config, rng);
    let mut quick = hart(config, &memory, rng);
    let mut clocked = quick.clone();
    clocked.set_cost_reuse(false);
    let until = rng.u64(LONG / 2..LONG);
    let stops: [Stop; 2] = [&mut quick, &mut clocked].map(|hart| hart.run(until, &mut Silent));
    let is_same = stops[0] == stops[1] && state(&mut quick) == state(&mut clocked);
    (clocked.retired(), is_same)
}

#[test]
#[ignore = "a campaign of many minutes: ./x campaign random"]
fn random_instructions_are_the_same_remembered_and_clocked() {
    let (wanted, seed) = (number("RANDOM_INSTRUCTIONS", 1_000_000), number("RANDOM_SEED", 1));
    for config in cores::rv32().filter(|config| config.timing.is_some()) {
        let (mut programs, mut instructions, mut is_same) = (0, 0, true);
        while instructions < wanted && is_same {
            let mut rng = Rng::with_seed(seed << 32 | programs);
            let (more, same) = one(&config, &mut rng);
            // A program that ends at once counts as one instruction.
            instructions += more.max(1);
            programs += 1;
            is_same = same;
        }
        crate::common::tell(
            "careful way",
            config.name,
            seed,
            [programs, instructions, u64::from(!is_same)],
        );
        assert!(
            is_same,
            "{}: program {} of seed {seed}",
            config.name,
            programs - 1
        );
    }
}
