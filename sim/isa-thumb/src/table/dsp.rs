//! The space of the DSP extension (ARMv7E-M), undefined on a core without it.

use super::row::{Row, undefined};

pub(super) const ROWS: &[Row] = &[undefined(
    "PKHBT, PKHTB need the DSP extension",
    "1110 101 0110 - ---- - --- ---- -- -- ----",
)];
