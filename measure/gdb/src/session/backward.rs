//! Reverse execution: replays the program from a snapshot to an earlier moment.

use std::sync::atomic::Ordering;

use events::Silent;
use machine::target::{TargetError, Until};
use machine::{Architecture, Outcome};

use super::{Session, Stopped, moment, one_step};
use crate::history::Moment;
use crate::stops::Stops;

/// Within this many cycles of the target moment, the search single-steps.
const NEAR: u64 = 1 << 12;
/// An RV32 core reports an access when it retires, up to this many steps after the one that executed it.
const LATE: u32 = 4;

/// A stop met while replaying from a snapshot.
struct Hit {
    stopped: Stopped,
    /// The address of the BKPT or EBREAK.
    instruction: Option<u32>,
    /// The address of the instruction that made the access.
    accessed_by: Option<u32>,
    /// The moment at which the program stopped.
    at: Moment,
}

impl Session {
    /// Steps back by one instruction.
    ///
    /// # Errors
    /// If the target cannot go back.
    pub fn step_back(&mut self) -> Result<Stopped, TargetError> {
        self.silently(Session::step_back_silently)
    }

    /// Goes back to the last breakpoint, watchpoint or BKPT. It undoes an access: the program stops before the instruction that made it. A
    /// watched access at which the program just stopped counts as the first hit. `interrupted` is polled at each snapshot, every million
    /// cycles or more.
    ///
    /// # Errors
    /// If the target cannot go back.
    pub fn go_back(&mut self, interrupted: impl FnMut() -> bool) -> Result<Stopped, TargetError> {
        self.silently(|session| session.go_back_silently(interrupted))
    }

    pub(super) fn silently<T>(&mut self, what: impl FnOnce(&mut Session) -> T) -> T {
        self.silent.store(true, Ordering::Relaxed);
        let done = what(self);
        self.silent.store(false, Ordering::Relaxed);
        done
    }

    fn step_back_silently(&mut self) -> Result<Stopped, TargetError> {
        let mut end = self.reached;
        while let Some(index) = self.history.len().checked_sub(1) {
            let steps = self.steps_from(index, end)?;
            if steps > 1 {
                self.approach(index, end)?;
                let mut stops = Stops::instructions();
                for _ in 1..steps {
                    stops.instruction = None;
                    one_step(self.bench.target(), &mut stops)?;
                }
                self.came_to();
                self.at_instruction = stops.instruction;
                return Ok(Stopped::Stepped);
            }
            self.forget(index)?;
            // The program already stood at a snapshot from which it executes nothing.
            if steps == 1 {
                return Ok(Stopped::Stepped);
            }
            end = self.reached;
        }
        Ok(Stopped::AtBeginning)
    }

    /// Restores a snapshot and drops it.
    fn forget(&mut self, index: usize) -> Result<(), TargetError> {
        let mark = self.history.mark(index);
        self.bench.target().restore(&mark.state)?;
        (self.reached, self.at_instruction) = (mark.reached, mark.at_instruction);
        self.failure = None;
        self.history.truncate(index);
        Ok(())
    }

    /// Replays from a snapshot until shortly before a moment.
    pub(super) fn approach(&mut self, index: usize, end: Moment) -> Result<(), TargetError> {
        let mark = self.history.mark(index);
        let (from, target) = (mark.from, self.bench.target());
        target.restore(&mark.state)?;
        if end.cycle.saturating_sub(from.cycle) > 2 * NEAR {
            target.run(Until::Cycle(end.cycle - NEAR), &mut Silent)?;
        }
        Ok(())
    }

    /// The number of steps from [`Session::approach`] to the moment.
    fn steps_from(&mut self, index: usize, end: Moment) -> Result<u64, TargetError> {
        self.approach(index, end)?;
        let target = self.bench.target();
        let mut steps = 0;
        while !moment(target).has_come_to(&end) {
            let outcome = one_step(target, &mut Stops::instructions())?;
            steps += 1;
            if !goes_on(&outcome) {
                break;
            }
        }
        Ok(steps)
    }

