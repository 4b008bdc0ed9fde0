//! Sweeps for level interrupts, as on RV32: a line stays high until its task has run.
//!
//! A task acknowledges by writing the number of its interrupt to the program's static `ACKNOWLEDGED`. The line then falls, like a
//! peripheral's when its flag is cleared.

use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::Context as _;
use events::{Event, Flow, Interest, Pcs, Ranges, Sink};
use lab::backend::{Backend, Bench};
use lab::sweep::Sweep;
use machine::target::Drive;
use machine::{Board, Exception, Image, Options, Outcome};

use crate::{Chance, Findings};

/// Cycles within which a program must end, whatever interrupts it.
const LIMIT: u64 = 300_000;

/// The distances in cycles between the rising edges of the lines: from 0 to beyond the end of the first line's task.
const APART: &[u64] = &[0, 20, 35, 50, 65, 80, 95, 110, 125, 140, 155];

/// An interrupt line and the number that acknowledges it.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The core's input.
    pub input: Exception,
    /// The value that its task writes to `ACKNOWLEDGED`.
    pub number: u32,
}

/// Runs `image` with each of `lines`, the least urgent first, raised alone at every cycle from reset to the end of an undisturbed run.
/// Then raises all of them, at once or one after the other, so that traps nest.
///
/// # Errors
/// If the program fails without an interrupt, or has no `ACKNOWLEDGED`.
pub fn sweep_lines(board: &Board, image: &Arc<Image>, lines: &[Line]) -> anyhow::Result<Findings> {
    sweep_range(board, image, lines, None, 1)
}

/// As [`sweep_lines`], from where the run first reaches a symbol, at every `step`-th cycle.
///
/// # Errors
/// As [`sweep_lines`], and if the symbol does not exist or is not reached.
pub fn sweep_lines_from(
    board: &Board,
    image: &Arc<Image>,
    lines: &[Line],
    from: &str,
    step: usize,
) -> anyhow::Result<Findings> {
    sweep_range(board, image, lines, Some(from), step)
}

/// As [`sweep_lines`], but only at every `step`-th cycle.
///
/// # Errors
/// As [`sweep_lines`].
pub fn sweep_lines_by(
    board: &Board,
    image: &Arc<Image>,
    lines: &[Line],
    step: usize,
) -> anyhow::Result<Findings> {
    sweep_range(board, image, lines, None, step)
}

fn sweep_range(
    board: &Board,
    image: &Arc<Image>,
    lines: &[Line],
    from: Option<&str>,
    step: usize,
) -> anyhow::Result<Findings> {
    let address = image.symbol("ACKNOWLEDGED").context("no `ACKNOWLEDGED`")?.address;
    let ear = Ear {
        address,
        acknowledged: Vec::new(),
    };
    let bench = || Backend::Model.bench(board, image, Options::default());
    let mut undisturbed = bench()?;
    let alone = run(&mut undisturbed, ear.clone(), &[])?;
    anyhow::ensure!(alone.is_ok(), "without an interrupt: {alone:?}");
    let first = match from {
        Some(symbol) => first_met(
            &mut bench()?,
            image.symbol(symbol).context("no such symbol")?.address,
        )?,
        None => 0,
    };
    let mut sweep = Sweep::new(bench()?, ear, LIMIT)?;
    let mut findings = Findings::default();
    let alone = lines.chunks(1).map(|line| (line, [0].as_slice()));
    for (set, apart) in alone.chain([(lines, APART)]) {
        sweep.each((first..undisturbed.cycle()).step_by(step), &[], |one| {
            findings.runs += 1;
            let apart = apart[one.cycle as usize % apart.len()];
            for (line, late) in set.iter().zip(0..) {
                drive(one.machine, line.input, one.cycle + late * apart, true)?;
            }
            if let Err(what) = run(one.machine, one.listener, set)? {
                let cycle = one.cycle;
                findings.broken.push(format!("{set:?} in cycle {cycle}: {what}"));
            }
            Ok(ControlFlow::<()>::Continue(()))
        })?;
    }
    Ok(findings)
}

