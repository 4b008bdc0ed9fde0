//! CoreSight identification: which debug blocks there are, and of which make.

use crate::cores::id::Part;

/// A debug block with identification registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DebugBlock {
    Scs,
    Dwt,
    Fpb,
    Itm,
}

/// Word `index` of a block's PID4 to PID7, PID0 to PID3, CID0 to CID3.
pub(crate) fn word((part, revision): Part, index: u32) -> u32 {
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