    fn go_back_silently(&mut self, mut interrupted: impl FnMut() -> bool) -> Result<Stopped, TargetError> {
        while let Some(index) = self.history.len().checked_sub(1) {
            if let Some((number, hit)) = self.last_hit(index, self.reached)? {
                return self.return_to(index, number, &hit);
            }
            let (pc, passing) = (self.history.mark(index).from.pc, self.history.mark(index).passing);
            self.forget(index)?;
            if self.at_instruction.is_some() {
                return Ok(Stopped::Instruction);
            }
            // Where the program only passed, a breakpoint stopped it before the instruction: that is a hit, not a snapshot.
            if !passing && index > 0 && self.points.breakpoints.contains(&pc) {
                return Ok(Stopped::Breakpoint);
            }
            if interrupted() {
                return Ok(Stopped::Stepped);
            }
        }
        Ok(Stopped::AtBeginning)
    }

    /// The last hit between a snapshot and a moment, and its number, from 1. A breakpoint must lie before the moment. The instruction
    /// before made an access, so that hit may be at the moment itself.
    fn last_hit(&mut self, index: usize, end: Moment) -> Result<Option<(u64, Hit)>, TargetError> {
        self.bench.target().restore(&self.history.mark(index).state)?;
        let mut last = None;
        for number in 1.. {
            let Some(hit) = self.next_hit(end.cycle)? else {
                break;
            };
            let (at, is_access) = (hit.at, hit.accessed_by.is_some());
            let is_before = !at.has_come_to(&end);
            if is_before || is_access && end.has_come_to(&at) {
                last = Some((number, hit));
            }
            if !is_before {
                break;
            }
        }
        Ok(last)
    }

    /// Replays to hit `number` after a snapshot.
    fn return_to(&mut self, index: usize, number: u64, hit: &Hit) -> Result<Stopped, TargetError> {
        if let Some(pc) = hit.accessed_by {
            (self.reached, self.at_instruction) = (hit.at, None);
            self.step_before_access(pc)?;
            return Ok(hit.stopped);
        }
        self.bench.target().restore(&self.history.mark(index).state)?;
        for _ in 0..number {
            self.next_hit(u64::MAX)?;
        }
        self.came_to();
        self.at_instruction = hit.instruction;
        Ok(hit.stopped)
    }

    /// Steps back over the access by the instruction at `pc`.
    fn step_before_access(&mut self, pc: u32) -> Result<(), TargetError> {
        let late = match self.bench.target().board().core().architecture() {
            Architecture::Arm => 1,
            Architecture::RiscV => LATE,
        };
        for _ in 0..late {
            if self.step_back_silently()? == Stopped::AtBeginning || moment(self.bench.target()).pc == pc {
                break;
            }
        }
        Ok(())
    }

    /// Runs to the next hit, if there is one before an instruction would start in cycle `until`.
    fn next_hit(&mut self, until: u64) -> Result<Option<Hit>, TargetError> {
        let mut stops = Stops::at(&self.points);
        let outcome = self.bench.target().run(Until::Cycle(until), &mut stops)?;
        if !matches!(outcome, Outcome::Paused { .. }) {
            return Ok(None);
        }
        let access = stops.access.filter(|_| stops.instruction.is_none());
        Ok(Some(Hit {
            stopped: match (stops.instruction, access) {
                (Some(_), _) => Stopped::Instruction,
                (None, Some(access)) => Stopped::Watched(access.watched, access.address),
                (None, None) => Stopped::Breakpoint,
            },
            instruction: stops.instruction,
            accessed_by: access.map(|access| access.pc),
            at: moment(self.bench.target()),
        }))
    }
}

fn goes_on(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Paused { .. } | Outcome::Limit { .. })
}
