//! Round trip: GNU as assembles the disassembler's output into an instruction with the same meaning.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use isa_thumb::table::rows;
use isa_thumb::{Insn, Isa, Op, Operand, Reg, SetFlags};
use skipped::installed;

use crate::samples::sample;

const AS: &str = "arm-none-eabi-as";
const OBJCOPY: &str = "arm-none-eabi-objcopy";
const SAMPLES: usize = 100;
/// Bytes reserved per instruction, so that an encoding of another length does not shift the rest.
const STRIDE: usize = 8;

fn source(insns: &[Insn]) -> String {
    let mut text = String::from(".syntax unified\n.thumb\n.text\n");
    for (at, insn) in insns.iter().enumerate() {
        let mut line = insn.disassemble(0).to_string();
        if matches!(insn.op, Op::B | Op::Bl | Op::Cbz | Op::Cbnz) {
            let target = line.rfind("0x").expect("a branch has a target");
            line.replace_range(target.., &format!(". + ({})", (insn.imm as i32) + 4));
        }
        writeln!(text, ".org {}\n{line}", at * STRIDE).expect("a string takes everything");
    }
    text + "\n.balign 8\n"
}

/// The line numbers, from 1, that the assembler rejects for `march`.
fn refused(march: &str, text: &str) -> BTreeSet<usize> {
    let place = tempfile::tempdir().expect("a temporary directory");
    let [source, object] = ["code.s", "code.o"].map(|name| place.path().join(name));
    fs::write(&source, text).expect("the directory is writable");
    let output = Command::new(AS)
        .arg(march)
        .args(["-W", "-o"])
        .args([&object, &source])
        .output()
        .expect("the tool runs");
    String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter_map(|line| line.split_once(": Error:")?.0.rsplit_once(':')?.1.parse().ok())
        .collect()
}

fn assemble(text: &str) -> Vec<u8> {
    let place = tempfile::tempdir().expect("a temporary directory");
    let [source, object, flat] = ["code.s", "code.o", "code.bin"].map(|name| place.path().join(name));
    fs::write(&source, text).expect("the directory is writable");
    run(
        AS,
        &["-march=armv7e-m", "-mfpu=fpv5-d16", "-W", "-o"],
        &[&object, &source],
    );
    run(OBJCOPY, &["-O", "binary"], &[&object, &flat]);
    fs::read(&flat).expect("objcopy wrote it")
}

fn run(tool: &str, arguments: &[&str], files: &[&Path]) {
    let output = Command::new(tool)
        .args(arguments)
        .args(files)
        .output()
        .expect("the tool runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Normalises an instruction: clears what distinguishes encodings with the same meaning outside an IT block.
fn meaning(insn: Insn) -> Insn {
    let set_flags = match insn.set_flags {
        SetFlags::OutsideIt => SetFlags::Always,
        other => other,
    };
    Insn {
        raw: 0,
        row: 0,
        size: 0,
        set_flags,
        ..insn
    }
}

/// Whether the assembler accepts the syntax that objdump, and so our disassembler, writes.
fn has_assembly(insn: &Insn) -> bool {
    let low = insn.rd.0 < 8 && insn.rn.0 < 8;
    match insn.op {
        // IT needs a block; operands in braces are objdump's own syntax; objdump prints the encoded constant of VMOV, but the assembler
        // wants the number.
        Op::It | Op::Coproc | Op::VmovImm => false,
        // The old NOP, which assembles to the new one.
        Op::Mov => !(insn.rd == insn.rm && insn.rd == Reg(8)),
        // Unallocated, so without a mnemonic in this architecture.
        Op::Pld => !rows()[usize::from(insn.row)].name.starts_with("unallocated"),
        // Options of later architectures.
        Op::Dsb | Op::Dmb => !matches!(insn.imm, 1 | 5 | 9 | 13),
        // objdump calls APSR by its name in other profiles, CPSR. It also writes no mask for the other parts of xPSR.
        Op::Msr if insn.imm < 4 => insn.imm != 0 && insn.amount == 2,
        Op::Mrs => insn.imm != 0,
        // A branch target that is not a multiple of four.
        Op::Ldr if insn.rd == Reg::PC && insn.rn == Reg::PC => insn.imm.is_multiple_of(4),
        // `movs.w r0, r1, lsl #2`: the assembler insists on `lsls.w`.
        Op::Lsl | Op::Lsr | Op::Asr if insn.size == 4 && insn.operand == Operand::Imm => {
            !(low && insn.set_flags == SetFlags::Always)
        }
        _ => true,
    }
}

#[test]
fn what_is_written_assembles_to_the_same_meaning() {
    if !installed(AS) || !installed(OBJCOPY) {
        return;
    }
    let mut rng = fastrand::Rng::with_seed(6);
    let insns: Vec<Insn> = rows()
        .iter()
        .filter(|row| row.op.is_some())
        .flat_map(|row| {
            (0..SAMPLES)
                .filter_map(|_| sample(row, &mut rng))
                .collect::<Vec<_>>()
        })
        .filter(has_assembly)
        .collect();
    let code = assemble(&source(&insns));
    let halfword = |at: usize| u16::from_le_bytes([code[at], code[at + 1]]);
    let mut all = Vec::new();
    for (at, &insn) in insns.iter().enumerate() {
        let again = Isa::ARMV7EM_FLOAT.decode_at(halfword(at * STRIDE), Some(halfword(at * STRIDE + 2)));
        if again.map(meaning) != Ok(meaning(insn)) {
            let row = rows()[usize::from(insn.row)].name;
            all.push(format!(
                "{row}: {:x}: {}: {again:x?}",
                insn.raw,
                insn.disassemble(0)
            ));
        }
    }
    assert!(all.is_empty(), "{} disagreements:\n{}", all.len(), all.join("\n"));
}

/// Whether GNU as rejects an instruction that the manual defines for ARMv6-M: UDF.W, and BL beyond the 4 MiB range from before Thumb-2.
fn refused_needlessly(insn: &Insn) -> bool {
    let far = (insn.imm as i32).unsigned_abs() >= 1 << 22;
    insn.size == 4 && (insn.op == Op::Udf || insn.op == Op::Bl && far)
}

/// objdump lists every Arm processor alike; the assembler knows the limits of ARMv6-M.
#[test]
fn armv6m_has_what_the_assembler_accepts_for_it() {
    if !installed(AS) {
        return;
    }
    let mut rng = fastrand::Rng::with_seed(7);
    let samples = |row| (0..20).filter_map(|_| sample(row, &mut rng)).collect::<Vec<_>>();
    let insns: Vec<Insn> = rows()
        .iter()
        .filter(|row| row.op.is_some())
        .flat_map(samples)
        .filter(has_assembly)
        .filter(|insn| !refused_needlessly(insn))
        .collect();
    let refused = refused("-march=armv6s-m", &source(&insns));
    // Three lines of directives, then two lines per instruction, the second with the instruction.
    let all: Vec<_> = (5..)
        .step_by(2)
        .zip(&insns)
        .filter(|(line, insn)| Isa::ARMV6M.has(insn.op, insn.size) == refused.contains(line))
        .map(|(_, insn)| {
            let row = rows()[usize::from(insn.row)].name;
            format!("{row}: {:x}: {}", insn.raw, insn.disassemble(0))
        })
        .collect();
    assert!(all.is_empty(), "{} disagreements:\n{}", all.len(), all.join("\n"));
}
