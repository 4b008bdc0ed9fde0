//! Encodings that the ISA reserves, as `VexRiscv` executes them: its decoder and its decompressor do not look at what makes them
//! reserved. The halfword of zeros, which the ISA wants to be illegal, is `addi s0,sp,0`.

/// Whether it empties the data cache, where there is one (`DBusCachedPlugin`'s `MEMORY_MANAGMENT`): the 0x500f of `LiteX`'s
/// `flush_cpu_dcache`.
pub(crate) const fn empties_data(raw: u32) -> bool {
    raw & 0x01f0_707f == 0x500f
}

/// The encoding with the same meaning as a reserved one of 32 bits.
pub(crate) fn wide(raw: u32) -> Option<u32> {
    match raw & 0x707f {
        // It has the same bits as FENCE.
        _ if empties_data(raw) => Some(0x0000_000f),
        // LWU, which only 64 bits have.
        0x6003 => Some(raw & !0x4000),
        // A shift by 32 and more: bit 25 is not there.
        0x1013 | 0x5013 => Some(raw & !(1 << 25)),
        _ => None,
    }
}

/// Expands a compressed instruction; `None` if there is no instruction of that kind at all.
pub(crate) fn expanded(raw: u16) -> Option<u32> {
    let raw = u32::from(raw);
    let (rd, low_rd) = (raw >> 7 & 31, 8 + (raw >> 2 & 7));
    match (raw & 3, raw >> 13) {
        // C.ADDI4SPN of nothing.
        (0, 0) => Some(2 << 15 | low_rd << 7 | 0x13),
        // C.ADDI16SP and C.LUI of nothing.
        (1, 3) if rd == 2 => Some(2 << 15 | 2 << 7 | 0x13),
        (1, 3) => Some(rd << 7 | 0x37),
        // Bit 12, of a shift by 32 and more or an operation on 64 bits, is not there.
        (1, 4) | (2, 0) => Some(raw & !0x1000),
        // C.LWSP to x0.
        (2, 2) => {
            Some((raw >> 2 & 3) << 26 | (raw >> 12 & 1) << 25 | (raw >> 4 & 7) << 22 | 2 << 15 | 0x2003)
        }
        // C.JR to x0.
        (2, 4) => Some(0x67),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use isa_rv32::Op;

    use crate::ibex::IBEX;
    use crate::manual::RV32;
    use crate::picorv32::PICORV32;
    use crate::vexriscv::{IMAC, MIN};

    #[test]
    fn what_makes_an_encoding_reserved_is_not_looked_at() {
        let cases = [
            (0x0000, Op::Addi, 8),
            (0x6101, Op::Addi, 2),
            (0x6281, Op::Lui, 5),
            (0x1862, Op::Slli, 16),
            (0x9001, Op::Srli, 8),
            (0x9c09, Op::Sub, 8),
            (0x4012, Op::Lw, 0),
            (0x8002, Op::Jalr, 0),
        ];
        for (raw, op, rd) in cases {
            let insn = IMAC
                .decode(raw)
                .unwrap_or_else(|error| panic!("{raw:#x}: {error}"));
            assert_eq!((insn.op, insn.rd.0, insn.size), (op, rd, 2), "{raw:#x}");
            assert!(MIN.decode(raw).is_err(), "{raw:#x}");
            for other in [IBEX, RV32, PICORV32] {
                assert!(other.decode(raw).is_err(), "{raw:#x} of {}", other.name);
            }
        }
    }

    #[test]
    fn what_64_bits_have_is_as_with_32() {
        let cases = [
            (0x0005_6503, 0x0005_2503),
            (0x0217_1713, 0x0017_1713),
            (0x4217_5713, 0x4017_5713),
        ];
        for (raw, meant) in cases {
            let (insn, meant) = (MIN.decode(raw).unwrap(), MIN.decode(meant).unwrap());
            assert_eq!(
                (insn.op, insn.imm, insn.raw),
                (meant.op, meant.imm, raw),
                "{raw:#x}"
            );
            for other in [IBEX, RV32, PICORV32] {
                assert!(other.decode(raw).is_err(), "{raw:#x} of {}", other.name);
            }
        }
    }
}
