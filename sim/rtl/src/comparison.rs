//! Two streams of the same job, one instruction beside the other.

use std::fmt::Write as _;

use isa_rv32::{Isa, decode};

use crate::{Job, Step};

/// Instructions shown in front of a difference.
const BEFORE: usize = 10;
/// And behind it.
const BEHIND: usize = 3;

/// The first instruction that is not the same, or not in the same cycle; or where one of the streams ends.
pub fn first_difference(ours: &[Step], theirs: &[Step]) -> Option<usize> {
    let both = ours.iter().zip(theirs);
    let differing = both.into_iter().position(|(ours, theirs)| ours != theirs);
    differing.or_else(|| (ours.len() != theirs.len()).then(|| ours.len().min(theirs.len())))
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
