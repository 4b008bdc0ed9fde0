//! Compares the encoding space: both sides must call the same encodings undefined.

use differential::{Ending, Oracle, Stopped, Target, known};
use fastrand::Rng;
use isa_thumb::table::rows;
use isa_thumb::{DecodeError, Op};

/// Fails if the sides should agree on one encoding but do not.
fn check(target: Target, oracle: &mut Oracle, raw: u32) -> Result<(), String> {
    let (ours, why) = match target.isa().decode(raw) {
        Ok(insn) if insn.op == Op::Udf => return Ok(()),
        Ok(insn) if insn.writes_pc() || known::left_out(&insn).is_some() => return Ok(()),
        Ok(insn) => (insn.op == Op::Coproc, rows()[usize::from(insn.row)].name),
        Err(DecodeError::Undefined { why, .. }) => (true, why),
        Err(_) => return Ok(()),
    };
    let ending = oracle.try_encoding(raw).expect("Unicorn runs");
    let refusals = [Stopped::Undefined, Stopped::NoCoprocessor, Stopped::NoThumb];
    let theirs = matches!(ending, Ending::Stopped(stopped, _) if refusals.contains(&stopped));
    if ours == theirs || !theirs && known::LAX.contains(&why) {
        return Ok(());
    }
    Err(format!(
        "{raw:08x}: undefined? ours {ours}, theirs {theirs} ({ending:?}) {why}"
    ))
}

fn report(target: Target, wrong: &[String]) {
    assert!(
        wrong.is_empty(),
        "{target:?}: {} encodings, such as\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}

const TARGETS: [Target; 3] = [Target::CortexM0, Target::CortexM3, Target::CortexM4F];

#[test]
fn sixteen_bit_space() {
    for target in TARGETS {
        let mut oracle = Oracle::new(target).expect("Unicorn starts");
        let wrong: Vec<String> = (0..0xe800)
            .filter_map(|raw| check(target, &mut oracle, raw).err())
            .collect();
        report(target, &wrong);
    }
}

#[test]
fn thirty_two_bit_space() {
    for target in TARGETS {
        let mut oracle = Oracle::new(target).expect("Unicorn starts");
        let mut rng = Rng::with_seed(2);
        let wrong: Vec<String> = (0..200_000)
            .map(|_| 0xe800_0000 + rng.u32(..0x1800_0000))
            .filter(|&raw| !(target.isa().has_float() && known::is_deprecated(raw)))
            .filter_map(|raw| check(target, &mut oracle, raw).err())
            .collect();
        report(target, &wrong);
    }
}

#[test]
fn floating_point_space() {
    let mut oracle = Oracle::new(Target::CortexM4F).expect("Unicorn starts");
    let mut rng = Rng::with_seed(3);
    let wrong: Vec<String> = (0..200_000)
        .map(|_| 0xec00_0a00 | rng.u32(..) & 0x03ff_f1ff)
        .filter(|&raw| !known::is_deprecated(raw))
        .filter_map(|raw| check(Target::CortexM4F, &mut oracle, raw).err())
        .collect();
    report(Target::CortexM4F, &wrong);
}
