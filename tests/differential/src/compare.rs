//! Compares the core with the oracle, step by step.

use std::fmt;
use std::rc::Rc;

use isa_thumb::table::rows;
use isa_thumb::{Insn, Op};

use crate::known;
use crate::oracle::{Ending, Oracle, Record};
use crate::program::Program;
use crate::state::{State, Stopped};
use crate::subject::{Outcome, Subject};

/// Counts of what was compared.
#[derive(Clone, Default, Debug)]
pub struct Statistics {
    /// Instructions compared.
    pub instructions: u64,
    /// Instructions whose condition failed, as part of `instructions`.
    pub skipped: u64,
    /// Instructions at which both sides stopped for the same reason.
    pub stops: u64,
    /// Execution count of each row of the encoding table.
    pub rows: Vec<u64>,
}

/// A difference between the sides: the instruction, its input state, and both results.
#[derive(Debug)]
pub struct Mismatch(String);

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Loads a program into memory on both sides.
///
/// # Panics
/// If Unicorn itself fails.
pub fn load(program: &Program, oracle: &mut Oracle, subject: &mut Subject) {
    oracle.load(program).expect("the program fits");
    subject.load(program);
}

/// Runs a program that [`load`] has loaded on both sides.
///
/// # Errors
/// The first [`Mismatch`].
///
/// # Panics
/// If Unicorn itself fails.
pub fn compare(
    program: &Rc<Program>,
    oracle: &mut Oracle,
    subject: &mut Subject,
    statistics: &mut Statistics,
) -> Result<(), Mismatch> {
    statistics.rows.resize(rows().len(), 0);
    let mut group = 0;
    while group < program.groups.len() {
        let (records, ending) = oracle.run(program, group, subject.ram()).expect("Unicorn runs");
        subject.start(program, group);
        let mut follower = Follower {
            program,
            subject: &mut *subject,
            statistics,
            last: None,
        };
        let at = follower.follow(&records, ending)?;
        if at == program.end()
            && let Some(difference) = oracle.difference_in_ram(follower.subject.ram())
        {
            return Err(follower.mismatch(&difference));
        }
        group = program.group_around(at).map_or(group, |around| around.max(group)) + 1;
    }
    Ok(())
}

/// Steps the subject along the oracle's records.
struct Follower<'a> {
    program: &'a Program,
    subject: &'a mut Subject,
    statistics: &'a mut Statistics,
    /// State before the last executed instruction, including its address.
    last: Option<State>,
}

