//! Compares a job on the model with the Verilog, instruction by instruction.

use std::fmt::{Debug, Write as _};

use crate::error::Result;
use core_rv32::{Config, Record};
use isa_rv32::{Isa, decode};

use crate::{Job, Oracle, Step, model};

/// Instructions shown in front of a difference.
const BEFORE: usize = 10;
/// Instructions shown after a difference.
const BEHIND: usize = 3;

/// Counts of compared items that agree.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Same {
    /// Instructions: the cycle in which each retires, its address, the register that it writes and the value, its privilege.
    pub instructions: u64,
    /// Traps: the cycle of each, its cause, the address to return to, what it says of it, the mode that handles it.
    pub traps: u64,
    /// Words written at the bus: the cycle of each, its address, its bytes.
    pub writes: u64,
    /// Cycles that the job took.
    pub cycles: u64,
}

/// The first difference between the model and the Verilog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference(
    /// The first difference and what was before it, for people.
    pub String,
);

/// Runs a job on the model and on the Verilog, and compares all that is recorded of both.
///
/// # Errors
/// When one of them cannot run it.
pub fn compare(oracle: &Oracle, config: Config, job: &Job) -> Result<std::result::Result<Same, Difference>> {
    let outcome = oracle.run(job)?;
    let cycles = outcome.cycles;
    let mut theirs = outcome.record();
    let mut ours = model::record(config, job, cycles)?;
    // The harness learns some things a cycle later, so that the last cycle lacks them.
    let late = cycles.saturating_sub(1);
    for record in [&mut theirs, &mut ours] {
        record
            .retired
            .retain(|retired| retired.cycle < if oracle.core.tells_late() { late } else { cycles });
        record.traps.retain(|taken| taken.cycle < late);
        record.writes.retain(|written| written.cycle < cycles);
    }
    Ok(match difference(job, &ours, &theirs) {
        Some(text) => Err(Difference(text)),
        None => Ok(Same {
            instructions: theirs.retired.len() as u64,
            traps: theirs.traps.len() as u64,
            writes: theirs.writes.len() as u64,
            cycles,
        }),
    })
}

/// The first entry of two lists that is not the same.
fn parting<T: PartialEq>(ours: &[T], theirs: &[T]) -> Option<usize> {
    let differing = ours.iter().zip(theirs).position(|(ours, theirs)| ours != theirs);
    differing.or_else(|| (ours.len() != theirs.len()).then(|| ours.len().min(theirs.len())))
}

/// Of all that differs what came first, in words.
fn difference(job: &Job, ours: &Record, theirs: &Record) -> Option<String> {
    let steps = |record: &Record| -> Vec<Step> { record.retired.iter().map(Step::from).collect() };
    let retired = parting(&ours.retired, &theirs.retired).map(|at| {
        let (mine, other) = (ours.retired.get(at), theirs.retired.get(at));
        let cycle = first_cycle(mine.map(|one| one.cycle), other.map(|one| one.cycle));
        let context = context(job, &steps(ours), &steps(theirs), at);
        let count = theirs.retired.len();
        let what = format!(
            "instruction {at} of {count} differs\n{context}{}",
            both(mine, other)
        );
        (cycle, what)
    });
    let trap = parting(&ours.traps, &theirs.traps).map(|at| {
        let (mine, other) = (ours.traps.get(at), theirs.traps.get(at));
        let cycle = first_cycle(mine.map(|one| one.cycle), other.map(|one| one.cycle));
        (cycle, format!("trap {at} differs\n{}", both(mine, other)))
    });
    let write = parting(&ours.writes, &theirs.writes).map(|at| {
        let (mine, other) = (ours.writes.get(at), theirs.writes.get(at));
        let cycle = first_cycle(mine.map(|one| one.cycle), other.map(|one| one.cycle));
        (cycle, format!("write {at} differs\n{}", both(mine, other)))
    });
    let all = [retired, trap, write].into_iter().flatten();
    all.min_by_key(|&(cycle, _)| cycle).map(|(cycle, what)| {
        // Other differences may be the cause or a consequence.
        let before = |retired: &&core_rv32::Retirement| retired.cycle <= cycle;
        let last = theirs.retired.iter().rfind(before);
        let place = last.map_or(String::new(), |last| place(job, last.pc));
        format!("{what}in cycle {cycle}, when the last instruction that retired was {place}\n")
    })
}

fn first_cycle(ours: Option<u64>, theirs: Option<u64>) -> u64 {
    ours.unwrap_or(u64::MAX).min(theirs.unwrap_or(u64::MAX))
}

fn both<T: Debug>(ours: Option<&T>, theirs: Option<&T>) -> String {
    let text = |one: Option<&T>| one.map_or("nothing".to_owned(), |one| format!("{one:x?}"));
    format!("model:   {}\nVerilog: {}\n", text(ours), text(theirs))
}

