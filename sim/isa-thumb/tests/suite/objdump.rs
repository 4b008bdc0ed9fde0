//! Compares the disassembler with GNU objdump, on samples of every row.

use std::io::Write;

use isa_thumb::table::rows;
use isa_thumb::{Insn, ItRule, ItState, Op};
use skipped::installed;

use crate::listing::{Line, OBJDUMP, normalise, objdump};
use crate::samples::{any_of, bytes, sample};

const SAMPLES: usize = 200;

/// objdump's listing of these encodings for `machine`, each given with its size.
fn list(machine: &str, encodings: &[(u32, u8)]) -> Vec<Line> {
    let code: Vec<u8> = encodings
        .iter()
        .flat_map(|&(raw, size)| bytes(raw, size))
        .collect();
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(&code).expect("it is writable");
    let lines = objdump(&["-D", "-b", "binary", machine, "-Mforce-thumb"], file.path());
    assert_eq!(lines.len(), encodings.len(), "objdump lists every instruction");
    lines
}

/// Disassembles the instructions with both tools and returns the differences.
fn disagreements(insns: &[Insn]) -> Vec<String> {
    let encodings: Vec<_> = insns.iter().map(|insn| (insn.raw, insn.size)).collect();
    let lines = list("-marm", &encodings);
    let mut it = ItState::OUTSIDE;
    let mut all = Vec::new();
    for (line, insn) in lines.iter().zip(insns) {
        assert_eq!((line.raw, line.size), (insn.raw, insn.size));
        let ours = normalise(&insn.disassemble_in(line.address, it).to_string());
        let row = rows()[usize::from(insn.row)].name;
        if ours != line.text && !known_difference(row, insn, &line.text) {
            all.push(format!(
                "{row}: {:x}: ours {ours:?}, objdump {:?}",
                insn.raw, line.text
            ));
        }
        it = it.after(insn);
    }
    all
}

/// Known differences: objdump uses one table for every Arm processor, not only for ARMv7-M.
fn known_difference(row: &str, insn: &Insn, theirs: &str) -> bool {
    match insn.op {
        // Hints that later architectures named.
        Op::Nop => row == "unallocated hint",
        // Barriers that later architectures added.
        Op::Dsb => ["pssbb", "ssbb", "dfb"]
            .iter()
            .any(|name| theirs.starts_with(name)),
        // objdump omits the writeback mark if the base moves by zero.
        Op::Ldrd | Op::Strd => insn.writeback && insn.imm == 0,
        // Coprocessors that other processors used for floating point, vectors, and their own extensions.
        Op::Coproc if insn.amount == 9 => true,
        Op::Coproc if insn.raw & 0x0220_00ff == 0x0020_0000 => true, // LDC, STC: as LDRD above
        Op::Coproc => !["cdp", "ldc", "mcr", "mrc", "mrrc", "stc"]
            .iter()
            .any(|name| theirs.starts_with(name)),
        // objdump takes offset bits 1110 of a literal for the unprivileged encoding, which cannot have PC as its base.
        Op::Ldr | Op::Pld => row.contains("literal") && insn.raw >> 8 & 0xf == 0xe,
        _ => false,
    }
}

#[test]
fn every_row_is_written_as_objdump_writes_it() {
    if !installed(OBJDUMP) {
        return;
    }
    let mut rng = fastrand::Rng::with_seed(1);
    // IT has a test of its own below: here it would affect the next instruction.
    let insns: Vec<Insn> = (0..SAMPLES)
        .flat_map(|_| rows())
        .filter(|row| row.op.is_some_and(|op| op != Op::It))
        .map(|row| sample(row, &mut rng).expect("every row has valid encodings"))
        .collect();
    let all = disagreements(&insns);
    assert!(all.is_empty(), "{} disagreements:\n{}", all.len(), all.join("\n"));
}

/// IT, then random instructions that are valid in its block.
fn it_block(rng: &mut fastrand::Rng) -> Vec<Insn> {
    let it = rows()
        .iter()
        .find(|row| row.op == Some(Op::It))
        .expect("there is an IT");
    let mut block = vec![sample(it, rng).expect("IT has valid encodings")];
    let mut state = ItState::OUTSIDE.after(&block[0]);
    while state.in_block() {
        let insn = sample(rng.choice(rows()).expect("there are rows"), rng);
        let allowed = |insn: &Insn| match insn.it {
            ItRule::Any => true,
            ItRule::OutsideOrLast => state.is_last(),
            ItRule::Outside => false,
        };
        if let Some(insn) = insn.filter(allowed) {
            state = state.after(&insn);
            block.push(insn);
        }
    }
    block
}

#[test]
fn conditions_within_it_blocks_are_written_as_objdump_writes_them() {
    if !installed(OBJDUMP) {
        return;
    }
    let mut rng = fastrand::Rng::with_seed(2);
    let insns: Vec<Insn> = (0..2000).flat_map(|_| it_block(&mut rng)).collect();
    let all = disagreements(&insns);
    assert!(all.is_empty(), "{} disagreements:\n{}", all.len(), all.join("\n"));
}

/// Undefined rows in which objdump sees instructions: of other profiles and extensions, and cases that it does not check.
fn objdump_defines(reason: &str) -> bool {
    [
        "profile",
        "DSP extension",
        "reserved addressing mode",
        "relative to PC",
        "without an operation",
    ]
    .iter()
    .any(|part| reason.contains(part))
}

#[test]
fn undefined_space_is_undefined_to_objdump_too() {
    if !installed(OBJDUMP) {
        return;
    }
    let mut rng = fastrand::Rng::with_seed(3);
    let (encodings, reasons): (Vec<_>, Vec<_>) = (0..SAMPLES)
        .flat_map(|_| rows())
        .filter(|row| row.op.is_none() && !objdump_defines(row.name))
        .map(|row| ((any_of(row, &mut rng), row.pattern.size), row.name))
        .unzip();
    let lines = list("-marmv7e-m", &encodings);
    let all: Vec<_> = lines
        .iter()
        .zip(reasons)
        .filter(|(line, _)| !line.undefined)
        .map(|(line, reason)| format!("{reason}: {:x}: ours none, objdump {:?}", line.raw, line.text))
        .collect();
    assert!(all.is_empty(), "{} disagreements:\n{}", all.len(), all.join("\n"));
}
