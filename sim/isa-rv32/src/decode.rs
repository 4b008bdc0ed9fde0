//! The decoder.

use crate::error::{DecodeError, Reason};
use crate::table::{self, Row};
use crate::{Extension, Insn, Isa, Reg};

/// Length in bytes of an instruction that starts with this halfword: 2 or 4. Longer formats are reserved and count as 4 (unprivileged ISA
/// manual 1.5).
#[inline]
pub const fn length(first: u16) -> u8 {
    if first & 3 == 3 { 4 } else { 2 }
}

/// Decodes one instruction for a core that has `isa`; the upper half of `raw` is ignored if it is compressed.
///
/// # Errors
///
/// If the instruction is illegal there.
pub fn decode(raw: u32, isa: Isa) -> Result<Insn, DecodeError> {
    let size = length(raw as u16);
    let raw = if size == 2 { raw & 0xffff } else { raw };
    let illegal = |reason| DecodeError { raw, size, reason };
    let (index, row) = table::find(raw, size).ok_or_else(|| {
        let compressed = size == 2 && !isa.has(Extension::C);
        illegal(if compressed {
            Reason::Lacks(Extension::C)
        } else {
            Reason::Reserved
        })
    })?;
    if !isa.has(row.extension) {
        return Err(illegal(Reason::Lacks(row.extension)));
    }
    let insn = read(row, raw, index);
    match [insn.rd, insn.rs1, insn.rs2]
        .iter()
        .find(|reg| reg.0 >= isa.registers())
    {
        Some(&reg) => Err(illegal(Reason::Register(reg))),
        None => Ok(insn),
    }
}

fn read(row: &Row, raw: u32, index: u16) -> Insn {
    let pattern = &row.pattern;
    let register = |letters: &[(u8, u8)], otherwise: Reg| {
        let named = letters.iter().find(|(letter, _)| pattern.has(*letter));
        named.map_or(otherwise, |&(letter, first)| {
            Reg(first + pattern.field(letter, raw) as u8)
        })
    };
    Insn {
        op: row.op,
        size: pattern.size,
        rd: register(&[(b'd', 0), (b'D', 8), (b'X', 0), (b'Y', 8)], row.rd),
        rs1: register(&[(b's', 0), (b'S', 8), (b'X', 0), (b'Y', 8)], row.rs1),
        rs2: register(&[(b't', 0), (b'T', 8)], Reg::ZERO),
        imm: row.immediate.value(pattern, raw),
        csr: pattern.field(b'c', raw) as u16,
        raw,
        row: index,
    }
}