impl Follower<'_> {
    /// Returns the highest instruction address reached, or the program's end.
    fn follow(&mut self, records: &[Record], ending: Ending) -> Result<u32, Mismatch> {
        let executed = if ending == Ending::Finished {
            records.len() - 1
        } else {
            records.len()
        };
        let at_private = matches!(ending, Ending::Stopped(_, Some(address)) if known::is_private(address));
        let mut reached = 0;
        let mut outcome = Outcome::Done;
        for (index, record) in records[..executed].iter().enumerate() {
            if let Outcome::Stopped(stopped) = outcome {
                return self.check_early_stop(stopped, ending).map(|()| reached);
            }
            if self.goes_astray(record.state.r[15]) {
                return Ok(reached);
            }
            let (before, now) = self.step();
            self.check(&before, &record.state)?;
            self.last = Some(self.after_patch(before));
            if !(at_private && known::STOPS_BEHIND_STORE && index + 1 == executed) {
                self.check_stored(record, now)?;
            }
            outcome = now;
            reached = reached.max(before.r[15]);
        }
        self.check_end(records, ending, outcome)?;
        Ok(if ending == Ending::Finished {
            self.program.end()
        } else {
            reached
        })
    }

    /// Executes up to and including the next instruction that is not skipped, and returns the state before it.
    fn step(&mut self) -> (State, Outcome) {
        loop {
            let before = self.subject.state();
            if let Some(group) = self.program.group_at(before.r[15]) {
                self.subject.apply(&self.program.groups[group].patch);
            }
            self.statistics.instructions += 1;
            match self.subject.step() {
                Outcome::Skipped => self.statistics.skipped += 1,
                outcome => {
                    self.count(before.r[15]);
                    return (before, outcome);
                }
            }
        }
    }

    fn count(&mut self, pc: u32) {
        if let Some(row) = self.program.insn_at(pc).map(|insn| usize::from(insn.row)) {
            self.statistics.rows[row] += 1;
        }
    }

    /// The instruction's input state, after its group's patch.
    fn after_patch(&self, mut before: State) -> State {
        if let Some(group) = self.program.group_at(before.r[15]) {
            let patch = &self.program.groups[group].patch;
            for (register, value) in before.r.iter_mut().zip(patch.r) {
                *register = value.unwrap_or(*register);
            }
            for (register, value) in before.s.iter_mut().zip(patch.s) {
                *register = value.unwrap_or(*register);
            }
            before.apsr = patch.flags.unwrap_or(before.apsr);
            before.fpscr = patch.fpscr.unwrap_or(before.fpscr);
        }
        before
    }

    fn check(&self, ours: &State, theirs: &State) -> Result<(), Mismatch> {
        if ours == theirs {
            return Ok(());
        }
        let differences = ours.differences(theirs).into_iter();
        let lines =
            differences.map(|(name, ours, theirs)| format!("{name}: ours {ours:08x}, theirs {theirs:08x}\n"));
        Err(self.mismatch(&lines.collect::<String>()))
    }

    fn check_stored(&mut self, record: &Record, outcome: Outcome) -> Result<(), Mismatch> {
        let Some(stored) = record.stored.as_ref().filter(|_| outcome == Outcome::Done) else {
            return Ok(());
        };
        let ours = self.subject.memory_at(stored);
        if ours == stored.bytes {
            return Ok(());
        }
        Err(self.mismatch(&format!("they: {stored:x?}, we: {ours:x?}")))
    }

    fn check_end(&mut self, records: &[Record], ending: Ending, outcome: Outcome) -> Result<(), Mismatch> {
        let (theirs, address) = match (ending, outcome) {
            (Ending::Astray, _) => return Ok(()),
            (Ending::Finished, Outcome::Stopped(stopped)) => return self.check_early_stop(stopped, ending),
            (Ending::Finished, _) => {
                let end = records.last().map_or(State::default(), |record| record.state);
                return self.check(&self.subject.state(), &end);
            }
            (Ending::Stopped(theirs, address), _) => (theirs, address),
        };
        self.statistics.stops += 1;
        let ours = match outcome {
            Outcome::Stopped(_) => outcome,
            // The oracle did not even reach the next instruction.
            _ => self.step().1,
        };
        let agree = match ours {
            Outcome::Stopped(ours) => self.agree(ours, Some(theirs)),
            _ => false,
        };
        if agree || address.is_some_and(known::is_private) {
            return Ok(());
        }
        Err(self.mismatch(&format!(
            "they stopped: {theirs:?} (address {address:x?}), we: {ours:?}"
        )))
    }

    /// Handles a stop of ours where the oracle continued.
    fn check_early_stop(&self, ours: Stopped, ending: Ending) -> Result<(), Mismatch> {
        let theirs = match ending {
            Ending::Stopped(theirs, _) if known::GOES_ON_IN_IT_BLOCK && self.in_block() => Some(theirs),
            _ => None,
        };
        if self.agree(ours, theirs) {
            return Ok(());
        }
        Err(self.mismatch(&format!("we stopped: {ours:?}, they did not")))
    }

    /// Whether the stop reasons match, or are known to differ.
    fn agree(&self, ours: Stopped, theirs: Option<Stopped>) -> bool {
        match (ours, theirs) {
            (Stopped::Unpredictable, _) => true,
            (Stopped::Unaligned, _) if self.insn().is_some_and(known::misses_alignment_fault) => true,
            (Stopped::NoThumb, Some(theirs)) => known::means_no_thumb(theirs),
            _ => theirs == Some(ours),
        }
    }

    /// The last executed instruction.
    fn insn(&self) -> Option<&Insn> {
        self.program.insn_at(self.last?.r[15])
    }

    /// Whether the last jump left the program: into the middle of a group or outside of all groups, where any code may be.
    fn goes_astray(&self, pc: u32) -> bool {
        let Some(last) = self.last.map(|state| state.r[15]) else {
            return false;
        };
        let group = |pc| self.program.group_around(pc);
        let follows = pc > last && group(pc) == group(last);
        self.program.insn_at(pc).is_none() || !follows && self.program.group_at(pc).is_none()
    }

    /// Whether the last instruction was in an IT block.
    fn in_block(&self) -> bool {
        let around = self.last.and_then(|state| self.program.group_around(state.r[15]));
        around.is_some_and(|group| self.program.groups[group].insns[0].op == Op::It)
    }

    fn mismatch(&self, what: &str) -> Mismatch {
        let place = self
            .last
            .map_or("at the start".to_owned(), |state| self.describe(&state));
        Mismatch(format!("{place}\n{what}"))
    }

    fn describe(&self, state: &State) -> String {
        let pc = state.r[15];
        let Some(around) = self.program.group_around(pc) else {
            return format!("at {pc:08x}");
        };
        let next = self.program.groups[around..]
            .iter()
            .take(3)
            .flat_map(crate::Group::listing);
        let lines = next.map(|(address, insn)| {
            let mark = if address == pc { "->" } else { "  " };
            let name = rows()[usize::from(insn.row)].name;
            format!("{mark} {address:08x}: {:08x}  {name}\n", insn.raw)
        });
        format!("{}met with\n{state}", lines.collect::<String>())
    }
}
