//! RV32 functions that return by `t0`: the routines of `-msave-restore`, called at a function's start while `ra` must be preserved.

use isa_rv32::{Insn, Isa, Op, decode};
use machine::{Architecture, Image};

/// The alternate link register, `t0` (RISC-V unprivileged ISA, table 3).
const ALTERNATE_LINK: u8 = 5;

/// Calls of these functions that link by `t0`: the function's first instruction, and the return address.
pub(crate) fn calls(image: &Image, functions: impl IntoIterator<Item = u32>) -> Vec<(u32, u32)> {
    let functions: Vec<u32> = functions.into_iter().collect();
    if image.architecture() != Architecture::RiscV || functions.is_empty() {
        return Vec::new();
    }
    let code = image.segments().iter().filter(|segment| segment.executable);
    let calls = code.flat_map(|segment| calls_in(&segment.bytes, segment.runs_at));
    calls.filter(|(target, _)| functions.contains(target)).collect()
}

/// All direct calls that link by `t0` in code at `base`.
fn calls_in(code: &[u8], base: u32) -> impl Iterator<Item = (u32, u32)> {
    let at = |offset: usize| {
        let word = code.get(offset..)?.first_chunk().copied()?;
        decode(u32::from_le_bytes(word), Isa::ALL).ok()
    };
    (0..code.len()).step_by(2).filter_map(move |offset| {
        let insn = at(offset).filter(|insn| insn.rd.0 == ALTERNATE_LINK)?;
        let pc = base.wrapping_add(offset as u32);
        let target = match insn.op {
            Op::Jal => pc.wrapping_add(insn.imm as u32),
            Op::Jalr => far(at(offset.checked_sub(4)?)?, &insn, pc.wrapping_sub(4))?,
            _ => return None,
        };
        Some((target, pc.wrapping_add(u32::from(insn.size))))
    })
}

/// The target of `auipc t0, …; jalr t0, …(t0)`, which begins at `pc`.
fn far(upper: Insn, jump: &Insn, pc: u32) -> Option<u32> {
    let pair = upper.op == Op::Auipc && upper.rd == jump.rs1;
    pair.then(|| pc.wrapping_add(upper.imm as u32).wrapping_add(jump.imm as u32) & !1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_calls_are_found() {
        // nop; jal t0, .+16; auipc t0, 1; jalr t0, -8(t0); jal ra, .+4
        let words: [u32; 5] = [0x13, 0x0100_02ef, 0x0000_1297, 0xff82_82e7, 0x0040_00ef];
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let found: Vec<_> = calls_in(&code, 0x100).collect();
        assert_eq!(found, [(0x114, 0x108), (0x1100, 0x110)]);
    }
}
