//! CoreSight identification: which debug blocks there are, and of which make.

/// A debug block with identification registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Block {
    Scs,
    Dwt,
    Fpb,
    Itm,
}

/// Part number's low byte, and revision in r1p1 and in r2 cores (Cortex-M3 TRM, tables of identification values).
const PARTS: [(Block, u32, u32, u32); 4] = [
    (Block::Scs, 0x00, 1, 0),
    (Block::Dwt, 0x02, 1, 3),
    (Block::Fpb, 0x03, 0, 2),
    (Block::Itm, 0x01, 1, 3),
];

/// Word `index` of a block's PID4 to PID7, PID0 to PID3, CID0 to CID3, on a core with this CPUID.
pub(crate) fn word(block: Block, index: u32, cpuid: u32) -> u32 {
    let (_, part, r1, r2) = PARTS[block as usize];
    let revision = if cpuid >> 20 & 15 >= 2 { r2 } else { r1 };
    let class = 0xe0;
    match index {
        0 => 0x04,
        4 => part,
        5 => 0xb0,
        6 => revision << 4 | 0x0b,
        8 => 0x0d,
        9 => class,
        10 => 0x05,
        11 => 0xb1,
        _ => 0,
    }
}

/// Word `index` of the ROM table: SCS, DWT, FPB, ITM, TPIU and ETM relative to it, with the bit that says "present",
/// then the end. The trace port and the ETM are options of a chip; here they are absent.
pub(crate) fn rom_table(index: u32) -> u32 {
    const ENTRIES: [u32; 6] = [
        0xfff0_f003,
        0xfff0_2003,
        0xfff0_3003,
        0xfff0_1003,
        0xfff4_1002,
        0xfff4_2002,
    ];
    ENTRIES.get(index as usize).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_in_the_order_of_their_blocks() {
        assert!(
            PARTS
                .iter()
                .enumerate()
                .all(|(index, part)| part.0 as usize == index)
        );
    }

    #[test]
    fn peripheral_id_follows_the_revision() {
        assert_eq!(word(Block::Dwt, 6, 0x411f_c231), 0x1b);
        assert_eq!(word(Block::Dwt, 6, 0x412f_c230), 0x3b);
    }
}
