//! The space of the DSP extension (ARMv7E-M), undefined on a core without it (ARMv7-M ARM A5.3.11 to A5.3.17).

use super::row::{Row, undefined};

#[rustfmt::skip] // a table: an encoding a line, its particulars below
pub(super) const ROWS: &[Row] = &[
    undefined("1110 101 0110 - ---- - --- ---- -- -- ----", "PKHBT, PKHTB need the DSP extension"),
    undefined("11110 - 11 0010 ---- 0 000 ---- 00 ------", "SSAT16 needs the DSP extension"),
    undefined("11110 - 11 1010 ---- 0 000 ---- 00 ------", "USAT16 needs the DSP extension"),
    // Extend and add; without an addend, SXTH and UXTH, SXTB and UXTB are no part of it.
    undefined("1111 1010 000 - nnnn 1111 ---- 1 --- ----", "SXTAH, UXTAH need the DSP extension")
        .except(&[('n', 15)]),
    undefined("1111 1010 001 - ---- 1111 ---- 1 --- ----", "SXTAB16, SXTB16, UXTAB16, UXTB16 need the DSP extension"),
    undefined("1111 1010 010 - nnnn 1111 ---- 1 --- ----", "SXTAB, UXTAB need the DSP extension")
        .except(&[('n', 15)]),
    undefined("1111 1010 1 --- ---- 1111 ---- 0 --- ----", "parallel additions and subtractions need the DSP extension"),
    undefined("1111 1010 1000 ---- 1111 ---- 10 -- ----", "QADD and its like need the DSP extension"),
    undefined("1111 1010 1010 ---- 1111 ---- 10 -- ----", "SEL needs the DSP extension"),
    undefined("1111 1011 0 oo - ---- ---- ---- 00 -- ----", "multiplications of halfwords need the DSP extension")
        .except(&[('o', 0)]),
    undefined("1111 1011 0001 ---- ---- ---- 00 -- ----", "multiplications of halfwords need the DSP extension"),
    undefined("1111 1011 1100 ---- ---- ---- 1 --- ----", "long multiplications of halfwords need the DSP extension"),
    undefined("1111 1011 1101 ---- ---- ---- 110 - ----", "long multiplications of halfwords need the DSP extension"),
    undefined("1111 1011 1110 ---- ---- ---- 0110 ----", "UMAAL needs the DSP extension"),
];
