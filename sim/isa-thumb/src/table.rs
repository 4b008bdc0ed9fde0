//! The table of encodings: one row each, and every encoding in exactly one row.
//!
//! A row defines the bits that select the encoding, its operation, its operands, its unpredictable cases and its text. The decoder and
//! the disassembler read the same rows. Space that the architecture leaves undefined has rows too, each with its reason, so that nothing
//! is undefined by omission. A test proves that the rows are disjoint and together fill the 16-bit and the 32-bit space.
//!
//! These letters of a pattern are register operands in every row:
//!
//! | letter | operand | fields of [`Insn`](crate::Insn) |
//! |---|---|---|
//! | `d`, `t`, `l` | Rd, Rt, `RdLo` | `rd` |
//! | `D` | Rdn | `rd` and `rn` |
//! | `E` | Rdm | `rd` and `rm` |
//! | `n` | Rn | `rn` |
//! | `s` | Rm of a shift by a constant | `rn` |
//! | `m` | Rm | `rm` |
//! | `x` | the status register of STREX | `rm` |
//! | `a`, `h`, `u` | Ra, `RdHi`, Rt2 | `ra` |
//!
//! `S` sets the flags and `c` is a condition. The row's [`Form`] defines all other letters.
//!
//! An extension (DSP, floating point) has a file of its own, whose rows replace undefined ones.

mod branch;
mod coprocessor;
mod data16;
mod data32;
mod dsp;
mod float;
mod memory16;
mod memory32;
mod row;
mod rules;
mod system;

use std::sync::LazyLock;

use isa_pattern::{count, join};

use crate::{Isa, is_wide};

pub use row::{Form, Row};
pub use rules::Rule;

const PARTS: [&[Row]; 9] = [
    data16::ROWS,
    memory16::ROWS,
    branch::ROWS,
    system::ROWS,
    data32::ROWS,
    memory32::ROWS,
    coprocessor::ROWS,
    dsp::ROWS,
    float::ROWS,
];

static ROWS: [Row; count(&PARTS)] = join(&PARTS);

/// All rows, indexed by [`Insn::row`](crate::Insn::row).
pub fn rows() -> &'static [Row] {
    &ROWS
}

/// The rows that can match each value of the first halfword's upper 12 bits.
static BEGINNINGS: LazyLock<Vec<Vec<u16>>> = LazyLock::new(by_beginning);

/// The upper 12 bits of the first halfword; a narrow instruction has only that halfword.
const fn beginning(raw: u32, size: u8) -> u32 {
    raw >> (8 * size as u32 - 12)
}

/// Iterates over the rows rather than the 4,096 prefixes: most rows match few of them, and this runs at every start.
fn by_beginning() -> Vec<Vec<u16>> {
    let mut beginnings = vec![Vec::new(); 1 << 12];
    for (index, row) in (0..).zip(rows()) {
        let (select, size) = (row.pattern.select, row.pattern.size);
        let (mask, value) = (beginning(select.mask, size), beginning(select.value, size));
        let free = !mask & 0xfff;
        let mut bits = 0;
        // All subsets of the free bits, in ascending order.
        loop {
            let upper = value | bits;
            let wide = is_wide((upper << 4) as u16);
            if wide == (size == 4) {
                beginnings[upper as usize].push(index);
            }
            bits = bits.wrapping_sub(free) & free;
            if bits == 0 {
                break;
            }
        }
    }
    beginnings
}

/// The row that `raw` belongs to on a core with `isa`, and its index.
///
/// Rows are disjoint, so the first match is the only one.
pub(crate) fn find(raw: u32, size: u8, isa: Isa) -> Option<(u16, &'static Row)> {
    let float = isa.has_float() && size == 4 && is_float_space(raw);
    let candidates = BEGINNINGS.get(beginning(raw, size) as usize)?.iter();
    let mut rows = candidates.map(|&index| (index, &ROWS[usize::from(index)]));
    rows.find(|(_, row)| row.is_float() == float && row.is_of(isa) && row.matches(raw))
}

/// Whether an encoding names coprocessor 10 or 11 (ARMv7-M ARM A6.1).
fn is_float_space(raw: u32) -> bool {
    raw & 0xec00_0e00 == 0xec00_0a00 && raw & 0x0300_0000 != 0x0300_0000
}
