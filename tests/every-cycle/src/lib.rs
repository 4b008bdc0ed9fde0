//! Exhaustive interrupt sweeps: runs a program once for each cycle at which an interrupt can arrive, and checks each run.
//!
//! The program checks its own counts and reports by its exit code. From outside, independent of the program's bugs, a [`Watch`] checks
//! what the hardware leaves to software: a handler must return with the BASEPRI that it found, because the hardware does not stack it,
//! and a task may start only if no open section holds it back.

mod chance;
mod lines;

pub use chance::Chance;
pub use lines::{Line, soak_lines, sweep_lines, sweep_lines_by, sweep_lines_from};

use std::ops::ControlFlow;
use std::sync::Arc;

use events::{Event, Flow, Interest, Mask, Sink};
use lab::backend::{Backend, Bench};
use lab::sweep::Sweep;
use machine::{Board, Exception, Image, Options, Outcome};

/// Cycles within which a program must end, whatever interrupts it.
const LIMIT: u64 = 200_000;

/// The findings for one program.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Number of runs.
    pub runs: u64,
    /// Cycles of all runs, where they are counted.
    pub cycles: u64,
    /// Failures: the interrupts with their cycles, and what went wrong.
    pub broken: Vec<String>,
}

/// Runs `image` with each of `interrupts` alone, and then with all of them at once, at every cycle from reset to the end of an
/// undisturbed run.
///
/// # Errors
/// If the program fails without an interrupt.
pub fn sweep(board: &Board, image: &Arc<Image>, interrupts: &[u16]) -> anyhow::Result<Findings> {
    sweep_by(board, image, interrupts, 1)
}

/// As [`sweep`], but only at every `step`-th cycle.
///
/// # Errors
/// As [`sweep`].
pub fn sweep_by(
    board: &Board,
    image: &Arc<Image>,
    interrupts: &[u16],
    step: usize,
) -> anyhow::Result<Findings> {
    let raised: Vec<_> = interrupts.iter().map(|&irq| Exception::External(irq)).collect();
    sweep_exceptions(board, image, &raised, step)
}

/// As [`sweep_by`], with interrupts named as the board does: core inputs or PLIC sources.
///
/// # Errors
/// As [`sweep`].
pub fn sweep_exceptions(
    board: &Board,
    image: &Arc<Image>,
    interrupts: &[Exception],
    step: usize,
) -> anyhow::Result<Findings> {
    let bench = || Backend::Model.bench(board, image, Options::default());
    let mut undisturbed = bench()?;
    let alone = run(&mut undisturbed, Watch::default())?;
    anyhow::ensure!(alone.is_ok(), "without an interrupt: {alone:?}");
    let mut sweep = Sweep::new(bench()?, Watch::default(), LIMIT)?;
    let mut sets: Vec<&[Exception]> = interrupts.chunks(1).collect();
    sets.push(interrupts);
    let mut findings = Findings::default();
    for set in sets {
        sweep.each((0..undisturbed.cycle()).step_by(step), set, |one| {
            findings.runs += 1;
            if let Err(what) = run(one.machine, one.listener)? {
                let cycle = one.cycle;
                findings
                    .broken
                    .push(format!("interrupts {set:?} in cycle {cycle}: {what}"));
            }
            Ok(ControlFlow::<()>::Continue(()))
        })?;
    }
    Ok(findings)
}

/// Runs `image` repeatedly with up to four of `interrupts` at random times per run, until `cycles` cycles are executed.
///
/// # Errors
/// If the program fails without an interrupt.
pub fn soak(
    board: &Board,
    image: &Arc<Image>,
    interrupts: &[u16],
    chance: &mut Chance,
    cycles: u64,
) -> anyhow::Result<Findings> {
    let bench = || Backend::Model.bench(board, image, Options::default());
    let mut undisturbed = bench()?;
    let alone = run(&mut undisturbed, Watch::default())?;
    anyhow::ensure!(alone.is_ok(), "without an interrupt: {alone:?}");
    let mut sweep = Sweep::new(bench()?, Watch::default(), LIMIT)?;
    let mut findings = Findings::default();
    while findings.cycles < cycles {
        // Ascending cycles are cheap: the sweep runs forward from one to the next.
        for first in chance.ascending(64, undisturbed.cycle()) {
            sweep.each([first], &[], |one| {
                findings.runs += 1;
                let raised: Vec<_> = (0..=chance.below(4))
                    .map(|_| (chance.of(interrupts), first + chance.below(400)))
                    .collect();
                for &(irq, at) in &raised {
                    one.machine.raise(Exception::External(irq), at)?;
                }
                if let Err(what) = run(one.machine, one.listener)? {
                    findings
                        .broken
                        .push(format!("(interrupt, cycle) {raised:?}: {what}"));
                }
                findings.cycles += one.machine.cycle() - first;
                Ok(ControlFlow::<()>::Continue(()))
            })?;
        }
    }
    Ok(findings)
}

/// Runs to the end and returns what went wrong.
fn run(machine: &mut Bench, mut watch: Watch) -> lab::diagnostic::Result<Result<(), String>> {
    Ok(match machine.run(LIMIT, &mut watch)? {
        Outcome::Exit { code: 0 } => watch.verdict(),
        Outcome::Exit { .. } => Err("the program found its counts wrong".to_owned()),
        other => Err(format!("{other:?}")),
    })
}

/// Checks BASEPRI across exceptions.
#[derive(Clone, Default)]
struct Watch {
    basepri: u8,
    /// BASEPRI at the start of each active handler, the innermost last.
    found: Vec<u8>,
    broken: Option<String>,
}

impl Watch {
    fn verdict(self) -> Result<(), String> {
        self.broken.map_or(Ok(()), Err)
    }

    fn returned(&mut self, exception: Exception, cycle: u64) {
        let found = self.found.pop();
        if found != Some(self.basepri) {
            let now = self.basepri;
            let note = || {
                format!(
                    "{} found BASEPRI {found:?} and left {now} in cycle {cycle}",
                    exception.name()
                )
            };
            self.broken.get_or_insert_with(note);
        }
    }
}

impl Sink for Watch {
    fn interest(&self) -> Interest {
        Interest {
            control: true,
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        match *event {
            Event::MaskChange {
                mask: Mask::Basepri,
                new,
                ..
            } => self.basepri = new,
            Event::Enter(_) => self.found.push(self.basepri),
            Event::Exit(exit) => self.returned(exit.exception, exit.began),
            _ => {}
        }
        Flow::On
    }
}
