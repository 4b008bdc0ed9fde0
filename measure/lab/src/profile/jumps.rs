//! Classifies instructions after which execution did not continue with the next one: calls, direct branches, others.

use machine::Architecture;

/// The kind of a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Jump {
    /// It sets a link register.
    Call,
    /// Its target is in the instruction.
    Branch,
    /// Its target is in a register or in memory: a return, or a jump by table or pointer.
    Indirect,
}

impl Jump {
    /// The kind of an instruction that jumped.
    pub(super) fn of(architecture: Architecture, raw: u32, size: u8) -> Jump {
        match architecture {
            Architecture::Arm => thumb(raw, size),
            Architecture::RiscV => rv32(raw, size),
        }
    }
}

fn thumb(raw: u32, size: u8) -> Jump {
    let wide = size == 4;
    let call = if wide {
        raw & 0xf800_d000 == 0xf000_d000
    } else {
        raw & 0xff87 == 0x4780
    };
    // B, B<c>, CBZ and CBNZ.
    let narrow = matches!(raw >> 12, 0xd | 0xe) || raw & 0xf500 == 0xb100;
    let branch = if wide {
        raw & 0xf800_8000 == 0xf000_8000
    } else {
        narrow
    };
    match (call, branch) {
        (true, _) => Jump::Call,
        (_, true) => Jump::Branch,
        _ => Jump::Indirect,
    }
}

fn rv32(raw: u32, size: u8) -> Jump {
    let links = matches!(raw >> 7 & 31, 1 | 5);
    match (size, raw & 0x7f) {
        (4, 0x6f | 0x67) if links => Jump::Call,
        (4, 0x67) => Jump::Indirect,
        // C.JAL, and C.JALR.
        (2, _) if raw & 0xe003 == 0x2001 || raw & 0xf07f == 0x9002 => Jump::Call,
        (2, _) if raw & 0xf07f == 0x8002 => Jump::Indirect,
        _ => Jump::Branch,
    }
}

#[cfg(test)]
mod tests {
    use super::Jump::{Branch, Call, Indirect};
    use super::*;

    #[test]
    fn thumb_jumps() {
        let all = [
            (0xf000_f801, 4, Call),
            (0x4798, 2, Call),
            (0xe7fe, 2, Branch),
            (0xd1f9, 2, Branch),
            (0xb128, 2, Branch),
            (0xb928, 2, Branch),
            (0xf000_b801, 4, Branch),
            (0xf47f_affe, 4, Branch),
            (0x4770, 2, Indirect),
            (0xbd10, 2, Indirect),
            (0xe8bd_81f0, 4, Indirect),
            (0xe8df_f001, 4, Indirect),
        ];
        for (raw, size, jump) in all {
            assert_eq!(Jump::of(Architecture::Arm, raw, size), jump, "{raw:#x}");
        }
    }

    #[test]
    fn rv32_jumps() {
        let all = [
            (0x0080_00ef, 4, Call),
            (0x0007_80e7, 4, Call),
            (0x2001, 2, Call),
            (0x9782, 2, Call),
            (0x0000_006f, 4, Branch),
            (0xfe05_1ee3, 4, Branch),
            (0xa001, 2, Branch),
            (0x0000_8067, 4, Indirect),
            (0x8082, 2, Indirect),
        ];
        for (raw, size, jump) in all {
            assert_eq!(Jump::of(Architecture::RiscV, raw, size), jump, "{raw:#x}");
        }
    }
}
