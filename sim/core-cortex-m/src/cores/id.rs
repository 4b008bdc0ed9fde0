//! Identification registers of a core and its debug blocks.

/// Part number's low byte, and revision, of a block.
pub(crate) type Part = (u32, u32);

/// Cortex-M3 TRM, tables of identification values: r1p1 (DDI 0337E), r2 (DDI 0337I).
pub(crate) const M3_R1_PARTS: [Part; 4] = [(0x00, 1), (0x02, 1), (0x03, 0), (0x01, 1)];
pub(crate) const M3_R2_PARTS: [Part; 4] = [(0x00, 0), (0x02, 3), (0x03, 2), (0x01, 3)];
/// Cortex-M4 TRM r0p1 (DDI 0439D), tables 8-3, 8-7, 9-1 and 10-1: with floating point the System Control Space is another part.
pub(crate) const M4_PARTS: [Part; 4] = M3_R2_PARTS;
pub(crate) const M4F_PARTS: [Part; 4] = [(0x0c, 0), M4_PARTS[1], M4_PARTS[2], M4_PARTS[3]];
/// Of a core whose programs cannot read them.
pub(crate) const NO_PARTS: [Part; 4] = [(0, 0); 4];

/// `ID_PFR0` to `ID_ISAR4`.
pub(crate) type Features = [u32; 13];

/// Cortex-M3 r1p1 (Cortex-M3 TRM, DDI 0337E).
#[rustfmt::skip]
pub(crate) const M3_R1: Features = [
    0x0000_0030, 0x0000_0200, 0x0010_0000, 0, 0x0000_0030, 0, 0, 0,
    0x0114_1110, 0x0211_1000, 0x2111_2231, 0x0111_1110, 0x0131_0102,
];
/// Cortex-M3 from r2p0 on (DDI 0337I).
#[rustfmt::skip]
pub(crate) const M3_R2: Features = [
    0x0000_0030, 0x0000_0200, 0x0010_0000, 0, 0x0010_0030, 0, 0x0100_0000, 0,
    0x0110_1110, 0x0211_1000, 0x2111_2231, 0x0111_1110, 0x0131_0132,
];
/// Cortex-M4 (DDI 0439D, table 4-1).
#[rustfmt::skip]
pub(crate) const M4: Features = [
    0x0000_0030, 0x0000_0200, 0x0010_0000, 0, 0x0010_0030, 0, 0x0100_0000, 0,
    0x0114_1110, 0x0211_2000, 0x2123_2231, 0x0111_1131, 0x0131_0132,
];
/// Of an architecture without these registers.
pub(crate) const NONE: Features = [0; 13];