/// The first instruction that is not the same, or not in the same cycle; or where one of the streams ends.
pub fn first_difference(ours: &[Step], theirs: &[Step]) -> Option<usize> {
    parting(ours, theirs)
}

/// Both sides around an instruction: in which cycle it retired, how many after the one before, and what it is. A `!` marks
/// what is not the same.
pub fn context(job: &Job, ours: &[Step], theirs: &[Step], at: usize) -> String {
    let end = (at + BEHIND).min(ours.len().max(theirs.len()));
    let mut text = String::from("     model        Verilog\n");
    for at in at.saturating_sub(BEFORE)..end {
        line(&mut text, job, [ours, theirs], at);
    }
    text
}

fn line(text: &mut String, job: &Job, sides: [&[Step]; 2], at: usize) {
    let [ours, theirs] = sides.map(|side| side.get(at));
    let [here, there] = sides.map(|side| since(side, at));
    // A difference of cycles that came earlier is not one of this instruction.
    let same = ours.map(|step| step.pc) == theirs.map(|step| step.pc) && here == there;
    let _ = write!(text, "{} ", if same { ' ' } else { '!' });
    for (step, since) in [(ours, here), (theirs, there)] {
        let _ = match (step, since) {
            (Some(step), Some(since)) => write!(text, "{:>8} +{since:<3} ", step.cycle),
            _ => write!(text, "{:>8}  {:<3} ", "-", ""),
        };
    }
    let theirs_only = theirs.filter(|step| ours.is_none_or(|ours| ours.pc != step.pc));
    let shown = ours.into_iter().chain(theirs_only);
    let places: Vec<_> = shown.map(|step| place(job, step.pc)).collect();
    let _ = writeln!(text, "{}", places.join("  |  Verilog: "));
}

/// Cycles since the instruction before.
fn since(side: &[Step], at: usize) -> Option<u64> {
    let before = at
        .checked_sub(1)
        .map_or(0, |before| side.get(before).map_or(0, |step| step.cycle));
    side.get(at).map(|step| step.cycle - before)
}

/// An address and the instruction there, as the program was loaded.
fn place(job: &Job, pc: u32) -> String {
    let insn = job.word(pc).map_or_else(
        || "outside the memory".to_owned(),
        |raw| {
            decode(raw, Isa::ALL)
                .map_or_else(|error| error.to_string(), |insn| insn.disassemble(pc).to_string())
        },
    );
    format!("{pc:08x}  {insn}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NOPs, which retire in these cycles.
    fn steps(cycles: &[u64]) -> Vec<Step> {
        let steps = (0..).step_by(4).zip(cycles);
        steps.map(|(pc, &cycle)| Step { cycle, pc }).collect()
    }

    fn job() -> Job {
        Job {
            reset_vector: 0,
            base: 0,
            memory: [0x13, 0, 0, 0].repeat(32),
            latency: 0,
            beat: 0,
            around: crate::Around::default(),
            jitter: None,
            changes: Vec::new(),
            limit: 100,
        }
    }

    #[test]
    fn a_cycle_an_address_and_an_end_are_differences() {
        let theirs = steps(&[5, 6, 9]);
        assert_eq!(first_difference(&theirs, &theirs), None);
        assert_eq!(first_difference(&steps(&[5, 7, 10]), &theirs), Some(1));
        assert_eq!(first_difference(&steps(&[5, 6]), &theirs), Some(2));
        let elsewhere = [theirs[0], theirs[1], Step { cycle: 9, pc: 0x40 }];
        assert_eq!(first_difference(&elsewhere, &theirs), Some(2));
    }

    #[test]
    fn ten_instructions_stand_in_front_of_the_difference() {
        let theirs: Vec<u64> = (5..25).collect();
        let mut ours = theirs.clone();
        ours[14..].iter_mut().for_each(|cycle| *cycle += 2);
        let text = context(&job(), &steps(&ours), &steps(&theirs), 14);
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines.len(), BEFORE + BEHIND);
        let marked: Vec<usize> = (0..lines.len())
            .filter(|&at| lines[at].starts_with('!'))
            .collect();
        assert_eq!(
            marked,
            [BEFORE],
            "what follows takes as long on both sides:\n{text}"
        );
        assert_eq!(
            lines[BEFORE],
            "!       21 +3         19 +1   00000038  addi zero,zero,0"
        );
    }

    #[test]
    fn both_instructions_are_shown_where_the_paths_part() {
        let theirs = steps(&[5, 6]);
        let ours = [theirs[0], Step { cycle: 8, pc: 0x40 }];
        let text = context(&job(), &ours, &theirs, 1);
        assert!(
            text.contains("00000040  addi zero,zero,0  |  Verilog: 00000004  addi zero,zero,0"),
            "{text}"
        );
        let text = context(&job(), &ours[..1], &theirs, 1);
        assert!(
            text.contains("!        -             6 +1   00000004  addi zero,zero,0"),
            "{text}"
        );
    }
}
