//! A debugged program, independent of any protocol.

mod backward;
pub(crate) mod lines;
mod memory;
mod recent;
mod registers;
pub(crate) mod spent;

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use events::Sink;
use lab::backend::Bench;
use lab::diagnostic::{Diagnostic, Result};
use lab::failure;
use machine::target::{State, Target, TargetError, Until};
use machine::{Architecture, Outcome};

use crate::history::{History, Mark, Moment};
use crate::registers::Description;
use crate::stops::{Points, Stops, Watched};
use crate::threads::Kernel;

/// Why the program stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// A step finished, or the user interrupted.
    Stepped,
    /// Before an instruction with a breakpoint.
    Breakpoint,
    /// At a BKPT or EBREAK in the program.
    Instruction,
    /// After a watched access, or before it when going backwards: the range and the address.
    Watched(Watched, u32),
    /// At the beginning, when going backwards.
    AtBeginning,
    /// The program exited with this code.
    Exited(u32),
    /// The program crashed or can never continue; [`Session::take_failure`] says why.
    Failed,
    /// The program uses something that is not modelled; [`Session::take_failure`] says what.
    NotModelled,
}

/// A program's output, silenced while the program is replayed.
pub struct Output<W>(W, Arc<AtomicBool>);

impl<W> Output<W> {
    /// Output that `silent` turns off; [`Session::new`] takes the same flag.
    pub fn new(to: W, silent: &Arc<AtomicBool>) -> Output<W> {
        Output(to, Arc::clone(silent))
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.1.load(Ordering::Relaxed) {
            return Ok(bytes.len());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Cycles between two automatic snapshots.
const STRIDE: u64 = 1 << 20;
/// A step on RV32 is given up after this many cycles: the core sleeps.
const LONGEST_STEP: u64 = 1 << 16;

/// A program under a debugger.
pub struct Session {
    bench: Bench,
    reset: State,
    pub(crate) points: Points,
    history: History,
    /// The moment at which the program stopped, before the core was halted there.
    reached: Moment,
    /// The address of the BKPT or EBREAK at which the program stopped; it has already executed.
    pub(crate) at_instruction: Option<u32>,
    /// Whether a stop halts the core as a probe does.
    pub(crate) drains: bool,
    silent: Arc<AtomicBool>,
    pub(crate) named: Vec<(String, State)>,
    failure: Option<String>,
    description: Arc<Description>,
    kernel: Kernel,
    /// The keys of all threads ever seen; a thread's position, from 1, is its number.
    numbered: Vec<u32>,
    /// Address ranges of device and core registers, some of which may not be modelled.
    register_blocks: Vec<Range<u64>>,
}

impl Session {
    /// A session at reset. Its console must consist of [`Output`]s with this flag.
    ///
    /// # Errors
    /// If the target cannot be saved, or shows no registers.
    pub fn new(mut bench: Bench, silent: Arc<AtomicBool>) -> Result<Session> {
        let reset = bench.snapshot()?;
        let reached = moment(bench.target());
        let target = bench.target();
        let (board, image) = (target.board().clone(), Arc::clone(target.image()));
        let description = match target.registers() {
            Ok(registers) => Arc::new(Description::of(&board, &*registers)),
            Err(error) => return Err(refused(error)),
        };
        Ok(Session {
            bench,
            reset,
            points: Points::default(),
            history: History::default(),
            reached,
            at_instruction: None,
            drains: true,
            silent,
            named: Vec::new(),
            failure: None,
            description,
            kernel: Kernel::of(&image),
            numbered: Vec::new(),
            register_blocks: memory::register_blocks(&board),
        })
    }

    /// The program.
    pub fn target(&mut self) -> &mut dyn Target {
        self.bench.target()
    }

    /// Cycles since reset.
    pub fn cycle(&self) -> u64 {
        self.bench.cycle()
    }

    /// A warning if the core ran above its chip's rated frequency.
    pub(crate) fn overclocked(&mut self) -> Option<Diagnostic> {
        let board = self.bench.target().board().clone();
        lab::fit::overclocked(&board, &self.bench)
    }

    /// The current instruction's address: the BKPT that stopped the program, or the next instruction.
    pub fn pc(&mut self) -> u32 {
        match self.at_instruction {
            Some(pc) => pc,
            None => moment(self.bench.target()).pc,
        }
    }

    /// Adds a breakpoint at `address`.
    pub fn add_breakpoint(&mut self, address: u32) {
        self.points.breakpoints.push(address & !1);
    }

    /// Removes a breakpoint; false if there was none.
    pub fn remove_breakpoint(&mut self, address: u32) -> bool {
        let at = self
            .points
            .breakpoints
            .iter()
            .position(|known| *known == address & !1);
        at.map(|at| self.points.breakpoints.swap_remove(at)).is_some()
    }

    /// Adds a watchpoint, which stops after an access to the range.
    pub fn add_watched(&mut self, watched: Watched) {
        self.points.watched.push(watched);
    }

    /// Removes a watchpoint; false if there was none.
    pub fn remove_watched(&mut self, watched: Watched) -> bool {
        let at = self.points.watched.iter().position(|known| *known == watched);
        at.map(|at| self.points.watched.swap_remove(at)).is_some()
    }

    /// Takes the reason why the program cannot continue.
    pub fn take_failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// Runs until something stops the program or `interrupted` returns true; it is polled every million cycles.
    ///
    /// # Errors
    /// If the target cannot be run.
    pub fn go_on(&mut self, mut interrupted: impl FnMut() -> bool) -> Result<Stopped, TargetError> {
        let mut until = self.set_off()?;
        loop {
            if let Some(stopped) = self.advance(&mut until)? {
                return Ok(stopped);
            }
            if interrupted() {
                return self.halted(Stopped::Stepped);
            }
        }
    }

    /// Prepares to resume from here; returns the cycle for [`Session::advance`].
    pub(crate) fn set_off(&mut self) -> Result<u64, TargetError> {
        self.mark(false)?;
        self.at_instruction = None;
        Ok(self.cycle())
    }

    /// Runs to the next multiple of [`STRIDE`] after cycle `until`, and stores it there; returns why something stopped the program, if
    /// anything did. The core's own cycle does not tell how far it ran: it may be below a limit that was reached.
    pub(crate) fn advance(&mut self, until: &mut u64) -> Result<Option<Stopped>, TargetError> {
        *until = (*until / STRIDE).saturating_add(1).saturating_mul(STRIDE);
        let mut stops = Stops::at(&self.points);
        let outcome = self.bench.target().run(Until::Cycle(*until), &mut stops)?;
        let stopped = self.stopped(&outcome, &stops)?;
        if stopped.is_none() {
            self.mark(true)?;
        }
        Ok(stopped)
    }

    /// Executes one instruction, or enters an exception. If the program stopped at a BKPT, the step executes the next instruction.
    ///
    /// # Errors
    /// The errors of [`Session::go_on`].
    pub fn step(&mut self) -> Result<Stopped, TargetError> {
        self.mark(false)?;
        self.at_instruction = None;
        self.step_on()
    }

    /// Steps while the next instruction is in this range and has no breakpoint.
    ///
    /// # Errors
    /// The errors of [`Session::go_on`].
    pub fn step_in(
        &mut self,
        range: Range<u32>,
        mut interrupted: impl FnMut() -> bool,
    ) -> Result<Stopped, TargetError> {
        self.mark(false)?;
        self.at_instruction = None;
        for steps in 1u64.. {
            let mut stops = Stops::stepping(&self.points);
            let outcome = one_step(self.bench.target(), &mut stops)?;
            if let Some(stopped) = self.stopped(&outcome, &stops)? {
                return Ok(stopped);
            }
            let pc = moment(self.bench.target()).pc;
            if self.points.breakpoints.contains(&pc) {
                return self.halted(Stopped::Breakpoint);
            }
            if !range.contains(&pc) || steps.is_multiple_of(1 << 10) && interrupted() {
                break;
            }
        }
        self.halted(Stopped::Stepped)
    }

    fn step_on(&mut self) -> Result<Stopped, TargetError> {
        let mut stops = Stops::stepping(&self.points);
        let outcome = one_step(self.bench.target(), &mut stops)?;
        match self.stopped(&outcome, &stops)? {
            Some(stopped) => Ok(stopped),
            None => self.halted(Stopped::Stepped),
        }
    }

    /// Maps an outcome to a stop; `None` if nothing stopped the program.
    fn stopped(&mut self, outcome: &Outcome, stops: &Stops) -> Result<Option<Stopped>, TargetError> {
        let stopped = match outcome {
            Outcome::Limit { .. } => return Ok(None),
            Outcome::Paused { pc } => match (stops.instruction, stops.access) {
                (Some(at), _) => {
                    self.at_instruction = Some(at);
                    Stopped::Instruction
                }
                (None, Some(access)) => Stopped::Watched(access.watched, access.address),
                (None, None) if self.points.breakpoints.contains(pc) => Stopped::Breakpoint,
                (None, None) => return Ok(None),
            },
            Outcome::Exit { code } => return Ok(Some(Stopped::Exited(*code))),
            other => {
                let image = Arc::clone(self.bench.image());
                let message = failure(other, u64::MAX, &image, None);
                self.failure = message.map(|message| message.render(false));
                self.reached = moment(self.bench.target());
                return Ok(Some(match other {
                    Outcome::NotModelled(_) => Stopped::NotModelled,
                    _ => Stopped::Failed,
                }));
            }
        };
        self.halted(stopped).map(Some)
    }

    /// Halts the core after a stop.
    pub(crate) fn halted(&mut self, stopped: Stopped) -> Result<Stopped, TargetError> {
        self.reached = moment(self.bench.target());
        if self.drains && self.at_instruction.is_none() {
            self.bench.target().halt()?;
        }
        Ok(stopped)
    }

    /// Takes a snapshot to go back to.
    fn mark(&mut self, passing: bool) -> Result<(), TargetError> {
        let target = self.bench.target();
        let (state, from) = (target.snapshot()?, moment(target));
        self.history.push(Mark {
            state,
            from,
            reached: if passing { from } else { self.reached },
            at_instruction: self.at_instruction,
            passing,
        });
        Ok(())
    }

    /// Drops the history and the named states after a debugger wrote to flash: they do not hold what it was before.
    pub(crate) fn flash_changed(&mut self) {
        self.history.truncate(0);
        self.named.clear();
    }

    /// Resets the program.
    ///
    /// # Errors
    /// If the target cannot go back.
    pub fn reset(&mut self) -> Result<(), TargetError> {
        self.bench.target().restore(&self.reset)?;
        self.came_to();
        self.history.truncate(0);
        Ok(())
    }

    /// Restores a named state, earlier or later.
    pub(crate) fn restore(&mut self, index: usize) -> Result<(), TargetError> {
        self.bench.target().restore(&self.named[index].1)?;
        self.came_to();
        self.history.truncate(0);
        Ok(())
    }

    /// Forgets how the program got here, after a restore.
    fn came_to(&mut self) {
        (self.at_instruction, self.failure) = (None, None);
        self.reached = moment(self.bench.target());
    }
}

/// The message for a user about what a target refuses.
pub(crate) fn refused(error: TargetError) -> Diagnostic {
    Diagnostic::mistake(error.to_string()).maybe_help(error.help)
}

fn moment(target: &mut dyn Target) -> Moment {
    let (cycle, instructions) = (target.cycle(), target.instructions());
    let pc = target.registers().ok().and_then(|registers| registers.get("pc"));
    Moment {
        cycle,
        instructions,
        pc: pc.unwrap_or(0),
    }
}

/// Executes one instruction or exception entry. An RV32 core shows its registers after an instruction executes, which is before it
/// retires; so a step ends with the clock that executes the next one.
fn one_step(target: &mut dyn Target, sink: &mut dyn Sink) -> Result<Outcome, TargetError> {
    if target.board().core().architecture() == Architecture::Arm {
        return target.run(Until::Step, sink);
    }
    let before = moment(target);
    let mut outcome = Outcome::Limit { pc: before.pc };
    for cycle in before.cycle + 1..=before.cycle + LONGEST_STEP {
        outcome = target.run(Until::Cycle(cycle), sink)?;
        let now = moment(target);
        let passed = now.pc != before.pc || now.instructions > before.instructions + 3;
        if passed || !matches!(outcome, Outcome::Limit { .. }) {
            break;
        }
    }
    Ok(outcome)
}