/// The cycle in which an instruction first executes.
fn first_met(machine: &mut Bench, address: u32) -> anyhow::Result<u64> {
    struct Met(u32);
    impl Sink for Met {
        fn interest(&self) -> Interest {
            Interest {
                pcs: Pcs::at([self.0]),
                ..Interest::none()
            }
        }

        fn event(&mut self, _: &Event) -> Flow {
            Flow::Pause
        }
    }
    let outcome = machine.run(LIMIT, &mut Met(address))?;
    anyhow::ensure!(matches!(outcome, Outcome::Paused { .. }), "not met: {outcome:?}");
    Ok(machine.cycle())
}

/// Runs `image` repeatedly with each line raised at a random time per run, until `cycles` cycles are executed.
///
/// # Errors
/// As [`sweep_lines`].
pub fn soak_lines(
    board: &Board,
    image: &Arc<Image>,
    lines: &[Line],
    chance: &mut Chance,
    cycles: u64,
) -> anyhow::Result<Findings> {
    let address = image.symbol("ACKNOWLEDGED").context("no `ACKNOWLEDGED`")?.address;
    let ear = Ear {
        address,
        acknowledged: Vec::new(),
    };
    let bench = || Backend::Model.bench(board, image, Options::default());
    let mut undisturbed = bench()?;
    let alone = run(&mut undisturbed, ear.clone(), &[])?;
    anyhow::ensure!(alone.is_ok(), "without an interrupt: {alone:?}");
    let mut sweep = Sweep::new(bench()?, ear, LIMIT)?;
    let mut findings = Findings::default();
    while findings.cycles < cycles {
        for first in chance.ascending(64, undisturbed.cycle()) {
            sweep.each([first], &[], |one| {
                findings.runs += 1;
                let raised: Vec<_> = lines
                    .iter()
                    .map(|&line| (line, first + chance.below(400)))
                    .collect();
                for &(line, at) in &raised {
                    drive(one.machine, line.input, at, true)?;
                }
                if let Err(what) = run(one.machine, one.listener, lines)? {
                    findings.broken.push(format!("(line, cycle) {raised:?}: {what}"));
                }
                findings.cycles += one.machine.cycle() - first;
                Ok(ControlFlow::<()>::Continue(()))
            })?;
        }
    }
    Ok(findings)
}

fn drive(machine: &mut Bench, input: Exception, at: u64, level: bool) -> lab::diagnostic::Result<()> {
    let driven = machine.target().drive(input, at, Drive::Level(level));
    driven.map_err(|error| lab::diagnostic::Diagnostic::mistake(error.to_string()))
}

/// Runs to the end and returns what went wrong. A line falls when its task acknowledges it.
fn run(machine: &mut Bench, mut ear: Ear, lines: &[Line]) -> lab::diagnostic::Result<Result<(), String>> {
    loop {
        let outcome = machine.run(LIMIT, &mut ear)?;
        for number in ear.acknowledged.drain(..) {
            for line in lines.iter().filter(|line| line.number == number) {
                drive(machine, line.input, machine.cycle(), false)?;
            }
        }
        return Ok(match outcome {
            Outcome::Paused { .. } => continue,
            Outcome::Exit { code: 0 } => Ok(()),
            Outcome::Exit { .. } => Err("the program found its counts wrong".to_owned()),
            other => Err(format!("{other:?}")),
        });
    }
}

/// Pauses the run where a task acknowledges its line.
#[derive(Clone)]
struct Ear {
    address: u32,
    acknowledged: Vec<u32>,
}

impl Sink for Ear {
    fn interest(&self) -> Interest {
        Interest {
            writes: Ranges::of([(self.address, self.address + 3)]),
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        match *event {
            Event::Write { address, value, .. } if address == self.address => {
                self.acknowledged.push(value);
                Flow::Pause
            }
            _ => Flow::On,
        }
    }
}
