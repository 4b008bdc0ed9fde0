//! Compares the disassembler and the extent of the table with GNU objdump.

use isa_rv32::table::rows;
use isa_rv32::{Extension, Isa, Op, decode, length};

use crate::listing::{Line, installed, list, normalise};
use crate::samples::sample;

const SAMPLES: usize = 200;

/// Known differences, where objdump follows another reading than the manual.
fn known_difference(line: &Line) -> bool {
    let ours = decode(line.raw, Isa::ALL);
    let theirs = line.text.as_deref().unwrap_or_default();
    match ours.map(|insn| insn.op) {
        // objdump accepts one encoding of each fence only, and calls others with reserved fields unknown.
        Ok(Op::Fence) => line.raw != line.raw & 0x0ff0_000f || theirs.starts_with("fence.tso"),
        Ok(Op::FenceI) => line.raw & !0x7fff != 0 || line.raw >> 7 & 0x1f != 0,
        // objdump names registers of counters, debuggers and extensions that the table leaves out.
        Ok(op) if theirs.starts_with("csrr") => op as u8 >= Op::Csrrw as u8 && op as u8 <= Op::Csrrci as u8,
        // A compressed shift by zero is a hint here; objdump shows its meaning in RV128.
        Ok(Op::Slli | Op::Srli | Op::Srai) => {
            theirs.split(' ').next().is_some_and(|name| name.ends_with("64"))
        }
        // objdump does not check that RV32 shifts by less than 32, and knows withdrawn instructions.
        Err(_) => {
            let (name, operands) = theirs.split_once(' ').unwrap_or((theirs, ""));
            let amount = operands.rsplit(',').next().unwrap_or_default();
            let too_far = u32::from_str_radix(amount, 16).is_ok_and(|amount| (32..64).contains(&amount));
            too_far || matches!(name, "uret" | "sfence.vm") || theirs == "c.addi16sp sp,0"
        }
        _ => false,
    }
}

fn disagreements(encodings: &[(u32, u8)]) -> Vec<String> {
    let ours = |line: &Line| {
        let insn = decode(line.raw, Isa::ALL).ok()?;
        Some(normalise(&insn.disassemble(line.address).to_string()))
    };
    let lines = list(encodings);
    let differing = lines
        .iter()
        .filter(|line| ours(line) != line.text && !known_difference(line));
    differing
        .map(|line| format!("{:x}: ours {:?}, objdump {:?}", line.raw, ours(line), line.text))
        .collect()
}

#[test]
fn every_row_is_written_as_objdump_writes_it() {
    if !installed() {
        return;
    }
    let mut rng = fastrand::Rng::with_seed(1);
    let encodings: Vec<_> = (0..SAMPLES)
        .flat_map(|_| rows())
        .map(|row| (sample(row, &mut rng), row.pattern.size))
        .collect();
    let all = disagreements(&encodings);
    assert!(all.is_empty(), "{} disagreements:\n{}", all.len(), all.join("\n"));
}

#[test]
fn csr_names_are_objdump_s() {
    if !installed() {
        return;
    }
    let named = (0..0x1000_u16).filter(|&number| isa_rv32::csr::name(number).is_some());
    let encodings: Vec<_> = named
        .map(|number| (u32::from(number) << 20 | 0x2573, 4))
        .collect();
    for line in list(&encodings) {
        let insn = decode(line.raw, Isa::ALL).expect("a CSR instruction");
        assert_eq!(line.text, Some(normalise(&insn.disassemble(0).to_string())));
    }
}

/// Checks every compressed encoding: objdump calls unknown what is reserved here.
#[test]
fn narrow_space_is_the_same() {
    if !installed() {
        return;
    }
    let narrow = (0..=0xffff_u32).filter(|&raw| length(raw as u16) == 2);
    let encodings: Vec<_> = narrow.map(|raw| (raw, 2)).collect();
    let all = disagreements(&encodings);
    assert!(all.is_empty(), "{} disagreements:\n{}", all.len(), all.join("\n"));
}

/// Checks random words with the table's major opcodes: objdump calls unknown what is illegal here.
#[test]
fn wide_space_is_the_same() {
    if !installed() {
        return;
    }
    let mut rng = fastrand::Rng::with_seed(3);
    let majors: Vec<u32> = rows()
        .iter()
        .filter(|row| row.pattern.size == 4)
        .map(|row| row.pattern.select.value & 0x7f)
        .collect();
    let word = |rng: &mut fastrand::Rng| {
        let major = *rng.choice(&majors).expect("there are rows");
        // Defined encodings mostly have upper bits of zero.
        let upper = if rng.bool() {
            rng.u32(..)
        } else {
            rng.u32(..) & rng.u32(..) & rng.u32(..)
        };
        upper & !0x7f | major
    };
    let encodings: Vec<_> = (0..50_000).map(|_| (word(&mut rng), 4)).collect();
    let all = disagreements(&encodings);
    assert!(all.is_empty(), "{} disagreements:\n{}", all.len(), all.join("\n"));
}

#[test]
fn an_extension_that_is_not_there_is_illegal() {
    let all = [
        Extension::M,
        Extension::Zalrsc,
        Extension::Zaamo,
        Extension::C,
        Extension::Zicsr,
        Extension::Zifencei,
        Extension::Zba,
        Extension::Zbb,
        Extension::Zbs,
        Extension::Supervisor,
    ];
    let mut rng = fastrand::Rng::with_seed(4);
    for row in rows() {
        let raw = sample(row, &mut rng);
        let lacking = all.into_iter().filter(|&other| other != row.extension);
        let lacking = lacking.fold(Isa::RV32I, Isa::with);
        assert_eq!(
            decode(raw, lacking).is_ok(),
            row.extension == Extension::I,
            "{}",
            row.text
        );
        assert!(decode(raw, Isa::ALL).is_ok(), "{}", row.text);
    }
}
