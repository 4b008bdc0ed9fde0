//! The disassembler against GNU objdump, on samples of every row.

mod common;

use std::fs;

use common::{bytes, normalise, objdump, objdump_is_missing, sample};
use isa_thumb::table::rows;
use isa_thumb::{Insn, ItState, Op};

const FLAT: [&str; 5] = ["-D", "-b", "binary", "-marm", "-Mforce-thumb"];
const SAMPLES: usize = 60;

/// Writes the encodings to a flat file and lists it with both; returns the disagreements.
fn disagreements(name: &str, insns: &[Insn]) -> Vec<String> {
    let code: Vec<u8> = insns.iter().flat_map(|insn| bytes(insn.raw, insn.size)).collect();
    let file = std::env::temp_dir().join(format!("isa-thumb-{}-{name}.bin", std::process::id()));
    fs::write(&file, code).expect("the temporary directory is writable");
    let lines = objdump(&FLAT, &file);
    fs::remove_file(&file).expect("the file is ours");
    assert_eq!(lines.len(), insns.len(), "objdump lists every instruction");
    let mut it = ItState::OUTSIDE;
    let mut all = Vec::new();
    for (line, insn) in lines.iter().zip(insns) {
        assert_eq!((line.raw, line.size), (insn.raw, insn.size));
        let ours = normalise(&insn.disassemble_in(line.address, it).to_string());
        let row = rows()[usize::from(insn.row)].name;
        if ours != line.text && !known_difference(row, insn) {
            all.push(format!("{row}: {:x}: ours {ours:?}, objdump {:?}", insn.raw, line.text));
        }
        it = it.after(insn);
    }
    all
}

/// Where objdump, which lists every Arm processor with the same table, does not speak of ARMv7-M.
fn known_difference(row: &str, insn: &Insn) -> bool {
    match insn.op {
        // Hints that later architectures named.
        Op::Nop => row == "unallocated hint",
        // Coprocessors that others use for floating point, vectors and custom extensions.
        Op::Coproc => matches!(insn.amount, 8..=11 | 14 | 15),
        // It takes the bits 1110 of a literal's offset for the unprivileged encoding, which cannot have PC as its base.
        Op::Ldr => row.contains("literal") && insn.raw >> 8 & 0xf == 0xe,
        _ => false,
    }
}

#[test]
fn every_row_is_written_as_objdump_writes_it() {
    if objdump_is_missing() {
        return;
    }
    let mut rng = fastrand::Rng::with_seed(1);
    let insns: Vec<Insn> = rows()
        .iter()
        .filter(|row| row.op.is_some())
        .flat_map(|row| (0..SAMPLES).filter_map(|_| sample(row, &mut rng)).collect::<Vec<_>>())
        .filter(|insn| insn.op != Op::It)
        .collect();
    let all = disagreements("rows", &insns);
    assert!(all.is_empty(), "{} disagreements:\n{}", all.len(), all.join("\n"));
}
