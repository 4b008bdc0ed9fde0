//! IT block state: up to four instructions after IT have a condition that their encodings do not show.

use crate::{Cond, Insn, Op};

/// ITSTATE (ARMv7-M ARM A7.3.3): bits 7 to 5 are the base condition. Bits 4 to 0 hold the low condition bit of the current and the
/// following instructions, terminated by a one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ItState(pub u8);

impl ItState {
    /// Outside any block.
    pub const OUTSIDE: ItState = ItState(0);

    /// Whether the next instruction is inside a block.
    pub const fn in_block(self) -> bool {
        self.0 & 0xf != 0
    }

    /// Whether the next instruction is the last of a block.
    pub const fn is_last(self) -> bool {
        self.0 & 0xf == 8
    }

    /// The condition of the next instruction.
    pub const fn cond(self) -> Cond {
        if self.in_block() {
            Cond::from_bits(self.0 as u32 >> 4)
        } else {
            Cond::Al
        }
    }

    /// The state after one instruction that is not IT.
    #[must_use]
    pub const fn advance(self) -> ItState {
        match self.0 & 7 {
            0 => ItState::OUTSIDE,
            _ => ItState(self.0 & 0xe0 | self.0 << 1 & 0x1f),
        }
    }

    /// The state after `insn`, executed or listed at this point. After an encoding that fails to decode, use
    /// [`advance`](ItState::advance).
    #[must_use]
    pub fn after(self, insn: &Insn) -> ItState {
        if insn.op == Op::It {
            ItState(insn.imm as u8)
        } else {
            self.advance()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Cond::{Eq, Ne};

    #[test]
    fn conditions_of_a_block_of_four() {
        // ITETT EQ: mask 0b1001 below the condition 0000.
        let mut state = ItState(0b0000_1001);
        let mut conditions = Vec::new();
        while state.in_block() {
            conditions.push((state.cond(), state.is_last()));
            state = state.advance();
        }
        assert_eq!(conditions, [(Eq, false), (Ne, false), (Eq, false), (Eq, true)]);
    }
}
