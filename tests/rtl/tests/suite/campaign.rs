//! Counts instructions of every kind of program on every core, compared with the Verilog. `./x campaign rtl` runs it, and `docs/rv32.md`
//! keeps the tally. `RTL_INSTRUCTIONS` is the number per core; `RTL_CORE` selects one core.

use std::collections::BTreeMap;
use std::sync::Mutex;

use core_rv32::{Config, Protection, Translation};
use fastrand::Rng;
use machine::cores;
use rtl::comparison::Same;
use rtl::{Job, Oracle};

use crate::common::{oracle, tell};
use crate::compiled;
use crate::cycles::{LIMIT, interrupts, interrupts_until, jitter, judge};
use crate::loops;
use crate::memories::cut;
use crate::privileged;
use crate::programs::{entry, number, timed};

/// Cycle limit of an endless loop, and of a compiled program.
const LOOP: u64 = 200_000;
const COMPILED: u64 = 1_500_000;
const ROUNDS: u32 = 40;

/// A kind of program: name, share of the instructions in percent, and generator.
type Kind = (&'static str, u64, fn(&Config, &mut Rng) -> Job);

const KINDS: [Kind; 5] = [
    ("compiled", 50, |config, rng| {
        compiled::job(config, ROUNDS, COMPILED, rng)
    }),
    ("loops", 15, endless),
    ("random", 15, random),
    ("random, behind caches", 10, cached),
    ("random, privileged", 10, levels),
];

fn with(config: &Config, (memory, around): (Vec<u8>, rtl::Around), limit: u64, rng: &mut Rng) -> Job {
    Job {
        reset_vector: entry(config),
        base: 0,
        memory,
        latency: rng.u32(..4) + u32::from(rng.bool()) * rng.u32(..18),
        beat: rng.u32(..5),
        around,
        jitter: jitter(rng),
        changes: interrupts(rng),
        limit,
    }
}

fn endless(config: &Config, rng: &mut Rng) -> Job {
    let memory = loops::endless(config, rng);
    let job = with(config, (memory, rtl::Around::default()), LOOP, rng);
    Job {
        changes: interrupts_until(LOOP, rng),
        ..job
    }
}

fn random(config: &Config, rng: &mut Rng) -> Job {
    let program = timed::program(config, rng);
    with(config, program, LIMIT, rng)
}

fn cached(config: &Config, rng: &mut Rng) -> Job {
    let memory = crate::programs::program(config, rng);
    let program = cut(config, memory, rng);
    with(config, program, LIMIT, rng)
}

fn levels(config: &Config, rng: &mut Rng) -> Job {
    if config.protection == Protection::None && config.translation == Translation::None {
        return random(config, rng);
    }
    let memory = privileged::timed(config, rng);
    let job = with(config, (memory, rtl::Around::default()), LIMIT, rng);
    Job {
        reset_vector: 0,
        ..job
    }
}

/// Runs programs of a kind until `least` instructions have retired.
fn run(oracle: &Oracle, config: Config, kind: Kind, least: u64, seed: u64) -> Result<(u64, Same), String> {
    let (name, _, make) = kind;
    let mut rng = Rng::with_seed(seed);
    let (mut programs, mut all) = (0, Same::default());
    while all.instructions < least {
        let job = make(&config, &mut rng);
        let at = format!("{}, {name}, RTL_SEED={seed}, program {programs}", config.name);
        let same = judge(oracle, config, &job, &at)?;
        programs += 1;
        all.instructions += same.instructions;
        all.traps += same.traps;
        all.writes += same.writes;
        all.cycles += same.cycles;
    }
    Ok((programs, all))
}

#[test]
#[ignore = "a campaign of many minutes: ./x campaign rtl"]
fn a_campaign_finds_no_difference() {
    if !compiled::can_compile() {
        return;
    }
    let total = number("RTL_INSTRUCTIONS", 10_000_000);
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let only = std::env::var("RTL_CORE").ok();
    let chosen = |config: &Config| only.as_ref().is_none_or(|only| only == config.name);
    let mut tasks = Vec::new();
    for config in cores::rv32().filter(chosen) {
        if let Some(rtl) = rtl::Core::named(config.name) {
            let Some(oracle) = oracle(rtl) else { continue };
            tasks.extend(KINDS.map(|kind| (oracle.clone(), config, kind)));
        }
    }
    println!(
        "| core | programs | number | instructions | traps | writes | cycles |\n|---|---|--:|--:|--:|--:|--:|"
    );
    let (tasks, failures) = (Mutex::new(tasks.into_iter()), Mutex::new(Vec::new()));
    let counts = Mutex::new(BTreeMap::<&str, [u64; 3]>::new());
    let count = |core, more: [u64; 3]| {
        let mut counts = counts.lock().expect("nobody panics with it");
        let sums = counts.entry(core).or_default();
        *sums = std::array::from_fn(|at| sums[at] + more[at]);
    };
    let work = || {
        loop {
            let task = tasks.lock().expect("nobody panics with it").next();
            let Some((oracle, config, kind)) = task else { break };
            match run(&oracle, config, kind, total * kind.1 / 100 + 1, seed) {
                Ok((programs, same)) => {
                    println!(
                        "| `{}` | {} | {programs} | {} | {} | {} | {} |",
                        config.name, kind.0, same.instructions, same.traps, same.writes, same.cycles
                    );
                    count(config.name, [programs, same.instructions, 0]);
                }
                Err(text) => {
                    println!("{text}");
                    count(config.name, [1, 0, 1]);
                    failures.lock().expect("nobody panics with it").push(text);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    for (core, counts) in counts.into_inner().expect("nobody panicked with it") {
        tell("Verilog", core, seed, counts);
    }
    let failures = failures.into_inner().expect("nobody panicked with it");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
