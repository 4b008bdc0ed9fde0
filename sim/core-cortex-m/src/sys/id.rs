//! CoreSight identification: which debug blocks there are, and of which make.

/// A debug block with identification registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Block {
    Scs,
    Dwt,
    Fpb,
    Itm,
}

/// Part number's low byte, and revision, of each block in the order of [`Block`].
type Parts = [(u32, u32); 4];

/// Cortex-M3 TRM, tables of identification values: r1p1 (DDI 0337E), r2 (DDI 0337I).
const M3_R1: Parts = [(0x00, 1), (0x02, 1), (0x03, 0), (0x01, 1)];
const M3_R2: Parts = [(0x00, 0), (0x02, 3), (0x03, 2), (0x01, 3)];
/// Cortex-M4 TRM r0p1 (DDI 0439D), tables 8-3, 8-7, 9-1 and 10-1: with floating point the System Control Space is another part.
const M4: Parts = M3_R2;
const M4F: Parts = [(0x0c, 0), M4[1], M4[2], M4[3]];

/// Part number of the Cortex-M4, in CPUID.
pub(crate) const CORTEX_M4: u32 = 0xc24;

fn parts(cpuid: u32, has_fp: bool) -> &'static Parts {
    match (cpuid >> 4 & 0xfff, cpuid >> 20 & 15) {
        (CORTEX_M4, _) if has_fp => &M4F,
        (CORTEX_M4, _) => &M4,
        (_, 2..) => &M3_R2,
        _ => &M3_R1,
    }
}

/// Word `index` of a block's PID4 to PID7, PID0 to PID3, CID0 to CID3, on a core with this CPUID, and with floating point or not.
pub(crate) fn word(block: Block, index: u32, cpuid: u32, has_fp: bool) -> u32 {
    let (part, revision) = parts(cpuid, has_fp)[block as usize];
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
    fn blocks_say_of_which_core_they_are() {
        const BLOCKS: [Block; 4] = [Block::Scs, Block::Dwt, Block::Fpb, Block::Itm];
        for (cpuid, has_fp, parts, revisions) in [
            (
                0x411f_c231,
                false,
                [0x00, 0x02, 0x03, 0x01],
                [0x1b, 0x1b, 0x0b, 0x1b],
            ),
            (
                0x412f_c230,
                false,
                [0x00, 0x02, 0x03, 0x01],
                [0x0b, 0x3b, 0x2b, 0x3b],
            ),
            (
                0x412f_c231,
                false,
                [0x00, 0x02, 0x03, 0x01],
                [0x0b, 0x3b, 0x2b, 0x3b],
            ),
            (
                0x410f_c241,
                false,
                [0x00, 0x02, 0x03, 0x01],
                [0x0b, 0x3b, 0x2b, 0x3b],
            ),
            (
                0x410f_c241,
                true,
                [0x0c, 0x02, 0x03, 0x01],
                [0x0b, 0x3b, 0x2b, 0x3b],
            ),
        ] {
            let words = |index| BLOCKS.map(|block| word(block, index, cpuid, has_fp));
            assert_eq!((words(4), words(6)), (parts, revisions), "{cpuid:#x}");
        }
    }
}
