//! Compares random programs on our timed cores and on the Verilog: every instruction retires in the same cycle.

use crate::common::oracle;
use crate::loops;
use crate::privileged;
use crate::programs::{LENGTH, entry, number, timed};
use core_rv32::{Config, Timing};
use fastrand::Rng;
use machine::cores;
use rtl::comparison::{Difference, Same};
use rtl::{Around, Change, Core as Rtl, Jitter, Job, Line, Oracle};

/// Interrupt lines that rise at random times and fall some cycles later.
pub(crate) fn interrupts(rng: &mut Rng) -> Vec<Change> {
    let count = rng.usize(..40);
    rising(count, 300, rng)
}

/// Rare interrupts over `limit` cycles.
pub(crate) fn interrupts_until(limit: u64, rng: &mut Rng) -> Vec<Change> {
    let gap = rng.u64(1000..20_000);
    rising((limit / gap) as usize, gap, rng)
}

/// `count` interrupts, at most `gap` cycles apart.
fn rising(count: usize, gap: u64, rng: &mut Rng) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut cycle = 300;
    for _ in 0..count {
        cycle += rng.u64(1..gap);
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

/// Cycle limit, longer than any program that ends.
pub(crate) const LIMIT: u64 = 1_000_000;

pub(crate) fn compare(name: &str) {
    compare_on(name, LIMIT, entry, timed::program);
}

/// Programs with a single memory.
pub(crate) fn alone(
    make: impl Fn(&Config, &mut Rng) -> Vec<u8>,
) -> impl Fn(&Config, &mut Rng) -> (Vec<u8>, Around) {
    move |config, rng| (make(config, rng), Around::default())
}

/// Compares programs from `make` over `limit` cycles, in their memories, starting at the address that `first` gives.
pub(crate) fn compare_on(
    name: &str,
    limit: u64,
    first: impl Fn(&Config) -> u32,
    make: impl Fn(&Config, &mut Rng) -> (Vec<u8>, Around),
) {
    let config = cores::rv32_named(name).expect("it is known");
    let Some(oracle) = oracle(Rtl::named(name).expect("the oracle has it")) else {
        return;
    };
    let seed = number("RTL_SEED", Rng::new().u64(..));
    let mut rng = Rng::with_seed(seed);
    for round in 0..number("RTL_PROGRAMS", 25) {
        let (memory, around) = make(&config, &mut rng);
        let job = Job {
            reset_vector: first(&config),
            base: 0,
            memory,
            latency: rng.u32(..4) + u32::from(rng.bool()) * rng.u32(..18),
            beat: rng.u32(..5),
            around,
            jitter: jitter(&mut rng),
            changes: interrupts(&mut rng),
            limit,
        };
        let at = format!("{name}, RTL_SEED={seed}, program {round}");
        let same = judge(&oracle, config, &job, &at).unwrap_or_else(|text| panic!("{text}"));
        // Some programs hang on Precursor's core, in the same cycle on both sides.
        let hangs = config.timing == Some(Timing::Precursor) && same.cycles == limit;
        assert!(
            hangs || same.instructions > LENGTH as u64 / 4,
            "{at}: a short run of {same:?}"
        );
    }
}

/// Runs a job on both sides; `at` identifies it in the error if they differ.
pub(crate) fn judge(oracle: &Oracle, config: Config, job: &Job, at: &str) -> Result<Same, String> {
    let (latency, beat, jitter) = (job.latency, job.beat, job.jitter);
    let caches = &job.around.caches;
    let at = format!("{at}, latency {latency}, beat {beat}, {jitter:?}, {caches:?}");
    match rtl::comparison::compare(oracle, config, job) {
        Ok(Ok(same)) => Ok(same),
        Ok(Err(Difference(text))) => Err(format!("{at}:\n{text}")),
        Err(error) => Err(format!("{at}: {error:#}")),
    }
}

/// Random memory delays, in a third of the programs.
pub(crate) fn jitter(rng: &mut Rng) -> Option<Jitter> {
    let (seed, most) = (rng.u32(..), rng.u8(1..9));
    (rng.u8(..3) == 0).then_some(Jitter { seed, most })
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
fn the_translated_pipeline_is_that_of_the_verilog() {
    compare("vexriscv-linux");
}

#[test]
fn translation_takes_as_long_as_on_the_verilog() {
    compare_on("vexriscv-linux", LIMIT, |_| 0, alone(privileged::timed));
}

#[test]
fn the_protected_pipeline_is_that_of_the_verilog() {
    compare("vexriscv-secure");
}

#[test]
fn protection_takes_as_long_as_on_the_verilog() {
    compare_on("vexriscv-secure", LIMIT, |_| 0, alone(privileged::timed));
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

#[test]
fn loops_over_much_data_are_those_of_the_verilog() {
    for core in Rtl::ALL {
        compare_on(core.name, 20_000, entry, alone(loops::endless));
    }
}
