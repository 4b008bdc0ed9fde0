//! Random programs on our cores in time and on the Verilog: every instruction retires in the same cycle.

use crate::common::{oracle, surroundings};
use crate::programs::{LENGTH, number, program};
use bus::WaitStates;
use core_rv32::{Config, Hart, Stop};
use fastrand::Rng;
use isa_rv32::{Isa, decode};
use probe::Event;
use rtl_oracle::{Change, Core as Rtl, Job, Line, Retired};

/// Retirements of our core: cycle and PC.
fn run(config: Config, job: &Job, count: usize) -> Vec<(u64, u32)> {
    let wait = WaitStates {
        fetch: job.latency as u8,
        read: job.latency as u8,
        write: job.latency as u8,
        turn_around: 0,
        beat: job.beat as u8,
    };
    let mut hart = Hart::new(config, surroundings(&job.memory, wait), job.reset_vector);
    for change in &job.changes {
        hart.set_line(change.cycle, ours(change.line), change.level);
    }
    let mut retired = Vec::new();
    while retired.len() < count {
        let mut events: Vec<Event> = Vec::new();
        let until = hart.cycle() + 10_000;
        assert_eq!(hart.run(until, &mut events), Stop::Cycle);
        retired.extend(events.iter().filter_map(|event| match *event {
            Event::Retire { cycle, pc, .. } => Some((cycle, pc)),
            _ => None,
        }));
    }
    retired.truncate(count);
    retired
}

fn ours(line: Line) -> core_rv32::Line {
    match line {
        Line::Timer => core_rv32::Line::Timer,
        Line::Software => core_rv32::Line::Software,
        Line::External(number) => core_rv32::Line::External(number),
    }
}

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

/// Both sides around an instruction: cycle, and cycles since the one before.
fn context(ours: &[(u64, u32)], theirs: &[Retired], at: usize) -> String {
    let around = at.saturating_sub(10).max(1)..(at + 3).min(ours.len());
    let lines = around.map(|at| {
        let Retired { cycle, pc, insn, .. } = theirs[at];
        let text = decode(insn, Isa::ALL)
            .map_or_else(|error| error.to_string(), |insn| insn.disassemble(pc).to_string());
        let (here, there) = (ours[at].0 - ours[at - 1].0, cycle - theirs[at - 1].cycle);
        let mark = if here == there && ours[at].1 == pc {
            ' '
        } else {
            '!'
        };
        format!(
            "{mark} {:>8} +{here:<3} {cycle:>8} +{there:<3} {pc:08x}  {text}\n",
            ours[at].0
        )
    });
    lines.collect()
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
            reset_vector: 0,
            base: 0,
            memory: program(&config, &mut rng),
            latency: rng.u32(..8) * rng.u32(..3),
            beat: rng.u32(..5),
            changes: interrupts(&mut rng),
            limit: 1_000_000,
        };
        let theirs = oracle.run(&job).unwrap().stream;
        assert!(theirs.len() > LENGTH / 4, "a short run of {}", theirs.len());
        let ours = run(config, &job, theirs.len());
        let differing = ours
            .iter()
            .zip(&theirs)
            .position(|(ours, theirs)| *ours != (theirs.cycle, theirs.pc));
        if let Some(at) = differing {
            let (latency, beat) = (job.latency, job.beat);
            let context = context(&ours, &theirs, at);
            let near = theirs[at].cycle.saturating_sub(60)..theirs[at].cycle + 10;
            let lines = job.changes.iter().filter(|change| near.contains(&change.cycle));
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
