//! The space of the DSP extension (ARMv7E-M), undefined on a core without it (ARMv7-M ARM A5.3.11 to A5.3.17).

use super::row::{Row, undefined};

pub(super) const ROWS: &[Row] = &[
    undefined(
        "PKHBT, PKHTB need the DSP extension",
        "1110 101 0110 - ---- - --- ---- -- -- ----",
    ),
    undefined(
        "SSAT16 needs the DSP extension",
        "11110 - 11 0010 ---- 0 000 ---- 00 ------",
    ),
    undefined(
        "USAT16 needs the DSP extension",
        "11110 - 11 1010 ---- 0 000 ---- 00 ------",
    ),
    // Extend and add; without an addend, SXTH and UXTH, SXTB and UXTB are no part of it.
    undefined(
        "SXTAH, UXTAH need the DSP extension",
        "1111 1010 000 - nnnn 1111 ---- 1 --- ----",
    )
    .except(&[('n', 15)]),
    undefined(
        "SXTAB16, SXTB16, UXTAB16, UXTB16 need the DSP extension",
        "1111 1010 001 - ---- 1111 ---- 1 --- ----",
    ),
    undefined(
        "SXTAB, UXTAB need the DSP extension",
        "1111 1010 010 - nnnn 1111 ---- 1 --- ----",
    )
    .except(&[('n', 15)]),
    undefined(
        "parallel additions and subtractions need the DSP extension",
        "1111 1010 1 --- ---- 1111 ---- 0 --- ----",
    ),
    undefined(
        "QADD and its like need the DSP extension",
        "1111 1010 1000 ---- 1111 ---- 10 -- ----",
    ),
    undefined(
        "SEL needs the DSP extension",
        "1111 1010 1010 ---- 1111 ---- 10 -- ----",
    ),
    undefined(
        "multiplications of halfwords need the DSP extension",
        "1111 1011 0 oo - ---- ---- ---- 00 -- ----",
    )
    .except(&[('o', 0)]),
    undefined(
        "multiplications of halfwords need the DSP extension",
        "1111 1011 0001 ---- ---- ---- 00 -- ----",
    ),
    undefined(
        "long multiplications of halfwords need the DSP extension",
        "1111 1011 1100 ---- ---- ---- 1 --- ----",
    ),
    undefined(
        "long multiplications of halfwords need the DSP extension",
        "1111 1011 1101 ---- ---- ---- 110 - ----",
    ),
    undefined(
        "UMAAL needs the DSP extension",
        "1111 1011 1110 ---- ---- ---- 0110 ----",
    ),
];
